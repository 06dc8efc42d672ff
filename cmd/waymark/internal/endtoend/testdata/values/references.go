package main

import (
	"context"
	"io"
	"os"
	"unsafe"

	"example.com/values/oracle"
)

func aPointer(x *int) *int                          { return x }
func toPointer(x **string) ***string                { return &x }
func toSlice(x *[]int) *[2]string                   { return &[2]string{"a", "b"} }
func toMap(x *map[string]int) *chan int             { return new(chan int) }
func toFunc(x *func()) *any                         { return new(any) }
func toNothing(x *struct{}) *[0]int                 { return new([0]int) }
func anUnsafe(x unsafe.Pointer) unsafe.Pointer      { return x }
func anAny(x any) any                               { return x }
func aReader(x io.Reader) io.ReadCloser             { return nil }
func aContext(x context.Context) context.CancelFunc { return nil }
func inside(x []any) map[any]any                    { return map[any]any{1: x} }
func aMap(x map[string][]int) map[point]*point      { return nil }
func aChan(x chan int) <-chan int                   { return x }
func chans(x chan chan<- string) chan struct{}      { return make(chan struct{}) }
func aFunc(x func(int) int) func() error            { return nil }
func funcs(x []func()) [1]func(...int)              { return [1]func(...int){} }

type tree struct {
	left, right *tree
	value       int
}
type holder struct{ p *int } // its value is in the word of an interface
type one [1]*int             // so is this one's

func aTree(x *tree) *tree  { return x.left }
func (h holder) get() *int { return h.p }

func pointers() {
	n, s, m, f := 7, "text", map[string]int{"a": 1}, func() {}
	ps, pp := &s, &n
	oracle.Call("main.aPointer(x=%) = %", aPointer, nil)
	oracle.Call("main.aPointer(x=%) = %", aPointer, &n)
	oracle.Call("main.toPointer(x=%) = %", toPointer, &ps)
	oracle.Call("main.toPointer(x=%) = %", toPointer, new(*string))
	oracle.Call("main.toSlice(x=%) = %", toSlice, &[]int{1, 2})
	oracle.Call("main.toSlice(x=%) = %", toSlice, new([]int))
	oracle.Call("main.toMap(x=%) = %", toMap, &m)
	oracle.Call("main.toFunc(x=%) = %", toFunc, &f)
	oracle.Call("main.toNothing(x=%) = %", toNothing, &struct{}{})
	oracle.Call("main.anUnsafe(x=%) = %", anUnsafe, unsafe.Pointer(nil))
	oracle.Call("main.anUnsafe(x=%) = %", anUnsafe, unsafe.Pointer(&n))
	oracle.Call("main.aTree(x=%) = %", aTree, &tree{&tree{nil, nil, 1}, &tree{&tree{value: 4}, nil, 3}, 2})
	oracle.Call("main.holder.get(h=%) = %", holder.get, holder{pp})
	onStack()
}

// onStack hands out pointers to its frame, deep enough for stacks to grow.
func onStack() {
	var frame [100]int
	frame[99] = 1
	for n := range 3 {
		oracle.Line("main.sumOf(n=%, x=&%) = 1", oracle.Of(n), oracle.Of(frame))
	}
	sumOf(2, &frame)
}

func sumOf(n int, x *[100]int) (sum int) {
	var pad [4096]byte
	pad[n] = 1
	if n > 0 {
		return sumOf(n-1, x) * int(pad[n])
	}
	for _, y := range x {
		sum += y
	}
	return sum
}

func interfaces() {
	n := 3
	var typed *point
	for _, x := range []any{nil, 1, "s", 1.5, true, 'r', 2i, typed, point{1, 2}, &point{1, 2}, struct{}{}, [0]int{}, []any{nil, []any{1}}, holder{&n}, one{&n}, one{}, map[int]int(nil),
		map[int]int{}, make(chan any), (chan int)(nil), interfaces, (func())(nil), name("n"), celsius(1), flag(true), unsafe.Pointer(nil), uintptr(1), &n, [1]any{"x"}, struct{ any }{2},
		error(name("e")), io.EOF, [2]error{io.EOF, nil}, struct{ p, q *int }{&n, nil}, uint8(200), int8(-3)} {
		oracle.Call("main.anAny(x=%) = %", anAny, x)
	}
	oracle.Call("main.aReader(x=%) = %", aReader, nil)
	oracle.Call("main.aReader(x=%) = %", aReader, io.LimitReader(nil, 5))
	oracle.Call("main.aReader(x=%) = %", aReader, (*os.File)(nil))
	oracle.Call("main.aContext(x=%) = %", aContext, context.Background())
	oracle.Call("main.aContext(x=%) = %", aContext, context.WithValue(context.Background(), name("key"), 1))
	oracle.Call("main.inside(x=%) = %", inside, []any{1, []any{"two", 3.0}, nil})
}

func references() {
	oracle.Call("main.aMap(x=%) = %", aMap, nil)
	oracle.Call("main.aMap(x=%) = %", aMap, map[string][]int{})
	many := make(map[string][]int)
	for i := range 100 {
		many[string(rune(i))] = nil
	}
	oracle.Call("main.aMap(x=%) = %", aMap, many)
	oracle.Call("main.aMap(x=%) = %", aMap, map[string][]int{"one": {1}, "two": {1, 2}})
	for i := range 99 {
		delete(many, string(rune(i))) // it stays as large as it was
	}
	oracle.Call("main.aMap(x=%) = %", aMap, many)
	digits, grown := make(map[int8]struct{}), make(map[uint16]*point)
	for i := range int8(8) {
		digits[i] = struct{}{}
	}
	for i := range uint16(90) {
		grown[i+10] = &point{int(i), 1}
	}
	big := map[[20]int64][30]int64{{1}: {2}, {3}: {4}}
	for _, x := range []any{digits, grown, big, map[bool]name{true: "yes", false: "no"}, map[any]error{1.5: io.EOF, 2.5: nil}, map[point]map[string]bool{{1, 2}: {"in": true}},
		map[*point]int{nil: 1}, map[struct{}]struct{}{{}: {}}, map[string]func(){"f": references}, map[float64][0]int{0.5: {}}, map[[2]bool]chan int{{true}: nil}} {
		oracle.Call("main.anAny(x=%) = %", anAny, x)
	}
	c := make(chan int, 3)
	c <- 1
	oracle.Call("main.aChan(x=%) = %", aChan, c)
	oracle.Call("main.aChan(x=%) = %", aChan, nil)
	oracle.Call("main.chans(x=%) = %", chans, make(chan chan<- string, 1))
	n := 1
	p := &point{}
	oracle.Call("main.aFunc(x=%) = %", aFunc, nil)
	oracle.Call("main.aFunc(x=%) = %", aFunc, aInt)
	oracle.Call("main.aFunc(x=%) = %", aFunc, func(x int) int { n++; return n + x })
	oracle.Call("main.aFunc(x=%) = %", aFunc, p.plus)
	oracle.Call("main.aFunc(x=%) = %", aFunc, pair[string]{}.plus)
	oracle.Call("main.aFunc(x=%) = %", aFunc, twice[int])
	oracle.Call("main.funcs(x=%) = %", funcs, []func(){nil, references, func() {}})
}

func (p *point) plus(n int) int { return p.X + n }
