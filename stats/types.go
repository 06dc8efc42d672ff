package stats

import (
	"reflect"
	"strconv"
	"unsafe"
)

// typeAt returns the type whose description lies at p.
func typeAt(p unsafe.Pointer) reflect.Type {
	// Of an interface TypeOf reads the first word only.
	words := [2]unsafe.Pointer{p, nil}
	return reflect.TypeOf(*(*any)(unsafe.Pointer(&words)))
}

// boxed are names for types of package runtime: what it puts into an interface is of the same type
// whatever type of that kind the program has.
var boxed = map[string]string{
	"runtime.uint16InterfacePtr": "uint16 in an interface",
	"runtime.uint32InterfacePtr": "uint32 in an interface",
	"runtime.uint64InterfacePtr": "uint64 in an interface",
	"runtime.stringInterfacePtr": "string in an interface",
	"runtime.sliceInterfacePtr":  "slice in an interface",
}

// typeName returns the name of a type with import paths, as functions have them, where Type.String has
// names of packages.
func typeName(t reflect.Type) string {
	if t.Name() != "" {
		if pkg := t.PkgPath(); pkg != "" {
			return pkg + "." + t.Name()
		}
		return t.Name()
	}
	switch t.Kind() {
	case reflect.Pointer:
		return "*" + typeName(t.Elem())
	case reflect.Slice:
		return "[]" + typeName(t.Elem())
	case reflect.Array:
		return "[" + strconv.Itoa(t.Len()) + "]" + typeName(t.Elem())
	case reflect.Map:
		return "map[" + typeName(t.Key()) + "]" + typeName(t.Elem())
	}
	return t.String()
}
