package timing

import (
	"bytes"
	"runtime"
	"strconv"
	"testing"
	"time"
)

// A world has a set whose clock and goroutine the test says.
type world struct {
	*Set
	clock     time.Duration
	goroutine uint64
	strays    []string
}

func newWorld() *world {
	w := &world{goroutine: 1}
	w.Set = NewSet(Config{
		Clock:     func() time.Duration { return w.clock },
		Goroutine: func() uint64 { return w.goroutine },
		Stray: func(t *Timer, goroutine uint64) {
			w.strays = append(w.strays, t.Name()+" "+strconv.FormatUint(goroutine, 10))
		},
	})
	return w
}

// timer makes a timer, which is enabled.
func (w *world) timer(t testing.TB, name string) *Timer {
	t.Helper()
	timer := must(w.Timer(name, ""))(t)
	timer.Enable()
	return timer
}

// on does something on a goroutine at a time.
func (w *world) on(goroutine uint64, at time.Duration, f func()) {
	w.goroutine, w.clock = goroutine, at
	f()
}

func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// A tape is a handler that keeps the events.
type tape struct{ events []Event }

func (p *tape) Handle(e Event) { p.events = append(p.events, e) }

// took returns the kinds and durations of all events but enters, and forgets the events.
func (p *tape) took() (list []string) {
	for _, e := range p.events {
		if e.Kind != Enter {
			list = append(list, e.Timer.Name()+" "+e.Kind.String()+" "+e.Duration.String())
		}
	}
	p.events = nil
	return list
}

// idOfStack returns the goroutine's id in a program that plain Go has built.
func idOfStack() uint64 {
	var b [64]byte
	fields := bytes.Fields(b[:runtime.Stack(b[:], false)])
	id, _ := strconv.ParseUint(string(fields[1]), 10, 64)
	return id
}
