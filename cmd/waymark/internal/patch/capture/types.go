package capture

import (
	"debug/dwarf"
	"fmt"
	"regexp"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/image"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// A Type is a type of the program.
type Type struct {
	Kind    format.TypeKind
	Name    string // as fmt's %T prints it
	Package string // import path; empty if the type has no name or is predeclared
	Size    int    // bytes
	Len     int    // of an array
	Fields  []Field

	types  *Types
	elem   dwarf.Offset // 0: there is none
	key    dwarf.Offset // of a map
	made   dwarf.Offset // of a map: a pointer to what it is made as
	id     uint32       // in descriptions; 0: it has not been described
	secret uint8        // see hidden; 0: it isn't known yet
	shape  bool         // it stands for types of type parameters
	empty  bool         // of an interface: it has no methods, and its first word is a type
}

// A Field is a field of a struct.
type Field struct {
	Name   string
	Type   *Type
	Offset int
}

// Types are the types of a program.
type Types struct {
	image       *image.Image
	data        *dwarf.Data
	words       []string // nil: nothing is masked
	known       map[dwarf.Offset]*Type
	byRun       map[uint64]dwarf.Offset // by the address of what the runtime has of the type
	functionsAt map[uint64]dwarf.Offset // by entry; nil: not read yet
	functions   map[uint64]uint32       // ids of functions, by entry
	places      *locations              // nil: not read yet
	spanKey     uint64                  // what the runtime has of the type, see spanKey; 0: the program has no spans
	labeled     bool                    // goroutines may have labels of runtime/pprof
	next        uint32                  // id of the next type that is described

	// Describe is called with types before the first values that have their ids.
	Describe func(format.Type)
}

// Attributes of Go's compiler, see cmd/internal/dwarf.
const (
	attrKind    = dwarf.Attr(0x2900)
	attrKey     = dwarf.Attr(0x2901)
	attrElem    = dwarf.Attr(0x2902)
	attrRuntime = dwarf.Attr(0x2904)

	attrCaptured = dwarf.Attr(0x2907) // where a variable is that a function literal has from around it
)

// Elem returns the type of elements, or of what a pointer leads to; nil: it isn't known, as of a
// nil type.
func (t *Type) Elem() *Type {
	if t == nil || t.elem == 0 {
		return nil
	}
	e, err := t.types.at(t.elem)
	if err != nil {
		return nil
	}
	return e
}

// at returns the type whose entry is at an offset.
func (ts *Types) at(offset dwarf.Offset) (*Type, error) {
	if t := ts.known[offset]; t != nil {
		return t, nil
	}
	r := ts.data.Reader()
	r.Seek(offset)
	e, err := r.Next()
	if err != nil || e == nil {
		return nil, fmt.Errorf("no type at %#x: %v", offset, err)
	}
	t, err := ts.read(r, e)
	if err != nil {
		return nil, err
	}
	ts.known[offset] = t
	return t, nil
}

func (ts *Types) read(r *dwarf.Reader, e *dwarf.Entry) (*Type, error) {
	full, _ := e.Val(dwarf.AttrName).(string)
	kind, known := e.Val(attrKind).(int64)
	to, _ := e.Val(dwarf.AttrType).(dwarf.Offset)
	if e.Tag == dwarf.TagTypedef && !known { // a name for what follows
		return ts.at(to)
	}
	if e.Tag == dwarf.TagPointerType && !known { // the compiler says nothing of unsafe.Pointer
		kind = int64(format.KindUnsafePointer)
	} else if e.Tag == dwarf.TagPointerType && kind == 0 { // the linker has made it up
		kind = int64(format.KindPointer)
	}
	size, _ := e.Val(dwarf.AttrByteSize).(int64)
	t := &Type{Kind: format.TypeKind(kind), Size: int(size), types: ts, shape: strings.HasPrefix(full, shape)}
	t.Name, t.Package = nameOf(full)
	t.elem, _ = e.Val(attrElem).(dwarf.Offset)
	switch t.Kind {
	case format.KindStruct, format.KindArray:
		if t.Kind == format.KindArray {
			t.elem = to
		}
		return t, ts.parts(r, e, t)
	case format.KindPointer:
		t.Size, t.elem = word, to
	case format.KindMap:
		t.Size, t.made = word, to
		t.key, _ = e.Val(attrKey).(dwarf.Offset)
	case format.KindChan, format.KindFunc, format.KindUnsafePointer:
		t.Size = word
	case format.KindInterface:
		t.Size, t.empty = 2*word, ts.isEmpty(to)
	case format.KindInvalid:
		return nil, fmt.Errorf("type %s, of which the kind isn't known", full)
	}
	return t, nil
}

// Maskable calls f with each type whose values are masked if its name says so: with the import path
// of its package, and its name as fmt's %T prints it.
func (ts *Types) Maskable(f func(pkg, name string)) {
	r := ts.data.Reader()
	for {
		e, err := r.Next()
		if err != nil || e == nil {
			return
		}
		if e.Tag == dwarf.TagTypedef || e.Tag == dwarf.TagStructType {
			full, _ := e.Val(dwarf.AttrName).(string)
			if name, pkg := nameOf(full); pkg != "" && !strings.HasPrefix(full, shape) {
				if t, err := ts.at(e.Offset); err == nil && t.maskable() {
					f(pkg, name)
				}
			}
		}
		if e.Children && e.Tag != dwarf.TagCompileUnit {
			r.SkipChildren()
		}
	}
}

// parts reads the fields of a struct, or the length of an array.
func (ts *Types) parts(r *dwarf.Reader, e *dwarf.Entry, t *Type) error {
	if !e.Children {
		return nil
	}
	for {
		e, err := r.Next()
		if err != nil {
			return err
		}
		switch {
		case e == nil || e.Tag == 0:
			return nil
		case e.Tag == dwarf.TagSubrangeType:
			n, _ := e.Val(dwarf.AttrCount).(int64)
			t.Len = int(n)
		case e.Tag == dwarf.TagMember:
			of, _ := e.Val(dwarf.AttrType).(dwarf.Offset)
			at, _ := e.Val(dwarf.AttrDataMemberLoc).(int64)
			name, _ := e.Val(dwarf.AttrName).(string)
			f, err := ts.at(of)
			if err != nil {
				return err
			}
			t.Fields = append(t.Fields, Field{name, f, int(at)})
		}
		if e.Children {
			r.SkipChildren()
		}
	}
}

// word is the size of a pointer, bytes.
const word = 8

// isEmpty reports whether an interface type that is made as the type at an offset has no methods.
func (ts *Types) isEmpty(offset dwarf.Offset) bool {
	r := ts.data.Reader()
	for {
		r.Seek(offset)
		e, err := r.Next()
		if err != nil || e == nil {
			return false
		}
		name, _ := e.Val(dwarf.AttrName).(string)
		next, ok := e.Val(dwarf.AttrType).(dwarf.Offset)
		if name == "runtime.eface" || !ok || e.Tag != dwarf.TagTypedef {
			return name == "runtime.eface"
		}
		offset = next
	}
}

// path matches what stands before the last part of an import path in a name.
var path = regexp.MustCompile(`[\w.~%+-]+/`)

// shape is the package of type parameters' stand-ins.
const shape = "go.shape."

// nameOf returns a type's name as fmt's %T prints it, and the import path of its package, of the name that DWARF has.
func nameOf(full string) (name, pkg string) {
	full = strings.ReplaceAll(full, shape, "")
	plain := full
	if i := strings.IndexByte(plain, '['); i > 0 {
		plain = plain[:i]
	}
	if i := strings.LastIndexByte(plain, '.'); i > 0 && !strings.ContainsAny(plain, "*[]{}() ") {
		pkg = image.PackageOf(plain)
	}
	return path.ReplaceAllString(full, ""), pkg
}

// ID returns the type's id in descriptions, which it has described by then.
func (t *Type) ID() uint32 {
	if p, ok := format.Predeclared(uint32(t.Kind)); ok && p.Name == t.Name {
		return p.ID
	}
	if t.id > 0 {
		return t.id
	}
	d := format.Type{Kind: t.Kind, Name: t.Name, Package: t.Package, Len: t.Len}
	switch {
	case t.hidden(): // as programs of waymark describe it
		d.Kind, d.Len = format.KindStruct, 0
		d.Fields = []format.Field{{Name: "***", Type: uint32(format.KindBool), Masked: true}}
	case t.Kind == format.KindArray:
		if e := t.Elem(); e != nil {
			d.Elem = e.ID()
		}
	case t.Kind == format.KindStruct:
		for _, f := range t.Fields {
			d.Fields = append(d.Fields, format.Field{Name: f.Name, Type: f.Type.ID(), Masked: t.types.masked(&f)})
		}
	}
	t.id = t.types.newID()
	d.ID = t.id
	t.types.Describe(d)
	return t.id
}

func (ts *Types) newID() uint32 {
	ts.next = max(ts.next, format.FirstType)
	ts.next++
	return ts.next - 1
}
