package format

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

func TestTypesRoundTrip(t *testing.T) {
	types := []Type{
		{ID: 64, Kind: KindStruct, Name: "p.T", Package: "example.com/p", Fields: []Field{{"A", 2, false}, {"Token", 24, true}}},
		{ID: 65, Kind: KindArray, Name: "[3]p.T", Len: 3, Elem: 64},
		{ID: 66, Kind: KindStruct, Name: "struct {}", Fields: []Field{}},
		{ID: 1 << 20, Kind: KindFunction, Name: "main.main.func1"},
		{ID: 1<<32 - 1, Kind: KindMap, Name: "map[string]int"},
	}
	var b []byte
	for i := range types {
		b = AppendType(b, &types[i])
	}
	got, err := ParseTypes(b)
	if err != nil || !reflect.DeepEqual(got, types) {
		t.Errorf("%+v, %v", got, err)
	}
	for n := range b { // what was cut off is missing, the rest is there
		got, err := ParseTypes(b[:n])
		if len(got) == len(types) || len(got) > 0 && !reflect.DeepEqual(got, types[:len(got)]) || err != nil && !errors.Is(err, ErrDamaged) {
			t.Errorf("cut after %d bytes: %+v, %v", n, got, err)
		}
	}
	if long := AppendType([]byte("x"), &Type{ID: 64, Kind: KindMap, Name: strings.Repeat("n", 1<<16)}); string(long) != "x" {
		t.Errorf("a type of 64 KB was written: %d bytes", len(long))
	}
	for _, bad := range []Type{
		{ID: 63, Kind: KindMap},
		{ID: 64, Kind: KindArray, Elem: 64},
		{ID: 64, Kind: KindStruct, Fields: []Field{{"next", 65, false}}},
	} {
		if _, err := ParseTypes(AppendType(nil, &bad)); !errors.Is(err, ErrDamaged) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}

func TestPredeclaredTypes(t *testing.T) {
	for _, v := range []any{false, 1, int8(1), int16(1), int32(1), int64(1), uint(1), uint8(1), uint16(1), uint32(1), uint64(1), uintptr(1),
		float32(1), 1.0, complex64(1), complex(1, 1), ""} {
		typ := reflect.TypeOf(v)
		got, ok := Predeclared(uint32(typ.Kind()))
		if want := (Type{ID: uint32(typ.Kind()), Kind: TypeKind(typ.Kind()), Name: typ.String()}); !ok || !reflect.DeepEqual(got, want) {
			t.Errorf("%v: %+v", typ, got)
		}
	}
	for _, id := range []uint32{TypeNil, TypeMasked, TypeUnread, TypeText, FirstType, uint32(KindStruct), 1 << 31} {
		if got, ok := Predeclared(id); ok {
			t.Errorf("id %d: %+v", id, got)
		}
	}
}

func FuzzParseTypes(f *testing.F) {
	f.Add(AppendType(AppendType(nil, &Type{ID: 64, Kind: KindStruct, Name: "T", Fields: []Field{{"A", 2, true}}}), &Type{ID: 65, Kind: KindArray, Len: 3, Elem: 64}))
	f.Fuzz(func(t *testing.T, b []byte) {
		types, err := ParseTypes(b)
		if err != nil && !errors.Is(err, ErrDamaged) {
			t.Error(err)
		}
		fields := len(types)
		for _, typ := range types {
			fields += len(typ.Fields)
		}
		if fields > len(b) {
			t.Errorf("%d types and fields out of %d bytes", fields, len(b))
		}
	})
}
