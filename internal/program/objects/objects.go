// Package objects names the heap objects that package runtime counts, and adds them up by type.
package objects

import (
	"reflect"
	"strconv"
	"unsafe"

	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// Names of what has no type.
const (
	Untyped = "untyped" // memory without one
	Other   = "(other)" // objects for which the tables of the program had no room
)

// Name returns the name of an object's type, with import paths, and the import path of the type's
// package. The path is empty if the type has no name or no package.
func Name(o *rt.Object) (name, pkg string) {
	switch {
	case o.Other:
		return Other, ""
	case o.Type == nil:
		return Untyped, ""
	}
	t := typeAt(o.Type)
	if name := boxed[t.String()]; name != "" {
		return name, ""
	}
	return typeName(t), t.PkgPath()
}

// Counts are numbers of objects by type, but for those that waymark made.
type Counts map[rt.Object]format.TypeCount // by what Name reads; without names

// Read adds up what a function such as rt.ObjectCounts tells.
func Read(each func(func(rt.Object))) Counts {
	c := make(Counts)
	each(func(o rt.Object) {
		if o.Own {
			return
		}
		key := rt.Object{Type: o.Type, Other: o.Other}
		n := c[key]
		c[key] = format.TypeCount{Objects: n.Objects + o.Objects, Bytes: n.Bytes + o.Bytes}
	})
	return c
}

// Since returns what was added after older counts, with names, in no order. Types that have one name
// are one.
func (c Counts) Since(older Counts) []format.TypeCount {
	index := make(map[[2]string]int)
	var list []format.TypeCount
	for key, n := range c {
		if n.Objects == older[key].Objects {
			continue
		}
		name, pkg := Name(&key)
		at, ok := index[[2]string{name, pkg}]
		if !ok {
			at = len(list)
			index[[2]string{name, pkg}] = at
			list = append(list, format.TypeCount{Type: name, Package: pkg})
		}
		list[at].Objects += n.Objects - older[key].Objects
		list[at].Bytes += n.Bytes - older[key].Bytes
	}
	return list
}

// typeAt returns the type whose description lies at p.
func typeAt(p unsafe.Pointer) reflect.Type {
	// Of an interface TypeOf reads the first word only.
	words := [2]unsafe.Pointer{p, nil}
	return reflect.TypeOf(*(*any)(unsafe.Pointer(&words)))
}

// boxed are names for types of package runtime. An interface holds all values of a size, or kind,
// as one such type. It is the same for an int, say, and a float64.
var boxed = map[string]string{
	"runtime.uint16InterfacePtr": "2 bytes in an interface",
	"runtime.uint32InterfacePtr": "4 bytes in an interface",
	"runtime.uint64InterfacePtr": "8 bytes in an interface",
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
