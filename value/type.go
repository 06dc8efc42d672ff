package value

import (
	"reflect"

	"github.com/waymark-go/waymark/internal/wire/format"
)

// A Type describes the values of a type.
type Type struct {
	ID      uint32       // within the recording
	Elem    uint32       // id of the type of an array's elements
	Kind    reflect.Kind // or Function
	Name    string       // as fmt's %T prints it; of a Function, the function's name
	Package string       // import path; empty if the type has no name or is predeclared
	Len     int          // of arrays
	Fields  []Field
}

// Function is the Kind of a function, not of a type: what a value of kind reflect.Func leads to.
const Function reflect.Kind = 64

var _ = [1]bool{}[Function-reflect.Kind(format.KindFunction)] // they are the same

// A Field is a field of a struct.
type Field struct {
	Name   string
	Type   uint32 // id
	Masked bool   // its value was not recorded: it looked secret
}

// ParseTypes reads descriptions of types, as recordings have them. Those before an error are returned with it.
func ParseTypes(b []byte) ([]Type, error) {
	types, err := format.ParseTypes(b)
	list := make([]Type, len(types))
	for i := range types {
		t := &types[i]
		list[i] = Type{ID: t.ID, Kind: reflect.Kind(t.Kind), Name: t.Name, Package: t.Package, Len: t.Len, Elem: t.Elem}
		if t.Fields != nil {
			list[i].Fields = make([]Field, len(t.Fields))
			for j, f := range t.Fields {
				list[i].Fields[j] = Field(f)
			}
		}
	}
	return list, err
}

// predeclared are the predeclared types, by id.
var predeclared = func() (list [format.FirstType]Type) {
	for id := range list {
		if t, ok := format.Predeclared(uint32(id)); ok {
			list[id] = Type{ID: t.ID, Kind: reflect.Kind(t.Kind), Name: t.Name}
		}
	}
	return list
}()

// Predeclared returns the predeclared type with the given id, and reports whether there is one. All
// recordings know these types.
func Predeclared(id uint32) (Type, bool) {
	if id >= uint32(len(predeclared)) || predeclared[id].Name == "" {
		return Type{}, false
	}
	return predeclared[id], true
}
