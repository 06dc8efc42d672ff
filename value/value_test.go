package value

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"reflect"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/waymark-go/waymark/internal/wire/format"
)

func decode(t *testing.T, list ...any) []Value {
	t.Helper()
	data, types := encode(list...)
	values, err := Decode(data, types)
	if err != nil || len(values) != len(list) {
		t.Fatalf("%d values, %v; want %d, no error", len(values), err, len(list))
	}
	return values
}

type point struct{ X, Y int }
type point0 struct{}
type octet byte

func TestString(t *testing.T) {
	n := 5
	pn := &n
	for _, c := range []struct {
		value any
		want  string
	}{
		{nil, "<nil>"}, {true, "true"}, {-1, "-1"}, {uint64(1<<64 - 1), "18446744073709551615"}, {int64(-1 << 63), "-9223372036854775808"},
		{float32(0.1), "0.1"}, {1e21, "1e+21"}, {complex64(1 - 2i), "(1-2i)"}, {2i, "(0+2i)"}, {uintptr(10), "10"},
		{"", `""`}, {"a b", `"a b"`}, {"two\nlines", `"two\nlines"`}, {"\xff", `"\xff"`},
		{[]string{"a b", "two\nlines", "\xff", ""}, `[a b "two\nlines" "\xff" ]`},
		{point{1, -2}, "{X:1 Y:-2}"}, {&point{1, 2}, "&{X:1 Y:2}"}, {(*point)(nil), "<nil>"}, {&pn, "&&5"}, {struct{}{}, "{}"},
		{[]int(nil), "[]"}, {[]int{}, "[]"}, {[3]int8{1, -2}, "[1 -2 0]"}, {[]byte{1, 255}, "[1 255]"}, {[2]byte{}, "[0 0]"},
		{[]any{nil, 1, "x", []any{}}, "[<nil> 1 x []]"}, {struct{ any }{point{}}, "{any:{X:0 Y:0}}"},
		{map[string]int(nil), "map[]"}, {map[string]int{}, "map[]"}, {map[string]int{"a": 1}, "map[a:1]"},
		{map[int8]any{5: nil, -3: "x", 100: point{}}, "map[-3:x 5:<nil> 100:{X:0 Y:0}]"}, {map[string]int{"b": 1, "masked": 2, "a\n": 3}, `map["a\n":3 b:1 masked:***]`},
		{map[float64]bool{10: true, 9: true}, "map[9:true 10:true]"}, {map[any]uint8{1: 1, "b": 2}, "map[1:1 b:2]"}, {map[point]struct{}{{2, 1}: {}, {1, 2}: {}}, "map[{X:1 Y:2}:{} {X:2 Y:1}:{}]"},
		{map[uint]int{200: 1, 30: 2}, "map[30:2 200:1]"}, {map[float32]int{2: 1, 1.5: 2}, "map[1.5:2 2:1]"}, {[]byte("GET /\r\n"), `"GET /\r\n"`}, {[][]byte{[]byte("ä b"), {0xC3}, {' '}, {7}}, `["ä b" [195] [32] [7]]`},
		{[3]byte{'a', 'b', 'c'}, "[97 98 99]"}, {[]octet("ab"), "[97 98]"}, {point0{}, "value.point0{}"}, {struct{ A point0 }{}, "{A:{}}"},
		{make(chan int, 2), "chan int(len=0 cap=2)"}, {(chan int)(nil), "<nil>"}, {(func())(nil), "<nil>"},
		{struct {
			Password string `wm:"masked"`
			B        int
		}{"hunter2", 1}, "{Password:*** B:1}"},
	} {
		if got := decode(t, c.value)[0].String(); got != c.want {
			t.Errorf("%T: %s; want %s", c.value, got, c.want)
		}
	}
}

// What is known of the standard library's types is what their methods give.
func TestKnown(t *testing.T) {
	one := errors.New("one")
	_, num := strconv.Atoi("12 \"x")
	_, rng := strconv.ParseInt("999", 10, 8)
	for _, x := range []any{
		time.Duration(0), time.Duration(1), -time.Hour, 90 * time.Second, time.May, time.Month(13), time.Sunday, time.Weekday(9),
		one, io.EOF, fmt.Errorf("wrap: %w", one), fmt.Errorf("%w, %w", one, io.EOF), fmt.Errorf("n=%d", 1),
		errors.Join(one, io.EOF), errors.Join(fmt.Errorf("wrap: %w", one)), num, rng,
		&fs.PathError{Op: "open", Path: "a b", Err: syscall.ENOENT}, &fs.PathError{Op: "stat", Path: "", Err: fmt.Errorf("x: %w", one)},
		&os.LinkError{Op: "rename", Old: "a", New: "b", Err: one}, os.NewSyscallError("read", syscall.EBADF), syscall.Errno(0), syscall.EAGAIN,
		&exec.Error{Name: "l s", Err: exec.ErrNotFound},
	} {
		want := fmt.Sprintf("%+v", x)
		if strings.Contains(want, "\n") {
			want = strconv.Quote(want)
		}
		if got := decode(t, x)[0].String(); got != want {
			t.Errorf("%T: %s; want %s", x, got, want)
		}
	}
	// Where a field is missing or not what it should be, fields are printed.
	for _, x := range []any{(*fs.PathError)(nil), &fs.PathError{Op: "open"}, &fs.PathError{Err: failure{1}}, &strconv.NumError{}} {
		if got := decode(t, x)[0].String(); got != "<nil>" && !strings.HasPrefix(got, "&{") {
			t.Errorf("%#v: %s; want <nil> or its fields", x, got)
		}
	}
}

type failure struct{ Code int }

func (failure) Error() string { return "" }

// Values that were cut, as the program writes them.
func TestCut(t *testing.T) {
	structure := Type{ID: 64, Kind: reflect.Struct, Name: "p.T", Fields: []Field{{Name: "A", Type: 2}, {Name: "B", Type: 24}}}
	slice := Type{ID: 65, Kind: reflect.Slice, Name: "[]int"}
	function := Type{ID: 66, Kind: Function, Name: "p.f"}
	types := map[uint32]Type{64: structure, 65: slice, 66: function,
		67: {ID: 67, Kind: reflect.Func, Name: "func()"}, 68: {ID: 68, Kind: reflect.Pointer, Name: "*int"},
		69: {ID: 69, Kind: reflect.Map, Name: "map[int]int"}, 70: {ID: 70, Kind: reflect.Array, Name: "[5]int", Len: 5, Elem: 2}}
	find := func(id uint32) (Type, bool) {
		if t, ok := Predeclared(id); ok {
			return t, true
		}
		t, ok := types[id]
		return t, ok
	}
	for _, c := range []struct {
		data []byte
		want string
		cut  int
	}{
		{[]byte{24, 2<<1 | 1, 5, 'a', 'b'}, `"ab"…+3`, 3},
		{[]byte{24, 0<<1 | 1, 5}, `""…+5`, 5},
		{[]byte{24, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}, `""…`, -1}, // a torn length
		{[]byte{64, 0, 0}, "{…}", 2},
		{[]byte{64, 1, 0, 6}, "{A:3 …}", 1},
		{[]byte{65, 1, 5, 2, 2, 0, 2, 4}, "[1 2 …+3]", 3},
		{[]byte{65, 1, 5, format.TypeUnread, 0, 0}, "[…+5]", 5},
		{[]byte{70, 1, 0, 2}, "[1 …+4]", 4},
		{[]byte{67, 66}, "p.f", 0},
		{[]byte{67, format.TypeUnread}, "?", 0},
		{[]byte{68, 1, 0x80, 1}, "(*int)(0x80)", 0},
		{[]byte{69, 1, 5}, "?", 0},
		{[]byte{69, 2, 5}, "map[…+5]", 5},
		{[]byte{69, 3, 5, 2, 24, 2, 0, 6, 0, 1 << 1, 'x', 4, 1}, "map[2:*** 3:x …+3]", 3},
		{[]byte{65, 1, 5, 8, 3, 0, 'a', 0xC3, 0xA4}, `"aä"…+2`, 2},
		{[]byte{65, 1, 5, 8, 2, 0, 'a', 0xC3}, `"a"…+4`, 3},
		{[]byte{68, 3, 0x80, 1, 2, 10}, "&5", 0},
		{[]byte{format.TypeMasked}, "***", 0},
		{[]byte{format.TypeUnread}, "?", 0},
		{[]byte{format.TypeText, 64, 3 << 1, 'a', ' ', 'b'}, "a b", 0},
		{[]byte{format.TypeText, format.TypeUnread, 1<<1 | 1, 3, 'a'}, "a…+2", 0},
	} {
		values, err := Decode(c.data, find)
		if err != nil || len(values) != 1 || values[0].String() != c.want || values[0].State == Known && values[0].Cut() != c.cut {
			t.Errorf("%v: %v, %v; want %s", c.data, values, err, c.want)
		}
	}
	for _, bad := range [][]byte{{99}, {66}, {64, 3, 0, 2, 2, 2}, {24, 10, 'a'}, {65, 1, 5, 2, 200, 0}, {68, 2}, {0x80}, {67}} {
		if values, err := Decode(bad, find); !errors.Is(err, errDamaged) {
			t.Errorf("%v: %v, %v; want an error", bad, values, err)
		}
	}
}

// What comes before the damage is there.
func TestDecodePrefix(t *testing.T) {
	list := []any{1, "text", point{1, 2}, []string{"a", "b"}, 3.5, &point{}}
	data, types := encode(list...)
	whole, err := Decode(data, types)
	if err != nil {
		t.Fatal(err)
	}
	for n := range data {
		values, err := Decode(data[:n], types)
		if len(values) >= len(list) || !reflect.DeepEqual(values, whole[:len(values):len(values)]) && len(values) > 0 {
			t.Errorf("%d bytes: %v; want the first of %v", n, values, whole)
		}
		if size := len(encodedPrefix(list[:len(values)])); (err == nil) != (n == size) {
			t.Errorf("%d bytes of %d values, which take %d: got error %v; want one if bytes are left", n, len(values), size, err)
		}
	}
}

func encodedPrefix(list []any) []byte {
	data, _ := encode(list...)
	return data
}

func TestList(t *testing.T) {
	values := decode(t, 1, "b", nil)
	for _, c := range []struct {
		values []Value
		names  []string
		rest   bool
		want   string
	}{
		{nil, nil, false, "()"}, {nil, nil, true, "(…)"}, {nil, []string{"a"}, false, "(…)"},
		{values, nil, false, `(1, "b", <nil>)`},
		{values, []string{"a", "_", "c"}, false, `(a=1, "b", c=<nil>)`},
		{values, []string{"a"}, true, `(a=1, "b", <nil>, …)`},
		{values[:2], []string{"a", "b", "c"}, false, `(a=1, b="b", …)`},
	} {
		if got := List(c.values, c.names, c.rest); got != c.want {
			t.Errorf("%s; want %s", got, c.want)
		}
	}
}

// A Printer cuts what is wider than its width, and says what it has left out.
func TestWidth(t *testing.T) {
	long := strings.Repeat("0123456789", 10)
	for _, c := range []struct {
		value any
		width int
		want  string
	}{
		{long[:20], 22, `"01234567890123456789"`}, {long[:20], 21, `"0123456789012345"…+4`}, {long, 12, `"012345"…+94`}, {long, 1, `""…+100`},
		{[]byte(long), 12, `"012345"…+94`}, {"äöüäöüäöüä", 9, `"äöü"…+14`}, {"äöüäöüäöüä", 10, `"äöüä"…+12`}, {strings.Repeat("\n", 9), 11, `"\n\n\n"…+6`},
		{point{1, 2}, 9, "{X:1 Y:2}"}, {point{1, 2}, 8, "{X:1 Y:…"}, {[]string{"äöü", "b"}, 5, "[äöü…"}, {12345, 3, "12…"}, {point{1, 2}, 0, "{X:1 Y:2}"},
		{fmt.Errorf("load: %w", errors.New("no such user")), 5, "load: no such user"}, {&os.PathError{Op: "open", Path: "/x", Err: os.ErrNotExist}, 5, "open /x: file does not exist"},
	} {
		p := Printer{Width: c.width}
		if got := p.Value(&decode(t, c.value)[0]); got != c.want {
			t.Errorf("%v in %d columns: %s; want %s", c.value, c.width, got, c.want)
		}
	}
	p := Printer{Width: 5}
	list := p.List(decode(t, point{1, 2}, 7), []string{"p", "n"}, false)
	if want := "(p={X:1…, n=7)"; list != want {
		t.Errorf("list %s, want %s", list, want)
	}
	target := p.Target("*point@1", &decode(t, &point{1, 2})[0])
	if want := "*poi…"; target != want {
		t.Errorf("target %s, want %s", target, want)
	}
	if p.Masked {
		t.Error("Masked is true before a value is masked, want false")
	}
	if p.List([]Value{{State: Masked}}, nil, false); !p.Masked {
		t.Error("Masked is false after a value was masked, want true")
	}
}

// The values of panics are not cut. They have their types unless the package knows a text for them.
func TestPanic(t *testing.T) {
	p := Printer{Width: 5}
	var n *failure
	for _, c := range []struct {
		value any
		want  string
	}{
		{"a message", `"a message"`}, {errors.New("a message"), "a message"}, {123456, "123456"}, {time.Hour, "1h0m0s"}, {failure{4}, "value.failure{Code:4}"},
		{&failure{4}, "&value.failure{Code:4}"}, {n, "(*value.failure)(<nil>)"}, {point0{}, "value.point0{}"}, {octet(7), "value.octet(7)"}, {words("ab"), `value.words("ab")`},
		{nil, "<nil>"}, {[]int{1, 2, 3}, "[1 2 3]"}, {context.DeadlineExceeded, "context deadline exceeded"},
	} {
		if got := p.Panic(&decode(t, c.value)[0]); got != c.want {
			t.Errorf("%#v: %s; want %s", c.value, got, c.want)
		}
	}
}

type words string

// Whatever the bytes: no panic, and memory in proportion to what could be recorded.
func FuzzDecode(f *testing.F) {
	seeds := []any{nil, 1, "text", point{1, 2}, &point{}, []any{1, "a", nil}, [3]int{}, [2]point{}, map[int]int{}, make(chan int), errors.Join(io.EOF), &fs.PathError{Err: io.EOF},
		struct {
			Key string `wm:"masked"`
		}{}, time.Second, [][]struct{}{{{}}}, complex64(1), 2i, &strconv.NumError{Err: io.EOF}, []byte("b")}
	e := newEncoder()
	for _, x := range seeds {
		e.b = nil
		e.dynamic(reflect.ValueOf(x))
		f.Add(e.b)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		values, err := Decode(data, e.find)
		if err != nil && !errors.Is(err, errDamaged) {
			t.Errorf("error %v, want %v or none", err, errDamaged)
		}
		n := 0
		var walk func([]Value)
		walk = func(list []Value) {
			for i := range list {
				n++
				list[i].Cut()
				walk(list[i].Elems)
			}
		}
		walk(values)
		// A field that is masked or an empty struct's takes no bytes, or two.
		if n > 16*len(data)+16 && n > maxValues+len(values) {
			t.Errorf("%d values out of %d bytes, want %d at most", n, len(data), max(16*len(data)+16, maxValues+len(values)))
		}
		if text := List(values, nil, err != nil); strings.Contains(text, "\n") {
			t.Errorf("got %q, want a single line", text)
		}
	})
}
