// Lines reaches lines whose variables follow from n, and counts how often it reaches which. It makes garbage meanwhile, and
// stacks move. The protocol is that of testdata/work.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

type Point struct {
	X int32
	Y int32
}

type Node struct {
	Name string
	Next *Node
}

type Shape interface{ Area() int }

type Square struct{ side int }

func (s Square) Area() int { return s.side * s.side }

// Marked lines, in the order in which they are counted.
var marks = [...]string{"straight", "call", "branch", "loop", "results", "method", "escaped", "closure", "inlined", "generic", "switched", "wide", "deferred", "floats", "padded", "secret", "captured", "looped",
	"lock", "unlock", "atomic", "builder", "early", "nested", "inner", "last", "condition", "literal", "typed",
	"case0", "case1", "case2", "case3", "case4", "case5", "case6", "case7", "case8", "case9"}

var counts [len(marks)]atomic.Int64

func count(mark int) { counts[mark].Add(1) }

var sink atomic.Pointer[[]byte]

//go:noinline
func use(...any) {}

//go:noinline
func touch(n int) int { return n }

//go:noinline
func straight(n int) (string, error) {
	a, b := 3*n, int8(n)
	s := "s" + strconv.Itoa(n)
	list := []int{n, n + 1, n + 2}
	node := &Node{s, &Node{Name: "next"}}
	var err error
	if n%3 == 0 {
		err = fmt.Errorf("bad %d", n)
	}
	shape := Shape(Square{n})
	count(0)
	touch(a) // @straight
	count(1)
	use(a, b, s, list, node, err, shape) // @call
	if a%2 == 0 {
		count(2)
		touch(len(s)) // @branch
	}
	sum := 0
	for i := 0; i < n%4; i++ {
		count(3)
		sum += touch(i) // @loop
	}
	count(4)
	return s + strconv.Itoa(sum), err // @results
}

type Account struct {
	owner  string
	amount int
}

//go:noinline
func (a *Account) method(n int, password string) int {
	before := a.amount
	count(5)
	a.amount = touch(before + n) // @method
	use(password, a.owner)
	return a.amount
}

//go:noinline
func escaped(n int) *int {
	kept := n * 5
	use(&kept)
	count(6)
	touch(kept) // @escaped
	return &kept
}

//go:noinline
func closure(n int) int {
	total := n
	add := func(more int) {
		both := total + more
		count(7)
		total = touch(both) // @closure
	}
	add(7)
	return total
}

func small(n int) int {
	twice := 2 * touch(n)
	count(8)
	touch(twice) // @inlined
	return twice + n
}

func generic[T any](n int, v T) T {
	square := n * n
	count(9)
	touch(square) // @generic
	use(v)
	return v
}

//go:noinline
func switched(n int) string {
	text := "other"
	switch n % 5 {
	case 0:
		text = "zero"
	case 1, 2:
		half := n / 2
		count(10)
		touch(half) // @switched
		text = "few"
	}
	use(n)
	return text
}

//go:noinline
func wide(n int) int {
	a, b, c, d, e, f, g, h := touch(n), touch(n+1), touch(n+2), touch(n+3), touch(n+4), touch(n+5), touch(n+6), touch(n+7)
	i, j, k, l := a+b, c+d, e+f, g+h
	p := Point{int32(n), int32(-n)}
	count(11)
	sum := a ^ b ^ c ^ d ^ e ^ f ^ g ^ h ^ i ^ j ^ k ^ l ^ int(p.X) ^ int(p.Y) // @wide
	use(a, b, c, d, e, f, g, h, i, j, k, l, p)
	return sum
}

//go:noinline
func deferred(n int) (err error) {
	defer func() {
		r := recover()
		count(12)
		touch(n) // @deferred
		err = fmt.Errorf("recovered %v", r)
	}()
	panic(n)
}

//go:noinline
func floats(n int, c context.Context) float64 {
	half, third := float64(n)/2, float32(n)/4
	ok := n%2 == 0
	z := complex(half, 1)
	count(13)
	sum := half + float64(third) // @floats
	use(half, third, ok, z, c)
	return sum
}

type Padded struct {
	ID   int32
	Name string
	Paid bool
	Sum  float64
}

//go:noinline
func padded(n int) int {
	p := Padded{int32(n), strconv.Itoa(n), n%2 == 0, float64(n)}
	count(14)
	sum := touch(int(p.ID)) // @padded
	use(p.Name, p.Paid, p.Sum)
	return sum
}

//go:noinline
func secret(n int) {
	key := []byte("geheim")
	use(&key)
	count(15)
	touch(n) // @secret
	use(key)
}

//go:noinline
func captured(n int) int {
	extra, more := 2*n, "more"
	literal := func() int {
		extra := extra + 1
		count(16)
		return touch(extra + len(more)) // @captured
	}
	use(literal)
	return literal()
}

//go:noinline
func looped(n int) { // @looped
	for i := 0; touch(i) < n%3; i++ {
	}
}

type Locked struct {
	pad   [2]int
	mu    sync.Mutex
	total atomic.Int64
	last  int
}

var shared Locked

//go:noinline
func locks(n int, l *Locked) {
	if n%2 == 0 {
		half := n / 2
		count(18)
		l.mu.Lock() // @lock
		l.last = half
		count(19)
		l.mu.Unlock() // @unlock
	}
	for i := range n % 3 {
		more := int64(i + n)
		count(20)
		l.total.Add(more) // @atomic
		touch(i)
	}
}

//go:noinline
func builder(n int) string {
	var b strings.Builder
	for i := range n % 4 {
		digit := byte(i + 1)
		count(21)
		b.WriteByte(digit) // @builder
	}
	return b.String()
}

func early(n int) int {
	if n%3 == 0 {
		return n
	}
	return touch(n)
}

func nested(n int) int { return early(n+1) - 1 }

func inner(n int) int {
	twice := 2 * n
	count(24)
	x := early(twice) // @inner
	return x - n
}

//go:noinline
func inlines(n int) int {
	sum := n
	if n%2 == 0 {
		half := n / 2
		count(22)
		sum += early(half) // @early
	}
	for i := range n % 3 {
		more := n + i
		count(23)
		x := nested(more) // @nested
		sum += x
	}
	sum += inner(n)
	if n%5 > 2 {
		touch(sum)
		sum -= inner(n + 1)
	}
	count(26)
	if early(n) > 7 { // @condition
		sum++
	}
	sum += func(extra int) int {
		count(27)
		return early(extra) // @literal
	}(2 * n)
	count(25)
	return early(n) // @last
}

//go:noinline
func typed(n int, v any) int {
	k := 0
	switch v.(type) {
	case int8:
		k = 1
	case int16:
		k = 2
	case int32:
		k = 3
	case uint8:
		k = touch(4)
	case uint16:
		k = 5
	case uint32:
		k = 6
	case uint64:
		k = 7
	case float32:
		k = 8
	case float64:
		k = 9
	case string:
		count(28)
		k = n & 0xFF // @typed
		touch(k)
	case []byte:
		k = 11
	}
	return k
}

//go:noinline
func dense(n int, l *Locked) int {
	k := n
	switch n % 12 {
	case 0:
		count(29)
		k += 17 * n // @case0
		touch(k)
	case 1:
		count(30)
		k += early(n) // @case1
	case 2:
		count(31)
		l.last = n // @case2
	case 3:
		count(32)
		k ^= 0x1234567 // @case3
		touch(n)
	case 4:
		count(33)
		shared.total.Add(int64(n)) // @case4
	case 5, 11:
		count(34)
		k = touch(k) // @case5
	case 6:
		for i := range n % 5 {
			count(35)
			k += i * n // @case6
			touch(i)
		}
	case 7:
		switch n % 16 {
		case 0, 1, 2:
			k++
		case 3:
			count(36)
			k = n*n + 1 // @case7
			touch(k)
		case 4, 5:
			k = touch(2)
		case 6, 7:
			k -= 5
		case 8:
			k += touch(4)
		case 9, 10:
			k--
		case 11:
			count(37)
			k += nested(n) // @case8
			touch(k)
		case 12:
			k = -k
		case 15:
			k = 1
		}
	case 8:
		count(38)
		return n - 1000 // @case9
	}
	return k
}

var errLate = errors.New("late")

func calls(n int) {
	straight(n)
	(&Account{"me", 10 * n}).method(n, "geheim")
	escaped(n)
	closure(n)
	use(small(n), small(n+1))
	generic(n, "text")
	generic(n, n)
	switched(n)
	wide(n)
	deferred(n)
	floats(n, context.Background())
	padded(n)
	secret(n)
	captured(n)
	count(17)
	looped(n)
	locks(n, &shared)
	builder(n)
	inlines(n)
	dense(n, new(Locked))
	typed(n, "text")
	typed(n, []any{int8(1), int16(1), int32(1), uint8(1), uint16(1), uint32(1), uint64(1), 1.0, "text", []byte("b")}[n%10])
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
	next := 1
	for in.Scan() {
		command, argument, _ := strings.Cut(in.Text(), " ")
		if command == "end" {
			return
		}
		rounds, _ := strconv.Atoi(argument)
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
		for i, mark := range marks {
			fmt.Println("count", mark, counts[i].Load())
		}
		runtime.KeepAlive(errLate)
		fmt.Println("done")
	}
}
