// Values makes calls whose arguments and results follow from their first argument. It makes garbage meanwhile, and stacks
// move. The protocol is that of testdata/work.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

type Point struct {
	X, Y int32
}

type Node struct {
	Name  string
	Next  *Node
	at    Point
	ratio float64
}

type Token string

type Code uint16

func (c Code) String() string { return "code " + strconv.Itoa(int(c)) }

type T struct{ n int }

// touch makes functions that call it have a frame.
//
//go:noinline
func touch(int) {}

//go:noinline
func ints(n int, a int8, b uint16, c int32, d uint64, e bool) (int, bool) {
	touch(n)
	return -n, !e
}

//go:noinline
func floats(n int, f float32, g float64, c complex128) (x float64, y complex64) {
	touch(n)
	return g * 2, complex64(c)
}

//go:noinline
func texts(n int, s string, b []byte) (string, error) {
	touch(n)
	runtime.KeepAlive(b)
	if n%3 == 0 {
		return "", errors.New("broken " + s)
	}
	return s + "!", nil
}

//go:noinline
func structs(n int, p Point, q *Node, pp **Node) (Node, *Node) {
	touch(n)
	runtime.KeepAlive(pp)
	return *q, q.Next
}

type Link struct {
	Name string
	Next *Link
}

//go:noinline
func chain(n int, l *Link) int {
	touch(n)
	runtime.KeepAlive(l)
	return n
}

//go:noinline
func lists(n int, l []int, ls []string, ar [3]int16, ps []Point) []string {
	touch(n)
	runtime.KeepAlive(l)
	runtime.KeepAlive(ps)
	return ls[1:]
}

//go:noinline
func faces(n int, a any, e error, st fmt.Stringer) (any, error) {
	touch(n)
	runtime.KeepAlive(a)
	runtime.KeepAlive(e)
	runtime.KeepAlive(st)
	return n, &fs.PathError{Op: "open", Path: "f" + strconv.Itoa(n), Err: fs.ErrNotExist}
}

//go:noinline
func others(n int, m map[string]int, c chan int, f func(int), d time.Duration) map[int]string {
	touch(n)
	runtime.KeepAlive(m)
	runtime.KeepAlive(c)
	runtime.KeepAlive(f)
	return nil
}

//go:noinline
func tables(n int, a map[int]string, b map[string]Point, c map[Point]*Node, d map[string]string, e map[Token]Token) map[int]bool {
	touch(n)
	runtime.KeepAlive(a)
	runtime.KeepAlive(b)
	runtime.KeepAlive(c)
	runtime.KeepAlive(d)
	runtime.KeepAlive(e)
	return map[int]bool{n: true, -1: false}
}

//go:noinline
func inTables(n int, large map[int]int, wide map[string][17]int64, in map[int]map[string]int, empty map[int]int) map[string][]string {
	touch(n)
	runtime.KeepAlive(large)
	runtime.KeepAlive(wide)
	runtime.KeepAlive(in)
	runtime.KeepAlive(empty)
	s := "s" + strconv.Itoa(n)
	return map[string][]string{s: {"a", s}}
}

// changing is called with a map that others write to.
//
//go:noinline
func changing(n int, m map[int]string) int {
	touch(n)
	runtime.KeepAlive(m)
	return n
}

// spread is called with a larger one.
//
//go:noinline
func spread(n int, m map[int]string) int {
	touch(n)
	runtime.KeepAlive(m)
	return n
}

// nothing is called with a map whose entries take no memory.
//
//go:noinline
func nothing(n int, e map[struct{}]struct{}) int {
	touch(n)
	runtime.KeepAlive(e)
	return n
}

// A changed is a map that is written to, by one goroutine at a time.
type changed struct {
	sync.Mutex
	keys int
	m    atomic.Pointer[map[int]string]
	n    int
}

var small, large = &changed{keys: 9}, &changed{keys: 97}

// change writes to the map, unless another goroutine does, and returns it. Texts have four
// characters, and end with their keys.
func (c *changed) change() map[int]string {
	if !c.TryLock() {
		return *c.m.Load()
	}
	defer c.Unlock()
	m := make(map[int]string)
	if now := c.m.Load(); now != nil && c.n%16 > 0 {
		m = *now
	} else {
		c.m.Store(&m)
	}
	c.n++
	for i := range 5 * c.keys {
		key := i * 5 % (c.keys + 3) % c.keys
		switch m[key] = strconv.Itoa(1000 + i%10*100 + key); {
		case i == 2*c.keys:
			clear(m)
		case i%3 == 0: // another key may take its place
			delete(m, (key+c.keys/2)%c.keys)
		}
	}
	return m
}

//go:noinline
func anyTable(n int, f map[any]any) int {
	touch(n)
	runtime.KeepAlive(f)
	return n
}

// local and other have types of one name.
func local(n int, s string) {
	type Local struct{ Text string }
	f := func(n int, m map[Local]int) int {
		touch(n)
		runtime.KeepAlive(m)
		return n
	}
	if n < 0 {
		f = nil // so that it isn't inlined
	}
	f(n, map[Local]int{{s}: n})
}

func other(n int) {
	type Local struct{ A, B, C, N int }
	f := func(n int, m map[Local]int) int {
		touch(n)
		runtime.KeepAlive(m)
		return n
	}
	if n < 0 {
		f = nil
	}
	f(n, map[Local]int{{N: n}: n})
}

//go:noinline
func many(n, a, b, c, d, e, f, g, h, i int, s string, p Point) (q, r, t, u, v, w, x, y, z, last int, text string) {
	touch(n)
	return a, b, c, d, e, f, g, h, i, n, s
}

// spilled has its error in no register.
//
//go:noinline
func spilled(n int) (a, b, c, d, e, f, g, h, i int, err error) {
	touch(n)
	if n%5 == 0 {
		err = errSpilled
	}
	return n, n, n, n, n, n, n, n, n, err
}

var errSpilled = errors.New("spilled")

//go:noinline
func generic[V any](n int, v V) V {
	touch(n)
	if f := next(v); f != nil {
		f(n)
	}
	return v
}

// next returns a function literal of a generic function.
//
//go:noinline
func next[V any](v V) func(int) int {
	if _, ok := any(v).(int); !ok {
		return nil
	}
	return func(n int) int {
		touch(n)
		return n + 1
	}
}

// A Box is generic.
type Box[V any] struct{ v V }

//go:noinline
func (b Box[V]) get(n int) V {
	touch(n)
	return b.v
}

//go:noinline
func (b *Box[V]) set(n int) int {
	touch(n)
	runtime.KeepAlive(b)
	return n
}

//go:noinline
func seal(n int, streamKey, publicKey []byte) int {
	touch(n)
	runtime.KeepAlive(streamKey)
	runtime.KeepAlive(publicKey)
	return n
}

//go:noinline
func login(n int, password string, token Token) (key Token) {
	touch(n)
	return token
}

//go:noinline
func readPassword(n int) (string, error) {
	touch(n)
	return "geheim", nil
}

//go:noinline
func (t *T) pointer(n int, _ string) int {
	touch(n)
	return t.n
}

//go:noinline
func (p Point) value(n int) Point {
	touch(n)
	return p
}

var sink atomic.Pointer[[]byte]

func calls(n int) {
	s := "s" + strconv.Itoa(n)
	ints(n, int8(n), uint16(n), int32(-n), uint64(n)<<40, n%2 == 0)
	floats(n, float32(n)/2, float64(n)/4, complex(float64(n), -1))
	texts(n, s, []byte(s))
	node := &Node{Name: s, Next: &Node{Name: "next " + s}, at: Point{int32(n), 1}, ratio: 0.5}
	structs(n, Point{int32(n), -int32(n)}, node, &node)
	chain(n, &Link{"a", &Link{"b", &Link{"c", &Link{"d", &Link{"e", nil}}}}})
	lists(n, []int{n, n + 1}, []string{s, "b" + s}, [3]int16{int16(n), 2, 3}, []Point{{int32(n), 0}, {0, int32(n)}})
	faces(n, any(s), fmt.Errorf("wrapped %d: %w", n, fs.ErrExist), Code(n))
	others(n, map[string]int{s: n, "x": 1}, make(chan int, 4), func(int) {}, time.Duration(n))
	tables(n, map[int]string{n: s, -1: "less"}, map[string]Point{s: {int32(n), 1}}, map[Point]*Node{{1, int32(n)}: node}, map[string]string{"user": s, "password": s}, map[Token]Token{"t": "u"})
	several := make(map[int]int)
	for i := range 9 + n%9 {
		several[i] = n
	}
	inTables(n, several, map[string][17]int64{s: {int64(n)}}, map[int]map[string]int{1: {"x": n}}, map[int]int{})
	anyTable(n, map[any]any{"token": n})
	changing(n, small.change())
	if n%8 == 0 { // its copies take much room
		spread(n, large.change())
	}
	nothing(n, map[struct{}]struct{}{{}: {}})
	local(n, s)
	other(n)
	spilled(n)
	many(n, n+1, n+2, n+3, n+4, n+5, n+6, n+7, n+8, n+9, s, Point{int32(n), 7})
	generic(n, s)
	generic(n, Point{int32(n), 3})
	generic(n, node)
	generic(n, n)
	box := &Box[int]{n}
	box.get(n)
	box.set(n)
	seal(n, []byte("geheim"), []byte("k"))
	login(n, "geheim", Token(s))
	readPassword(n)
	(&T{n * 2}).pointer(n, s)
	Point{int32(n), 9}.value(n)
	garbage := make([]byte, n%512)
	sink.Store(&garbage)
}

// deep makes calls where the stack has just grown.
//
//go:noinline
func deep(n, depth int) byte {
	var room [256]byte
	room[n%256] = byte(depth)
	if depth == 0 {
		calls(n)
	} else {
		room[1] = deep(n, depth-1)
	}
	return room[n%256] + room[1]
}

func main() {
	debug.SetGCPercent(10)
	in := bufio.NewScanner(os.Stdin)
	fmt.Println("ready", os.Getpid())
	next := 0
	for in.Scan() {
		command, argument, _ := strings.Cut(in.Text(), " ")
		if command == "end" {
			return
		}
		rounds, _ := strconv.Atoi(argument)
		small.change()
		large.change()
		var all sync.WaitGroup
		for i := range 4 {
			all.Go(func() {
				for r := range rounds {
					if n := next + i*rounds + r; r%16 == 0 {
						done := make(chan bool) // a new stack
						go func() { deep(n, r%100); close(done) }()
						<-done
					} else {
						calls(n)
					}
				}
			})
		}
		all.Wait()
		next += 4 * rounds
		fmt.Println("count main.ints", 4*rounds)
		fmt.Println("done")
	}
}
