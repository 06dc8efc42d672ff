// Package work is what the requests of servers have done: on their goroutine, on goroutines that they
// start, and on others that run already.
package work

//lint:file-ignore SA4017 Calls are what is gathered here, whatever they return.

import (
	"context"
	"runtime"
	"sync"
	"time"

	"github.com/waymark-go/waymark/dev/servers/plain"
	"github.com/waymark-go/waymark/trace"
)

// Ways are those in which a request has calls made. A way names the function of this package that
// is called, and how often for the request with a number.
var Ways = []struct {
	Func  string
	Calls func(id int) int
}{
	{"direct", func(id int) int { return 40 + id%11 }},
	{"started", func(id int) int { return 2 + id%3 }},
	{"grouped", func(id int) int { return 2 + id%5 }},
	{"nested", func(id int) int { return 1 + id%2 }},
	{"plainly", func(id int) int { return 1 + id%2 }},
	{"pooled", func(id int) int { return 1 + id%4 }},
	{"unsaid", func(id int) int { return b2i(id%4 == 0) }},
	{"staged", func(id int) int { return 1 + id%3 }},
	{"timed", func(id int) int { return id % 2 }},
	{"cancelled", func(id int) int { return id % 2 }},
	{"outlived", func(id int) int { return b2i(id%10 == 0) }},
	{"finalized", func(id int) int { return b2i(id%100 == 0) }},
}

func b2i(is bool) int {
	if is {
		return 1
	}
	return 0
}

// calls returns how often the function is to be called for a request.
func calls(name string, id int) int {
	for _, w := range Ways {
		if w.Func == name {
			return w.Calls(id)
		}
	}
	panic("no way " + name)
}

// A Service has goroutines that wait for work.
type Service struct {
	jobs  chan job
	stage chan item
}

// A job goes to a worker.
type job struct {
	do func()
	by trace.Handoff // for whom
}

// An item goes through a pipeline, and comes back.
type item struct {
	n    int
	back chan int
	by   trace.Handoff
}

// Start returns a service with a pool of workers and a pipeline of one stage.
func Start() *Service {
	s := &Service{jobs: make(chan job), stage: make(chan item, 16)}
	for range 4 {
		go func() {
			for j := range s.jobs {
				j.by.Do(j.do)
			}
		}()
	}
	go func() {
		for it := range s.stage {
			it.by.Do(func() { it.back <- staged(it.n) })
		}
	}()
	return s
}

// Request does the work of the request with a number.
func (s *Service) Request(ctx context.Context, id int) {
	mark(id)
	for i := range calls("direct", id) {
		direct(i)
	}
	s.goroutines(id)
	s.elsewhere(id)
	later(ctx, id)
}

// Bits is how many calls of bit0 and bit1 say which request a trace is of.
const Bits = 24

//go:noinline
func mark(id int) {
	for i := range Bits {
		if id>>i&1 == 1 {
			bit1()
		} else {
			bit0()
		}
	}
}

//go:noinline
func bit0() {}

//go:noinline
func bit1() {}

// goroutines makes calls on goroutines that the request starts.
//
//go:noinline
func (s *Service) goroutines(id int) {
	var wg sync.WaitGroup
	for range calls("started", id) {
		wg.Add(1)
		go func() { defer wg.Done(); started() }()
	}
	for range calls("grouped", id) {
		wg.Go(func() { grouped() })
	}
	wg.Add(calls("nested", id))
	go func() {
		for range calls("nested", id) {
			go func() { defer wg.Done(); nested() }()
		}
	}()
	for range calls("plainly", id) {
		wg.Add(1)
		plain.Go(func() { defer wg.Done(); plainly() })
	}
	wg.Wait()
}

// elsewhere makes calls on goroutines that run already.
//
//go:noinline
func (s *Service) elsewhere(id int) {
	var wg sync.WaitGroup
	for range calls("pooled", id) {
		wg.Add(1)
		s.jobs <- job{func() { defer wg.Done(); pooled() }, trace.NewHandoff()}
	}
	for range calls("unsaid", id) {
		wg.Add(1)
		s.jobs <- job{do: func() { defer wg.Done(); unsaid() }}
	}
	back := make(chan int)
	for i := range calls("staged", id) {
		s.stage <- item{i, back, trace.NewHandoff()}
		<-back
	}
	wg.Wait()
}

// later makes calls at a time or event to come.
//
//go:noinline
func later(ctx context.Context, id int) {
	var wg sync.WaitGroup
	for range calls("timed", id) {
		wg.Add(1)
		time.AfterFunc(time.Microsecond, func() { defer wg.Done(); timed() })
	}
	for range calls("cancelled", id) {
		wg.Add(1)
		ctx, cancel := context.WithCancel(ctx)
		context.AfterFunc(ctx, func() { defer wg.Done(); cancelled() })
		cancel()
	}
	wg.Wait()
	for range calls("outlived", id) {
		go func() { time.Sleep(2 * time.Millisecond); outlived() }()
	}
	for range calls("finalized", id) {
		runtime.SetFinalizer(&item{n: id}, finalized)
	}
}

//go:noinline
func direct(n int) int { return leaf(n) + 1 }

//go:noinline
func leaf(n int) int { return n * n }

//go:noinline
func started() { leaf(1) }

//go:noinline
func grouped() { leaf(2) }

//go:noinline
func nested() { leaf(3) }

//go:noinline
func plainly() { leaf(4) }

//go:noinline
func pooled() { leaf(5) }

//go:noinline
func unsaid() { leaf(5) }

//go:noinline
func staged(n int) int { return leaf(n) }

//go:noinline
func timed() { leaf(6) }

//go:noinline
func cancelled() { leaf(7) }

//go:noinline
func outlived() { leaf(8) }

//go:noinline
func finalized(*item) { leaf(9) }
