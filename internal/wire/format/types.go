package format

import (
	"encoding/binary"
	"fmt"
)

// A TypeKind is a type's kind, numbered as in package reflect.
type TypeKind uint8

// Kinds of types. Function is a function, not a type: what a function value leads to.
const (
	KindInvalid TypeKind = iota
	KindBool
	KindInt
	KindInt8
	KindInt16
	KindInt32
	KindInt64
	KindUint
	KindUint8
	KindUint16
	KindUint32
	KindUint64
	KindUintptr
	KindFloat32
	KindFloat64
	KindComplex64
	KindComplex128
	KindArray
	KindChan
	KindFunc
	KindInterface
	KindMap
	KindPointer
	KindSlice
	KindString
	KindStruct
	KindUnsafePointer

	KindFunction TypeKind = 64
)

// Ids of types that no Types block describes. Those of predeclared types are their kinds.
const (
	TypeNil    = 0  // nil in an interface
	TypeMasked = 27 // the value looked secret
	TypeUnread = 28 // the value could not be read
	TypeText   = 29 // a type's id and a string: the value as text

	// FirstType is the first id that a program gives.
	FirstType = 64
)

// A Type describes the values of a type.
type Type struct {
	ID      uint32
	Kind    TypeKind
	Name    string // as fmt's %T prints it; of a KindFunction, the function's name
	Package string // import path; empty if the type has no name or is predeclared
	Len     int    // of arrays
	Elem    uint32 // id of the type of an array's elements
	Fields  []Field
}

// A Field is a field of a struct.
type Field struct {
	Name   string
	Type   uint32 // id
	Masked bool   // its value was not recorded: it looked secret
}

var predeclared = [...]string{
	KindBool: "bool", KindInt: "int", KindInt8: "int8", KindInt16: "int16", KindInt32: "int32", KindInt64: "int64",
	KindUint: "uint", KindUint8: "uint8", KindUint16: "uint16", KindUint32: "uint32", KindUint64: "uint64", KindUintptr: "uintptr",
	KindFloat32: "float32", KindFloat64: "float64", KindComplex64: "complex64", KindComplex128: "complex128",
	KindString: "string", KindUnsafePointer: "unsafe.Pointer",
}

// Predeclared returns the predeclared type with the given id, and reports whether there is one.
func Predeclared(id uint32) (Type, bool) {
	if id >= uint32(len(predeclared)) || predeclared[id] == "" {
		return Type{}, false
	}
	return Type{ID: id, Kind: TypeKind(id), Name: predeclared[id]}, true
}

// AppendType appends t as Types blocks and the arena hold it. It appends nothing if t takes more
// than 64 KB.
func AppendType(dst []byte, t *Type) []byte {
	start := len(dst)
	dst = append(dst, 0, 0)
	dst = binary.AppendUvarint(dst, uint64(t.ID))
	dst = append(dst, byte(t.Kind))
	dst = appendString(appendString(dst, t.Name), t.Package)
	switch t.Kind {
	case KindArray:
		dst = binary.AppendUvarint(dst, uint64(t.Len))
		dst = binary.AppendUvarint(dst, uint64(t.Elem))
	case KindStruct:
		dst = binary.AppendUvarint(dst, uint64(len(t.Fields)))
		for _, f := range t.Fields {
			dst = appendString(dst, f.Name)
			dst = binary.AppendUvarint(dst, uint64(f.Type))
			masked := byte(0)
			if f.Masked {
				masked = 1
			}
			dst = append(dst, masked)
		}
	}
	size := len(dst) - start - 2
	if size >= 1<<16 {
		return dst[:start]
	}
	binary.LittleEndian.PutUint16(dst[start:], uint16(size))
	return dst
}

// ParseTypes reads the payload of a Types block, or what a chunk of types holds.
// What comes before an error is whole.
func ParseTypes(payload []byte) ([]Type, error) {
	var types []Type
	for rest := payload; len(rest) > 0; {
		size := 1 << 16
		if len(rest) >= 2 {
			size = int(binary.LittleEndian.Uint16(rest))
		}
		if size > len(rest)-2 {
			return types, fmt.Errorf("type of %d bytes at byte %d of %d: %w", size, len(payload)-len(rest), len(payload), ErrDamaged)
		}
		t, err := parseType(rest[2 : 2+size])
		if err != nil {
			return types, err
		}
		types = append(types, t)
		rest = rest[2+size:]
	}
	return types, nil
}

func parseType(b []byte) (Type, error) {
	c := cursor{b: b}
	id := c.uvarint()
	t := Type{ID: uint32(id), Kind: TypeKind(c.byte()), Name: c.string(), Package: c.string()}
	if id < FirstType || id >= 1<<32 {
		c.fail(fmt.Sprintf("bad type id %d", id))
	}
	switch t.Kind {
	case KindArray:
		t.Len = int(c.uvarint() & (1<<62 - 1))
		t.Elem = c.typeID(t.ID)
	case KindStruct:
		t.Fields = make([]Field, 0, c.count(3))
		for i := cap(t.Fields); i > 0 && c.err == nil; i-- {
			t.Fields = append(t.Fields, Field{c.string(), c.typeID(t.ID), c.byte() != 0})
		}
	}
	return t, c.err
}

// typeID reads the id of a type that the values of type outer hold by value. It was
// described before: so no type can contain itself.
func (c *cursor) typeID(outer uint32) uint32 {
	id := c.uvarint()
	if id >= uint64(outer) {
		c.fail(fmt.Sprintf("type %d holds type %d, which comes after it", outer, id))
	}
	return uint32(id)
}
