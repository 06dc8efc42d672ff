package condition

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"unsafe"

	valuetext "github.com/waymark-go/waymark/internal/program/text"
)

// index returns the index of the argument or result that in reads.
func (b *binder) index(in *Instruction) (int, error) {
	if in.Name == "" {
		return in.Index, nil
	}
	for i, name := range b.shape.Names {
		if name == in.Name {
			return i, nil
		}
	}
	what := in.Root.String()
	if b.shape.Line {
		what = "variable"
	}
	return 0, fmt.Errorf("there is no %s %s: %s", what, in.Name, b.shape.list())
}

func (r Root) String() string {
	if r == Arg {
		return "argument"
	}
	return "result"
}

// Flag returns how conditions and flags name the values: args or results.
func (r Root) Flag() string {
	if r == Arg {
		return "args"
	}
	return "results"
}

// list returns the names and types that there are.
func (s *Shape) list() string {
	var list []string
	for i, t := range s.Types {
		text := fmt.Sprintf("[%d]", i)
		if i < len(s.Names) && s.Names[i] != "" && s.Names[i] != "_" {
			text = s.Names[i]
		}
		switch {
		case t == nil:
			text += " nil"
		case t == masked:
			text += " (masked)"
		case t == anyType: // it has another one
		case s.Places:
			text += " " + t.Elem().String()
		default:
			text += " " + t.String()
		}
		list = append(list, text)
	}
	if list == nil && s.Line {
		return "there are none"
	}
	if list == nil {
		return "there are none (waymark build --args --results makes them known)"
	}
	return "there are " + strings.Join(list, ", ")
}

// root goes to the value of that index.
func (b *binder) root(i int) {
	t := b.shape.Types[i]
	o := op{code: opRoot, arg: uint8(i)}
	switch {
	case t == nil:
		o.value = 1
	case b.shape.Places:
		o.ref, o.offset = word(t), sizeOf(t.Elem())
	case inWord(t):
		o.ref, o.value = word(t), 1
	default:
		o.ref, o.offset = word(t), sizeOf(t)
		if t.PkgPath() == "" && t.Kind() >= reflect.Int && t.Kind() <= reflect.Uintptr {
			o.kind = uint8(t.Kind())
		}
	}
	b.add(o)
}

// sizeOf returns the size of a type's values, bytes, at most what an op holds.
func sizeOf(t reflect.Type) uint32 { return uint32(min(t.Size(), math.MaxUint32)) }

// word returns the word that interfaces have for the type.
func word(t reflect.Type) unsafe.Pointer {
	var i any = t
	return (*eface)(unsafe.Pointer(&i)).data
}

// inWord reports whether an interface with such a value holds it, and not a pointer to it.
func inWord(t reflect.Type) bool {
	zero := reflect.Zero(t).Interface()
	return (*eface)(unsafe.Pointer(&zero)).data == nil
}

// A path is a way to a value.
type path struct {
	typ    reflect.Type
	offset uintptr
	what   string
}

// value goes to a value and pushes it. nilOnly: it is compared with nil.
func (b *binder) value(in *Instruction, nilOnly bool) error {
	if b.shape.Absent {
		b.add(op{code: opFail})
		b.push(operand{kind: ofAbsent, what: in.what()})
		return nil
	}
	i, err := b.index(in)
	if err != nil {
		return err
	}
	if i >= len(b.shape.Types) || i > math.MaxUint8 {
		return fmt.Errorf("there is no %s %d: %s", in.Root, i, b.shape.list())
	}
	p := path{typ: b.shape.Types[i], what: in.what()}
	b.root(i)
	switch {
	case p.typ == nil && len(in.Steps) > 0:
		b.add(op{code: opFail})
		return fmt.Errorf("%s is nil", p.what)
	case p.typ == nil:
		b.add(op{code: opConst})
		b.push(operand{kind: ofWord, what: p.what})
		return nil
	case p.typ == unread:
		b.add(op{code: opFail})
		b.push(operand{kind: ofAbsent, what: p.what})
		return nil
	case i < len(b.shape.Names) && b.secret(b.shape.Names[i]), p.typ == masked,
		b.shape.Places && p.typ.Elem() == masked:
		return hiddenf("%s is masked: its name looks like a secret's", p.what)
	case b.shape.early && p.typ.Kind() == reflect.Interface:
		b.push(operand{kind: ofAny, what: p.what})
		return nil
	case b.shape.Places:
		p.typ = p.typ.Elem()
	}
	if err := b.hidden(&p); err != nil {
		return err
	}
	if nilOnly && len(in.Steps) == 0 && !b.shape.early && !b.shape.Places && loads[p.typ.Kind()].kind != ofWord {
		b.add(op{code: opConst, value: 1}) // it may be in an interface, which is not nil then
		b.push(operand{kind: ofWord, what: p.what})
		return nil
	}
	for _, s := range in.Steps {
		if s.Kind == Len {
			return b.length(p)
		}
		if err := b.step(&p, s); err != nil {
			return err
		}
		if err := b.hidden(&p); err != nil {
			return err
		}
	}
	return b.load(p)
}

// what returns how errors name the argument or result.
func (in *Instruction) what() string {
	switch root := in.Root.Flag(); {
	case in.Name == "":
		return fmt.Sprintf("%s[%d]", root, in.Index)
	case in.Name[0] == '[': // of a recording, see package recorded of the command
		return root + in.Name
	default:
		return root + "." + in.Name
	}
}

func (b *binder) step(p *path, s Step) error {
	if s.Kind != Deref {
		if err := b.follow(p); err != nil {
			return err
		}
	}
	switch s.Kind {
	case Deref:
		if p.typ.Kind() != reflect.Pointer {
			return fmt.Errorf("%s is %s, no pointer", p.what, p.typ)
		}
		p.what = "*" + p.what
		b.deref(p)
	case Field:
		return b.field(p, s.Name)
	case Elem:
		return b.elem(p, s.Index)
	}
	return nil
}

// follow follows the pointer p, if it is one.
func (b *binder) follow(p *path) error {
	if p.typ.Kind() == reflect.Pointer {
		b.deref(p)
	}
	if p.offset > math.MaxInt32 {
		return fmt.Errorf("%s is too far in its value", p.what)
	}
	return nil
}

// deref follows the pointer p.
func (b *binder) deref(p *path) {
	p.typ = p.typ.Elem()
	b.add(op{code: opDeref, offset: uint32(p.offset), value: uint64(p.typ.Size())})
	p.offset = 0
}

func (b *binder) field(p *path, name string) error {
	if p.typ.Kind() != reflect.Struct {
		if p.typ.Kind() == reflect.Interface {
			return fmt.Errorf("%s is an interface, %s: it has no field %s, only nil can be asked for", p.what, p.typ, name)
		}
		return fmt.Errorf("%s is %s, and has no field %s", p.what, p.typ, name)
	}
	f, ok := p.typ.FieldByName(name)
	if !ok {
		return fmt.Errorf("%s is %s, and has no field %s%s", p.what, p.typ, name, fieldsOf(p.typ))
	}
	for _, i := range f.Index { // through embedded structs and pointers to them
		if err := b.follow(p); err != nil {
			return err
		}
		f := p.typ.Field(i)
		if b.secret(f.Name) {
			return hiddenf("%s.%s is masked: its name looks like a secret's", p.what, f.Name)
		}
		p.typ, p.offset = f.Type, p.offset+f.Offset
		if err := b.hidden(p); err != nil {
			return err
		}
	}
	p.what += "." + name
	return nil
}

// hidden returns an error if values of p's type aren't to be seen.
func (b *binder) hidden(p *path) error {
	t := p.typ
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if b.shape.Secret != nil && valuetext.TypeHidden(t) {
		return hiddenf("%s is masked: it is a %s, whose values are secrets", p.what, t)
	}
	return nil
}

func (b *binder) secret(name string) bool { return b.shape.Secret != nil && b.shape.Secret(name) }

func fieldsOf(t reflect.Type) string {
	var list []string
	for i := 0; i < t.NumField(); i++ {
		list = append(list, t.Field(i).Name)
	}
	if list == nil {
		return ""
	}
	return ": there are " + strings.Join(list, ", ")
}

func (b *binder) elem(p *path, i int) error {
	switch p.typ.Kind() {
	case reflect.Array:
		if i >= p.typ.Len() {
			return fmt.Errorf("%s has %d elements, none at %d", p.what, p.typ.Len(), i)
		}
		p.typ = p.typ.Elem()
		p.offset += uintptr(i) * p.typ.Size()
	case reflect.Slice:
		p.typ = p.typ.Elem()
		if p.typ.Size() > math.MaxUint32 {
			return fmt.Errorf("elements of %s are too large", p.what)
		}
		b.add(op{code: opElem, offset: uint32(p.offset), value: uint64(i)<<32 | uint64(p.typ.Size())})
		p.offset = 0
	default:
		return fmt.Errorf("%s is %s: elements can be asked for of slices and arrays", p.what, p.typ)
	}
	p.what += fmt.Sprintf("[%d]", i)
	return nil
}
