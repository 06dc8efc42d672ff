package testtrace

import (
	"reflect"
	"testing"
	"time"

	"github.com/waymark-go/waymark/value"
)

// What differs from run to run, or isn't known of one of them, is no difference; all else is.
func TestAlike(t *testing.T) {
	typ := func(kind reflect.Kind, pkg, name string) value.Type {
		return value.Type{Kind: kind, Package: pkg, Name: name}
	}
	number := func(n int) value.Value { return value.Value{Type: typ(reflect.Int, "", "int"), Bits: uint64(n)} }
	text := func(s string, size int) value.Value {
		return value.Value{Type: typ(reflect.String, "", "string"), Text: s, Len: size}
	}
	moment := func(wall, ext int) value.Value {
		return value.Value{Type: typ(reflect.Struct, "time", "time.Time"), Elems: []value.Value{{Bits: uint64(wall)}, {Bits: uint64(ext)}}}
	}
	duration := func(d time.Duration) value.Value {
		return value.Value{Type: typ(reflect.Int64, "time", "time.Duration"), Bits: uint64(d)}
	}
	pointer := func(a uint64, to ...value.Value) value.Value {
		return value.Value{Type: typ(reflect.Pointer, "", "*p.T"), Bits: a, Elems: to}
	}
	object := func(fields ...value.Value) value.Value {
		return value.Value{Type: typ(reflect.Struct, "p", "p.T"), Elems: fields}
	}
	list := func(size int, elems ...value.Value) value.Value {
		return value.Value{Type: typ(reflect.Slice, "", "[]int"), Len: size, Elems: elems}
	}
	dict := func(size int, entries ...value.Value) value.Value {
		return value.Value{Type: typ(reflect.Map, "", "map[string]int"), Len: size, Elems: entries}
	}
	masked, unread, null := value.Value{State: value.Masked}, value.Value{State: value.Unread}, value.Value{State: value.Nil}
	said := func(s string) value.Value {
		return value.Value{State: value.Text, Type: typ(reflect.Pointer, "", "*p.E"), Text: s, Len: len(s)}
	}
	for _, tt := range []struct {
		what  string
		a, b  value.Value
		alike bool
	}{
		{"numbers", number(1), number(1), true},
		{"numbers", number(1), number(2), false},
		{"types", number(1), text("1", 1), false},
		{"secrets", masked, number(2), true},
		{"memory that can't be read", number(1), unread, true},
		{"nil", null, null, true},
		{"an error that is nil in one run", null, said("gone"), false},
		{"texts of methods", said("gone"), said("here"), false},
		{"the text of a method on one side", said("gone"), pointer(1), true},
		{"points of time", moment(1, 2), moment(3, 4), true},
		{"the zero time", moment(0, 0), moment(3, 4), false},
		{"durations that were written", duration(time.Second), duration(50 * time.Millisecond), false},
		{"durations that were measured", duration(101_123_457), duration(99_876_543), true},
		{"no duration", duration(0), duration(99_876_543), false},
		{"addresses", pointer(0xc000010000), pointer(0xc000020000), true},
		{"a nil pointer", pointer(0), pointer(0xc000020000), false},
		{"what pointers point to", pointer(1, number(1)), pointer(1, number(2)), false},
		{"what a pointer points to, not recorded in one run", pointer(1, number(1)), pointer(1), true},
		{"times in a struct", object(number(1), moment(1, 2)), object(number(1), moment(3, 4)), true},
		{"a number beside times", object(number(1), moment(1, 2)), object(number(2), moment(3, 4)), false},
		{"a struct that was cut", object(number(1), number(2)), object(number(1)), true},
		{"strings", text("a", 1), text("b", 1), false},
		{"a string with an address", text("at 0xc000010000", 15), text("at 0xc000020000", 15), true},
		{"strings that were cut alike", text("abc", 9), text("ab", 9), true},
		{"strings that were cut, of other lengths", text("abc", 9), text("abc", 8), false},
		{"slices", list(2, number(1), number(2)), list(2, number(1), number(3)), false},
		{"slices that were cut", list(9, number(1), number(2)), list(9, number(1)), true},
		{"lengths of slices", list(9, number(1)), list(8, number(1)), false},
		{"maps in another order", dict(2, text("a", 1), number(1), text("b", 1), number(2)), dict(2, text("b", 1), number(2), text("a", 1), number(1)), true},
		{"values of maps", dict(1, text("a", 1), number(1)), dict(1, text("a", 1), number(2)), false},
		{"maps that were cut", dict(3, text("a", 1), number(1)), dict(3, text("b", 1), number(2)), true},
	} {
		for _, pair := range [][2]value.Value{{tt.a, tt.b}, {tt.b, tt.a}} {
			if got := alike(pair[:1], pair[1:]); got != tt.alike {
				t.Errorf("%s: %v and %v alike: %t, want %t", tt.what, tt.a, tt.b, got, tt.alike)
			}
		}
	}
	if !alike([]value.Value{number(1), number(2)}, []value.Value{number(1)}) {
		t.Error("a value that one list lacks is a difference")
	}
}
