// Valuestorm passes pointers to values that other goroutines change meanwhile, torn
// and dangling ones too, and prints how often it called each function.
//
//	valuestorm SECONDS
//
// No goroutine of its own races with another: writers hold a lock that the functions
// which are called with the pointers never need, because they don't look. Only who
// records the arguments does.
package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

const kinds = 6

var (
	counts  [kinds]atomic.Int64
	names   = [kinds]string{"look", "lookMap", "lookAny", "deep", "ranged", "words"}
	stop    atomic.Bool
	targets [4]*target
)

// A target is what writers change.
type target struct {
	sync.Mutex
	text   string
	bytes  []byte
	any    any
	err    error
	stru   shape
	m      map[string]*target
	next   *target
	list   []any
	ch     chan int
	fn     func(int) int
	nested struct {
		a [3]any
		s fmt.Stringer
	}
}

type shape struct {
	p *int
	s string
	n [4]uint64
}

type (
	directPointer struct{ p *shape }
	number        int
	text          string
	large         [40]uint64
	holder        struct{ x any }
)

func (d directPointer) Error() string { return "" }
func (n number) Error() string        { return "" }
func (n number) String() string       { return "" }
func (t text) Error() string          { return "" }
func (t text) String() string         { return "" }
func (l *large) Error() string        { return "" }
func (l *large) String() string       { return "" }
func (h holder) Error() string        { return "" }

func main() {
	seconds, err := strconv.ParseFloat(os.Args[1], 64)
	if err != nil {
		panic(err)
	}
	debug.SetGCPercent(5)
	for i := range targets {
		targets[i] = &target{m: make(map[string]*target)}
	}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() { write(rand.New(rand.NewPCG(uint64(i), 1))) })
		wg.Go(func() { call(rand.New(rand.NewPCG(uint64(i), 2))) })
	}
	wg.Go(func() {
		for !stop.Load() {
			debug.FreeOSMemory()
			time.Sleep(20 * time.Millisecond)
		}
	})
	time.Sleep(time.Duration(seconds * float64(time.Second)))
	stop.Store(true)
	wg.Wait()
	time.Sleep(10 * time.Millisecond) // until the goroutines have ended too
	for i := range counts {
		fmt.Printf("main.%s %d\n", names[i], counts[i].Load())
	}
}

// write changes targets until the end.
func write(rng *rand.Rand) {
	for !stop.Load() {
		t := targets[rng.IntN(len(targets))]
		n := rng.IntN(200)
		t.Lock()
		switch rng.IntN(11) {
		case 0:
			t.text = strings.Repeat("x", n)
		case 1:
			t.bytes = make([]byte, n*n)
		case 2:
			t.any = dynamic(rng, n)
		case 3:
			t.err, _ = dynamic(rng, n).(error)
		case 4:
			t.stru = shape{&n, strings.Repeat("s", n), [4]uint64{rng.Uint64()}}
		case 5:
			t.m[strconv.Itoa(n)] = t
			if n == 0 {
				clear(t.m)
			}
		case 6:
			t.next = targets[rng.IntN(len(targets))]
			if n%3 == 0 {
				t.next = &target{text: "fresh", next: t}
			}
		case 7:
			t.list = make([]any, n)
			for i := range t.list {
				t.list[i] = dynamic(rng, i)
			}
		case 8:
			t.ch = make(chan int, n)
			for range n / 2 {
				t.ch <- n
			}
		case 9:
			t.fn = func(m int) int { return n + m }
		case 10:
			t.nested.a[n%3] = dynamic(rng, n)
			t.nested.s, _ = dynamic(rng, n).(fmt.Stringer)
		}
		t.Unlock()
		if n%16 == 0 {
			growStack(n)
		}
	}
}

// dynamic gives a value of one of several types: some lie in the word of an interface,
// others behind it, and they differ in size.
func dynamic(rng *rand.Rand, n int) any {
	switch rng.IntN(12) {
	case 0:
		return n
	case 1:
		return directPointer{&shape{s: "direct"}}
	case 2:
		return number(rng.Int())
	case 3:
		return text(strings.Repeat("t", n))
	case 4:
		return &large{1, rng.Uint64()}
	case 5:
		return large{}
	case 6:
		return holder{holder{n}}
	case 7:
		return []string{"a", strings.Repeat("b", n)}
	case 8:
		return errors.New("error")
	case 9:
		return map[int]string{n: "n"}
	case 10:
		return dynamic
	}
	return nil
}

// call passes pointers on until the end, on goroutines whose stacks grow and shrink.
func call(rng *rand.Rand) {
	for !stop.Load() {
		t := targets[rng.IntN(len(targets))]
		look(t, &t.stru)
		lookMap(&t.m, &t.ch, &t.fn)
		lookAny(&t.any, &t.err, &t.list)
		deep(rng.IntN(10), t)
		ranged(t)
		var garbage [16]uint64
		for i := range garbage {
			// What looks like pointers into the heap, the stack and the program.
			switch base := rng.IntN(4); base {
			case 0:
				garbage[i] = uint64(uintptr(unsafe.Pointer(t))) + uint64(rng.IntN(1<<20)) - 1<<19
			case 1:
				garbage[i] = uint64(uintptr(unsafe.Pointer(&garbage))) + uint64(rng.IntN(1<<16)) - 1<<15
			case 2:
				garbage[i] = **(**uint64)(unsafe.Pointer(&look0)) + uint64(rng.IntN(1<<22)) - 1<<21
			case 3:
				garbage[i] = rng.Uint64()
			}
		}
		garbage[0], garbage[2] = typeWord(dynamic(rng, i)), typeWord(dynamic(rng, i+1))
		words((*torn)(unsafe.Pointer(&garbage)))
		runtime.KeepAlive(&garbage)
		if rng.IntN(10) == 0 {
			done := make(chan bool)
			go func() { deep(200, t); close(done) }()
			<-done
		}
	}
}

const i = 7

var look0 = look

func typeWord(x any) uint64 { return uint64(*(*uintptr)(unsafe.Pointer(&x))) }

// torn is laid over words that are no values of its fields' types.
type torn struct {
	a, b any
	c    error
	d    string
	e    []shape
	f    *target
	g    func()
	h    map[int]int
	i    chan int
	j    *any
}

//go:noinline
func look(t *target, s *shape) (*target, *shape) {
	counts[0].Add(1)
	return t, s
}

//go:noinline
func lookMap(m *map[string]*target, c *chan int, f *func(int) int) {
	counts[1].Add(1)
}

//go:noinline
func lookAny(x *any, err *error, list *[]any) (_ *any, _ *error) {
	counts[2].Add(1)
	defer runtime.Gosched()
	return x, err
}

func deep(n int, t *target) int {
	counts[3].Add(1)
	var pad [256]byte
	if n > 0 {
		pad[n] = byte(deep(n-1, t))
	}
	return int(pad[n])
}

func ranged(t *target) (got any, last **target) {
	counts[4].Add(1)
	for x := range func(yield func(any) bool) { yield(t) } {
		return x, &t.next
	}
	return nil, nil
}

//go:noinline
func words(t *torn) { counts[5].Add(1) }

func growStack(n int) byte {
	var pad [1024]byte
	if n > 0 {
		pad[n] = growStack(n / 2)
	}
	return pad[n]
}
