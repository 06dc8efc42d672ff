package recorded

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/waymark-go/waymark/internal/program/condition"
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/tracefile"
	"github.com/waymark-go/waymark/value"
)

// A Path is a way to an argument or result, or to a part of one.
type Path struct {
	condition.Instruction      // a Value
	nilOnly               bool // it is compared with nil
	failed                bool // it is no value, but whether the call returned an error
}

// String returns the path as conditions have it.
func (p *Path) String() string {
	text := p.Root.Flag()
	if label := p.label(); label[0] == '[' {
		text += label
	} else {
		text += "." + label
	}
	if p.length() {
		text = "len(" + text + ")"
	}
	return text
}

// label returns the path without args or results, and without a length.
func (p *Path) label() string {
	text := p.Name
	if text == "" {
		text = "[" + strconv.Itoa(p.Index) + "]"
	}
	for _, s := range p.Steps {
		switch s.Kind {
		case condition.Field:
			text += "." + s.Name
		case condition.Elem:
			text += "[" + strconv.Itoa(s.Index) + "]"
		}
	}
	return text
}

// length reports whether the path is to a length.
func (p *Path) length() bool {
	n := len(p.Steps)
	return n > 0 && p.Steps[n-1].Kind == condition.Len
}

// of returns the names of the arguments or results of a function.
func (p *Path) of(f *tracefile.Func) []string {
	if p.Root == condition.Result {
		return f.Results
	}
	return f.Args
}

// index returns which of a function's arguments or results the path begins with, -1 if it has none.
func (p *Path) index(f *tracefile.Func) int {
	names := p.of(f)
	if p.Name != "" {
		return slices.Index(names, p.Name)
	}
	if p.Index < len(names) {
		return p.Index
	}
	return -1
}

// errUnreached says that a path ends early: at nil, or behind the last element.
var errUnreached = errors.New("not there")

// Find finds the value in what was recorded of a call's arguments or results. It reports false if the
// path ends before it reaches the value.
func (p *Path) Find(file *tracefile.File, site uint32, data []byte) (v value.Value, ok bool) {
	f, _ := file.Func(site)
	list, _ := value.Decode(data, file.Type)
	v, err := p.find(list, p.index(&f))
	return v, err == nil
}

// In reports whether the function has the value.
func (p *Path) In(f *tracefile.Func) bool { return p.index(f) >= 0 }

// Result reports whether the value is known where a call ends.
func (p *Path) Result() bool { return p.Root == condition.Result }

// find finds the value in a list of values, at index i.
func (p *Path) find(list []value.Value, i int) (value.Value, error) {
	if i < 0 || i >= len(list) {
		return value.Value{}, errUnreached
	}
	v := list[i]
	for _, s := range p.Steps {
		if s.Kind == condition.Len {
			return length(v)
		}
		var err error
		if s.Kind == condition.Deref || v.State == value.Known && v.Type.Kind == reflect.Pointer {
			if v, err = p.target(v); err != nil {
				return v, err
			}
		}
		if v.State == value.Nil {
			return v, errUnreached
		}
		if v.State != value.Known {
			break
		}
		switch s.Kind {
		case condition.Field:
			v, err = field(v, s.Name)
		case condition.Elem:
			v, err = p.element(v, s.Index)
		}
		if err != nil {
			return v, err
		}
	}
	if v.State == value.Unread {
		return v, errUnreached
	}
	return v, nil
}

// target returns what a pointer leads to.
func (p *Path) target(v value.Value) (value.Value, error) {
	switch {
	case len(v.Elems) == 1 && v.Type.Kind == reflect.Pointer:
		return v.Elems[0], nil
	case v.State != value.Known || v.IsNil:
		return v, errUnreached
	case v.Type.Kind != reflect.Pointer:
		return v, fmt.Errorf("%s: there is %s, no pointer", p, v.Type.Name)
	}
	return v, fmt.Errorf("%s was not recorded: record with a greater --arg-depth", p)
}

// field returns a field of a struct, or of a struct that is embedded in it.
func field(v value.Value, name string) (value.Value, error) {
	if v.Type.Kind != reflect.Struct {
		return v, fmt.Errorf("%s has no field %s", v.Type.Name, name)
	}
	for level := []value.Value{v}; len(level) > 0; {
		var below []value.Value
		for _, s := range level {
			for i := range s.Elems {
				f, e := s.Type.Fields[i].Name, s.Elems[i]
				if f == name {
					return e, nil
				}
				if e.Type.Kind == reflect.Pointer && len(e.Elems) == 1 {
					e = e.Elems[0]
				}
				if e.Type.Kind == reflect.Struct && f == lastName(e.Type.Name) { // as embedded ones are named
					below = append(below, e)
				}
			}
		}
		level = below
	}
	var names []string
	for _, f := range v.Type.Fields {
		names = append(names, f.Name)
	}
	if slices.Contains(names, name) {
		return v, fmt.Errorf("field %s of %s was not recorded: record with greater --arg-depth and --arg-bytes", name, v.Type.Name)
	}
	return v, fmt.Errorf("%s has no field %s: there are %s", v.Type.Name, name, strings.Join(names, ", "))
}

// element returns an element of a slice or array.
func (p *Path) element(v value.Value, i int) (value.Value, error) {
	switch {
	case v.Type.Kind != reflect.Slice && v.Type.Kind != reflect.Array:
		return v, fmt.Errorf("%s has no elements that can be asked for", v.Type.Name)
	case i < len(v.Elems):
		return v.Elems[i], nil
	case i < len(v.Bytes):
		return number(uint64(v.Bytes[i])), nil
	case i >= v.Len:
		return v, errUnreached
	}
	return v, fmt.Errorf("%s was not recorded: record with greater --arg-depth and --arg-bytes", p)
}

// length returns the length of a value. A masked one stays so.
func length(v value.Value) (value.Value, error) {
	if v.State == value.Masked {
		return v, nil
	}
	if v.Type.Kind == reflect.Pointer && len(v.Elems) == 1 && v.Elems[0].Type.Kind == reflect.Array {
		v = v.Elems[0]
	}
	switch v.Type.Kind {
	case reflect.String, reflect.Slice, reflect.Array, reflect.Map, reflect.Chan:
	default:
		return v, fmt.Errorf("%s has no length", v.Type.Name)
	}
	if v.State != value.Known || v.Len < 0 {
		return v, errUnreached
	}
	return number(uint64(v.Len)), nil
}

// number returns an integer.
func number(n uint64) value.Value {
	return value.Value{Type: value.Type{Kind: reflect.Int, Name: "int"}, Bits: n}
}

// unread rejects a call where it is read.
var unread any = condition.Unread{}

// leaf returns what a condition reads: a value of this program.
func (p *Path) leaf(v value.Value) any {
	switch {
	case v.State == value.Masked:
		return rt.Masked{}
	case v.State == value.Nil:
		return nil
	case v.State == value.Unread:
		return unread
	case p.nilOnly, nilable[v.Type.Kind]:
		if v.IsNil {
			return (*struct{})(nil)
		}
		return new(struct{})
	case v.State == value.Text:
		return unread
	}
	return plain(&v)
}

// nilable are the kinds of values that conditions compare with nil only. Structs and arrays have no
// other use: conditions name parts of them.
var nilable = map[reflect.Kind]bool{
	reflect.Invalid: true, reflect.Pointer: true, reflect.UnsafePointer: true, reflect.Map: true, reflect.Chan: true,
	reflect.Func: true, reflect.Slice: true, reflect.Interface: true, reflect.Struct: true, reflect.Array: true,
}

// plain returns a number, a string or a truth value.
func plain(v *value.Value) any {
	switch v.Type.Kind {
	case reflect.Bool:
		return v.Bits != 0
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return int64(v.Bits)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return v.Bits
	case reflect.Float32:
		return math.Float32frombits(uint32(v.Bits))
	case reflect.Float64:
		return math.Float64frombits(v.Bits)
	case reflect.String:
		if v.Cut() != 0 {
			return v.Text + "…" // equal to no string that is whole
		}
		return v.Text
	}
	return complex(math.Float64frombits(v.Bits), math.Float64frombits(v.Imag)) // which can't be compared
}
