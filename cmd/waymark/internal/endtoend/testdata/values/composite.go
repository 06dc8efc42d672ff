package main

import (
	"sync"
	"sync/atomic"

	"example.com/values/oracle"
)

type point struct{ X, Y int }
type base struct {
	n    int
	Name string
}
type embedding struct {
	base
	*point
	error
	_     int32
	_     [0]func()
	when  struct{ hour, minute int8 }
	blank struct{}
	any
}
type wide struct {
	a bool
	b int64
	c uint8
	d string
	e float32
	f complex128
	g [2]point
	h []point
	i map[string]int
	j chan int
	k func()
	l *point
	m any
	n uintptr
}

func aPoint(x point) point                      { return x }
func aPointPointer(x *point) *point             { return x }
func anEmbedding(x embedding) *embedding        { return &x }
func aWide(x wide) wide                         { return x }
func anEmpty(x struct{}) struct{}               { return x }
func anonymous(x struct{ A, b int }) any        { return x }
func aMutex(x *sync.Mutex) *sync.Mutex          { return x }
func anOnce(x *sync.Once) *atomic.Int64         { return new(atomic.Int64) }
func (p point) byValue(q point) point           { return point{p.X + q.X, p.Y + q.Y} }
func (p *point) byPointer(n int) (x, y int)     { p.X += n; return p.X, p.Y }
func (point) unnamed(int, string) (bool, error) { return true, nil }
func (_ *point) blank(_ int, _, s string) bool  { return true }

func structs() {
	n, p := 5, point{1, -2}
	oracle.Call("main.aPoint(x=%) = %", aPoint, p)
	oracle.Call("main.aPointPointer(x=%) = %", aPointPointer, &p)
	oracle.Call("main.aPointPointer(x=%) = %", aPointPointer, nil)
	oracle.Call("main.anEmbedding(x=%) = %", anEmbedding, embedding{})
	oracle.Call("main.anEmbedding(x=%) = %", anEmbedding, embedding{base{1, "b"}, &p, name("e"), 0, [0]func(){}, struct{ hour, minute int8 }{1, 2}, struct{}{}, 1.5})
	oracle.Call("main.aWide(x=%) = %", aWide, wide{})
	oracle.Call("main.aWide(x=%) = %", aWide, wide{true, 1 << 40, 3, "four", 5.5, 6i, [2]point{{7, 8}, p}, []point{p, p}, map[string]int{"ten": 10}, make(chan int, 11), structs, &p, &n, 15})
	oracle.Call("main.anEmpty(x=%) = %", anEmpty, struct{}{})
	oracle.Call("main.anonymous(x=%) = %", anonymous, struct{ A, b int }{1, 2})
	oracle.Call("main.aMutex(x=%) = %", aMutex, new(sync.Mutex))
	oracle.Call("main.anOnce(x=%) = %", anOnce, new(sync.Once))
	oracle.Call("main.point.byValue(p=%, q=%) = %", point.byValue, p, point{3, 4})
	oracle.Call("main.(*point).byPointer(p=%, n=%) = (x=%, y=%)", (*point).byPointer, &p, 3)
	oracle.Call("main.point.unnamed(%, %, %) = (%, %)", point.unnamed, p, 1, "s")
	oracle.Call("main.(*point).blank(%, %, %, s=%) = %", (*point).blank, &p, 1, "blank", "s")
	bound, text := p.byPointer, oracle.Of(&p)
	x, y := bound(1)
	oracle.Line("main.(*point).byPointer(p=%, n=1) = (x=%, y=%)", text, oracle.Of(x), oracle.Of(y))
	var adder interface{ byValue(point) point } = &p // by a wrapper that the compiler makes
	oracle.Line("main.point.byValue(p=%, q={X:0 Y:0}) = %", oracle.Of(p), oracle.Of(adder.byValue(point{})))
}

func aSlice(x []int) []int                        { return x }
func nested(x [][]string) [][]string              { return x }
func points(x []*point) []point                   { return nil }
func anArray(x [3]int16) [3]int16                 { return x }
func arrays(x [2][2][1]bool) [1][]any             { return [1][]any{{x}} }
func none(x [0]point) [0]string                   { return [0]string{} }
func bytes(x [5]byte) [3]mask                     { return [3]mask{1, 2, 3} }
func nothings(x []struct{}, y [3]struct{})        {}
func large(x [4096]byte) [300]int                 { return [300]int{299: 1} }
func masks(x []mask, y []int8, z []bool) [][]byte { return [][]byte{nil, {}, {1}} }
func variadic(a string, rest ...any) int          { return len(rest) }

func sequences() {
	oracle.Call("main.aSlice(x=%) = %", aSlice, nil)
	oracle.Call("main.aSlice(x=%) = %", aSlice, []int{})
	oracle.Call("main.aSlice(x=%) = %", aSlice, []int{1, 2, 3}[1:2])
	oracle.Call("main.aSlice(x=%) = %", aSlice, make([]int, 1000))
	oracle.Call("main.nested(x=%) = %", nested, [][]string{nil, {}, {"a"}, {"b", "c d"}})
	oracle.Call("main.points(x=%) = %", points, []*point{nil, {1, 2}})
	oracle.Call("main.anArray(x=%) = %", anArray, [3]int16{1, -2, 3})
	oracle.Call("main.arrays(x=%) = %", arrays, [2][2][1]bool{1: {{true}}})
	oracle.Call("main.none(x=%) = %", none, [0]point{})
	oracle.Call("main.bytes(x=%) = %", bytes, [5]byte{1, 2, 255})
	oracle.Call("main.nothings(x=%, y=%)", nothings, make([]struct{}, 3), [3]struct{}{})
	oracle.Call("main.large(x=%) = %", large, [4096]byte{4095: 1})
	oracle.Call("main.masks(x=%, y=%, z=%) = %", masks, []mask{1, 2}, []int8{-1}, []bool{true, false})
	oracle.Call("main.variadic(a=%, rest=%) = %", variadic, "a", []any{})
	oracle.Call("main.variadic(a=%, rest=%) = %", variadic, "a", []any{1, "b", nil, p3})
	variadic("none")
	oracle.Line(`main.variadic(a="none", rest=[]) = 0`)
}

var p3 = &point{3, 3}
