package inspect

import (
	"cmp"
	"runtime"
	"slices"
	"sync"

	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/internal/program/control"
	"github.com/waymark-go/waymark/internal/program/switchboard"
)

// stacks counts who calls functions.
type stacks struct {
	wish
	limit uint64

	mu      sync.Mutex
	counts  map[stack]uint64
	hits    uint64
	skipped uint64
	fresh   bool // there is more than the last news had
}

// mostFrames is how many frames of a stack are looked at, with those of the hooks.
const mostFrames = 64

// A stack is that of calls of a function.
type stack struct {
	f   *function.Func
	pcs [mostFrames]uintptr
}

// Observe implements switchboard.Observer.
func (s *stacks) Observe(e *switchboard.Event) {
	if e.Kind != switchboard.Enter {
		return
	}
	at := stack{f: e.Func}
	runtime.Callers(2, at.pcs[:])
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.limit > 0 && s.hits >= s.limit {
		return
	}
	if s.counts == nil {
		s.counts = make(map[stack]uint64)
	}
	if _, known := s.counts[at]; !known && len(s.counts) >= mostStacks {
		s.skipped++
		return
	}
	s.counts[at]++
	s.hits++
	s.fresh = true
}

// Next implements control.Task.
func (s *stacks) Next() control.News {
	s.mu.Lock()
	defer s.mu.Unlock()
	news := control.News{Hits: s.hits, Skipped: s.skipped}
	if s.fresh {
		s.fresh = false
		for at, n := range s.counts {
			news.Stacks = append(news.Stacks, control.Stack{Function: at.f.Name, Calls: n, Callers: at.callers(mostFrames)})
		}
		slices.SortFunc(news.Stacks, func(a, b control.Stack) int { return cmp.Compare(b.Calls, a.Calls) })
		news.Stacks = news.Stacks[:min(len(news.Stacks), mostStacksTold)]
	}
	if s.end(&news); s.limit > 0 && s.hits >= s.limit {
		news.Done, news.Why = true, control.WhyEnough
	}
	return news
}

// mostStacksTold is how many stacks are in one message.
const mostStacksTold = 50

// callerOf returns who makes the call of f that begins; nil: the runtime.
func callerOf(f *function.Func) *control.Frame {
	at := stack{f: f}
	runtime.Callers(2, at.pcs[:])
	if list := at.callers(1); len(list) > 0 {
		return &list[0]
	}
	return nil
}

// callers returns the frames above the function's own, which the hooks are below of, most of them at
// most.
func (s *stack) callers(most int) (list []control.Frame) {
	n := slices.Index(s.pcs[:], 0)
	if n < 0 {
		n = mostFrames
	}
	frames := runtime.CallersFrames(s.pcs[:n])
	for own := false; ; {
		f, more := frames.Next()
		if own && f.Function != "runtime.goexit" && f.Function != "runtime.main" && f.Function != "" {
			list = append(list, control.Frame{Function: f.Function, File: f.File, Line: f.Line})
		}
		own = own || f.Function == s.f.Name
		if !more || len(list) == most {
			return list
		}
	}
}
