package main

import (
	"iter"

	"example.com/values/oracle"
)

type pair[T any] struct {
	first, second T
	next          *pair[T]
}
type number interface{ ~int | ~float64 }
type list[K comparable, V any] []pair[map[K]V]

func (p pair[T]) swap() pair[T]          { return pair[T]{p.second, p.first, nil} }
func (p *pair[T]) set(x T) (old T)       { old, p.first = p.first, x; return }
func (pair[_]) plus(n int) int           { return n }
func (l list[K, V]) len(k K, v ...V) int { return len(l) }

func twice[T number](x T) T         { return x + x }
func same[T any](x T, _ ...T) (y T) { y = x; return y }
func keyed[K comparable, V any](m map[K]V, k K) (V, bool) {
	v, ok := m[k]
	return v, ok
}
func slices[S ~[]E, E any](s S) (E, int) { return s[0], len(s) }

func generics() {
	oracle.Call("main.twice[...](x=%) = %", twice[int], 4)
	oracle.Call("main.twice[...](x=%) = %", twice[celsius], celsius(1.5))
	oracle.Call("main.same[...](x=%, %) = %", same[string], "s", []string{"t"})
	oracle.Call("main.same[...](x=%, %) = %", same[any], nil, []any{nil, 1})
	oracle.Call("main.same[...](x=%, %) = %", same[error], name("e"), []error(nil))
	oracle.Call("main.same[...](x=%, %) = %", same[pair[point]], pair[point]{first: point{1, 2}}, []pair[point](nil))
	oracle.Call("main.same[...](x=%, %) = %", same[func()], generics, []func(){nil})
	oracle.Call("main.same[...](x=%, %) = %", same[*point], &point{1, 2}, []*point{})
	oracle.Call("main.same[...](x=%, %) = %", same[[3]uint8], [3]uint8{1, 2, 3}, [][3]uint8{{}})
	oracle.Call("main.keyed[...](m=%, k=%) = (%, %)", keyed[string, []int], map[string][]int{"a": {1}}, "a")
	oracle.Call("main.keyed[...](m=%, k=%) = (%, %)", keyed[point, *point], map[point]*point(nil), point{})
	oracle.Call("main.slices[...](s=%) = (%, %)", slices[[]name, name], []name{"a", "b"})
	oracle.Call("main.pair[...].swap(p=%) = %", pair[int].swap, pair[int]{1, 2, &pair[int]{3, 4, nil}})
	oracle.Call("main.pair[...].swap(p=%) = %", pair[any].swap, pair[any]{1, "b", nil})
	oracle.Call("main.(*pair[...]).set(p=%, x=%) = %", (*pair[string]).set, &pair[string]{first: "old"}, "new")
	oracle.Call("main.pair[...].plus(%, n=%) = %", pair[bool].plus, pair[bool]{}, 1)
	oracle.Call("main.list[...].len(l=%, k=%, v=%) = %", list[string, int].len, list[string, int]{{first: map[string]int{"a": 1}}}, "k", []int{1, 2})
}

func unnamed(int, string, ...bool) (int, error)      { return 1, nil }
func blank(_ int, _ *point, c int) (_ int, d string) { return c, "d" }
func deferred(n int) (res int) {
	defer func() { res *= 2 }()
	res = n
	return n + 1
}
func recovered(n int) (res string, err error) {
	defer func() {
		if x := recover(); x != nil {
			res, _ = x.(string)
		}
	}()
	if n > 0 {
		panic("recovered")
	}
	return "returned", nil
}
func swapped(a, b int) (x, y int) { x, y = a, b; return y, x }
func shadowed(n int) (err error) {
	if n := n + 1; n > 1 {
		err := name("inner")
		return err
	}
	return nil
}
func recursive(n int) int {
	if n == 0 {
		return 0
	}
	return n + recursive(n-1)
}
func rangeFunc(n int) (int, string) {
	for x := range seq(10) {
		if x == n {
			return x, "found"
		}
	}
	return -1, "not found"
}
func seq(n int) iter.Seq[int] { return oracle.Seq(n) }
func raw() string {
	return `two
lines`
}
func constants() (any, int8, float32, error, []int) { return 1 << 3, -1, 1, nil, nil }

func shapes() {
	oracle.Call("main.unnamed(%, %, %) = (%, %)", unnamed, 1, "s", []bool{true})
	oracle.Call("main.blank(%, %, c=%) = (%, d=%)", blank, 1, nil, 3)
	oracle.Call("main.deferred(n=%) = %", deferred, 20)
	oracle.Call("main.recovered(n=%) = (res=%, err=%)", recovered, 0)
	oracle.Call("main.recovered(n=%) = (res=%, err=%)", recovered, 1)
	oracle.Call("main.swapped(a=%, b=%) = (x=%, y=%)", swapped, 1, 2)
	oracle.Call("main.shadowed(n=%) = %", shadowed, 0)
	oracle.Call("main.shadowed(n=%) = %", shadowed, 1)
	for n := range 4 {
		oracle.Line("main.recursive(n=%) = %", oracle.Of(n), oracle.Of(n*(n+1)/2))
	}
	recursive(3)
	for _, n := range []int{3, 20} {
		oracle.Call("main.rangeFunc(n=%) = (%, %)", rangeFunc, n)
	}
	oracle.Call("main.raw() = %", raw)
	oracle.Call("main.constants() = (%, %, %, %, %)", constants)
	n := 10
	literal := func(x int, _ ...string) (y int) { n += x; return n }
	oracle.Line("main.shapes.func1(x=5, []) = %", oracle.Of(literal(5)))
	func() { defer func() { recover() }(); panic(name("x")) }()
}
