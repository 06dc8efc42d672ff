package trace

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/waymark-go/waymark/internal/program/gather"
	"github.com/waymark-go/waymark/internal/program/switchboard"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// A fake is a program, and what gathers its traces.
type fake struct {
	mu      sync.Mutex
	options gather.Options
	number  uint64
	longer  time.Duration
	stopped int
	lost    uint64
	active  uint64
	list    []gather.Active
	funcs   []*Func
	ends    []*func()
	err     error
}

// world returns the fake as collectors see it.
func (f *fake) world() world {
	return world{
		gather: func(o gather.Options) (source, error) {
			f.options, f.longer = o, o.Keep.Longer
			return f, f.err
		},
		run: func(g func()) { go g() },
		atEnd: func(end func()) func() {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.ends = append(f.ends, &end)
			return func() {
				f.mu.Lock()
				defer f.mu.Unlock()
				f.ends = nil
			}
		},
		funcs: func(s switchboard.Selection) (list []*Func) {
			for _, fn := range f.funcs {
				if s.Has == nil || s.Has(fn) {
					list = append(list, fn)
				}
			}
			return list
		},
		goroutine: func() uint64 { return 0 },
	}
}

func (f *fake) SetLonger(d time.Duration) { f.longer = d }
func (f *fake) Stop()                     { f.stopped++ }
func (f *fake) Active() uint64            { return f.active }
func (f *fake) List() []gather.Active     { return f.list }
func (f *fake) Counts() (completed, kept, dropped, lost, unvalued uint64) {
	return f.number, 0, 0, f.lost, 0
}

// end ends the program.
func (f *fake) end() {
	f.mu.Lock()
	list := f.ends
	f.mu.Unlock()
	for _, end := range list {
		(*end)()
	}
}

// ended has a root call end. The trace is delivered if the rule says so.
func (f *fake) ended(t *gather.Trace) {
	f.number++
	t.Key = f.number
	k := f.options.Keep
	if k.All || k.Failed && t.Failed || k.Longer > 0 && t.Duration > k.Longer || k.OneIn > 0 && t.Key%k.OneIn == 0 {
		f.options.Deliver(t)
	}
}

// A named selects the function of that name, for a test.
type named struct {
	switchboard.Selecting
	name string
}

func roots(name string) *named {
	return &named{switchboard.Selects(func() (switchboard.Selection, string, error) {
		return switchboard.Selection{Has: func(f *Func) bool { return f.Name == name }}, "", nil
	}), name}
}

func (n *named) String() string { return n.name }

// begun starts a collector of main.handle.
func begun(t *testing.T, f *fake, o Options) *Collector {
	t.Helper()
	c, err := start(f.world(), roots("main.handle"), o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

var epoch = time.Unix(1_700_000_000, 0)

// gathered makes a trace of strands, each "goroutine<parent@started by: events". An event is a time
// in us, or what happens. +f begins, -f ends, !f is left by a panic, ?f returns an error. P panics,
// R recovers in the innermost call, G is Goexit. Callees have greater frames.
func gathered(t testing.TB, strands ...string) *gather.Trace {
	t.Helper()
	tr := &gather.Trace{Start: epoch}
	funcs := make(map[string]*Func)
	function := func(name string) *Func {
		if funcs[name] == nil {
			funcs[name] = &Func{Name: name}
		}
		return funcs[name]
	}
	for i, text := range strands {
		head, events, _ := strings.Cut(text, ":")
		var s gather.Strand
		if at := strings.IndexByte(head, '<'); at < 0 {
			fmt.Sscan(head, &s.Goroutine)
		} else {
			var us int64
			var by string
			if _, err := fmt.Sscanf(head, "%d<%d@%d %s", &s.Goroutine, &s.Parent, &us, &by); err != nil {
				t.Fatalf("%q: %v", head, err)
			}
			s.Started, s.By = time.Duration(us)*time.Microsecond, function(by)
		}
		now, depth := time.Duration(0), uint64(0)
		for _, word := range strings.Fields(events) {
			ev := gather.Event{At: now, Frame: depth * 64}
			switch name := word[1:]; word[0] {
			case '+':
				depth++
				ev.Kind, ev.Func, ev.Frame = format.Enter, function(name), depth*64
			case '-', '!':
				ev.Kind, ev.Func, ev.Left = format.Exit, function(name), word[0] == '!'
				depth--
			case '?':
				ev.Kind, ev.Func = format.Error, function(name)
			case 'P':
				ev.Kind, ev.Frame = format.Panic, (depth+1)*64
			case 'R':
				ev.Kind = format.Recover
				fmt.Sscan(name, &ev.Frame) // depth of the call
				ev.Frame *= 64
			case 'G':
				ev.Kind = format.Goexit
			default:
				var us int64
				if _, err := fmt.Sscan(word, &us); err != nil {
					t.Fatalf("%q: %v", word, err)
				}
				now = time.Duration(us) * time.Microsecond
				continue
			}
			s.Events = append(s.Events, ev)
		}
		s.Detached = depth > 0
		if i == 0 {
			tr.Root, tr.Goroutine, tr.Duration = s.Events[0].Func, s.Goroutine, now
		}
		tr.Strands = append(tr.Strands, s)
	}
	return tr
}

// lasting returns a trace of main.handle that took so long.
func lasting(t testing.TB, took time.Duration) *gather.Trace {
	tr := gathered(t, "1: +main.handle -main.handle")
	tr.Duration, tr.Strands[0].Events[1].At = took, took
	return tr
}
