package objects

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/wire/format"
)

type thing struct{ _, _ int }

// at returns where the type of a value is described.
func at(v any) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&v)) }

func TestName(t *testing.T) {
	const pkg = "github.com/waymark-go/waymark/internal/program/objects.thing"
	for _, test := range []struct {
		value any
		want  string
	}{
		{thing{}, pkg},
		{&thing{}, "*" + pkg},
		{[][2]*thing{}, "[][2]*" + pkg},
		{map[string][]thing{}, "map[string][]" + pkg},
		{func(int) {}, "func(int)"},
		{unsafe.Pointer(nil), "unsafe.Pointer"},
		{reflect.Zero(reflect.StructOf([]reflect.StructField{{Name: "A", Type: reflect.TypeOf(0)}})).Interface(), "struct { A int }"},
	} {
		if got, _ := Name(&rt.Object{Type: at(test.value)}); got != test.want {
			t.Errorf("%T is named %s, want %s", test.value, got, test.want)
		}
	}
	if _, got := Name(&rt.Object{Type: at(thing{})}); got+".thing" != pkg {
		t.Errorf("thing is of package %s", got)
	}
}

func TestCounts(t *testing.T) {
	list := []rt.Object{
		{Type: at(thing{}), Site: 1, Objects: 3, Bytes: 48},
		{Type: at(thing{}), Site: 2, Objects: 1, Bytes: 16},
		{Objects: 9, Bytes: 90},
		{Own: true, Objects: 1000, Bytes: 10000},
	}
	read := func() Counts {
		return Read(func(f func(rt.Object)) {
			for _, o := range list {
				f(o)
			}
		})
	}
	before := read()
	list[0].Objects, list[0].Bytes = 5, 80
	list[3].Objects = 2000
	list = append(list, rt.Object{Other: true, Objects: 7, Bytes: 70})
	got := read().Since(before)
	slices.SortFunc(got, func(a, b format.TypeCount) int { return strings.Compare(a.Type, b.Type) })
	const pkg = "github.com/waymark-go/waymark/internal/program/objects"
	want := []format.TypeCount{{Type: Other, Objects: 7, Bytes: 70}, {Type: pkg + ".thing", Package: pkg, Objects: 2, Bytes: 32}}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
