// Gather gathers traces of its own calls, and checks them by what it knows itself. Its argument says
// which of the checks to make.
package main

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/internal/program/gather"
	"github.com/waymark-go/waymark/internal/program/switchboard"
	"github.com/waymark-go/waymark/internal/wire/format"
)

var (
	failures sync.Mutex
	failed   bool
)

func errorf(f string, args ...any) {
	failures.Lock()
	defer failures.Unlock()
	fmt.Printf(f+"\n", args...)
	failed = true
}

func main() {
	checks := map[string]func(){
		"shapes": shapes, "limits": limits, "crowd": crowd, "detached": detached, "linger": linger, "parked": parked, "late": late, "active": active,
		"waiting": waiting, "rules": rules, "ranked": ranked, "slow": slow, "storm": storm, "together": together, "busy": busy, "beside": beside, "nested": nested, "watched": watched, "deadlock": deadlock,
	}
	checks[os.Args[1]]()
	if failed {
		os.Exit(1)
	}
}

// named selects functions of package work by their names.
func named(names ...string) switchboard.Selection {
	return switchboard.Selection{Has: func(f *function.Func) bool {
		for _, name := range names {
			if short(f) == name {
				return true
			}
		}
		return false
	}}
}

func short(f *function.Func) string {
	if f == nil {
		return "?"
	}
	return strings.TrimPrefix(f.Name, "github.com/waymark-go/waymark/gather/work.")
}

// delivered is the number of traces that gathered has got.
var delivered atomic.Uint64

// settled waits until no root call is in progress, and all traces are delivered. A root call that Goexit
// leaves ends with its goroutine: after the deferred calls that others may wait for.
func settled(g *gather.Gatherer) {
	for {
		active := g.Active()
		if completed, _, _, _, _ := g.Counts(); active == 0 && delivered.Load() == completed {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// gathered returns the traces that are kept while f runs, in the order of their roots' ends.
func gathered(o gather.Options, f func(*gather.Gatherer)) (list []*gather.Trace) {
	if o.Roots.Has == nil {
		o.Roots = named("Root", "Fails")
	}
	o.Deliver = func(t *gather.Trace) {
		paired(t)
		list = append(list, t)
		delivered.Add(1)
	}
	delivered.Store(0)
	g := start(o)
	f(g)
	g.Stop()
	return list
}

func start(o gather.Options) *gather.Gatherer {
	g, err := gather.Start(o)
	if err != nil {
		panic(err)
	}
	return g
}

// paired checks that the calls of a trace nest, in the order of time, and end if their goroutine has.
func paired(t *gather.Trace) {
	for i, s := range t.Strands {
		var open []gather.Event
		last := s.Started
		for n, e := range s.Events {
			if e.At < last {
				errorf("trace %d, strand %d, event %d: at %v after %v", t.Key, i, n, e.At, last)
			}
			last = e.At
			switch e.Kind {
			case format.Enter:
				open = append(open, e)
			case format.Exit:
				if len(open) == 0 || open[len(open)-1].Func != e.Func || open[len(open)-1].Frame != e.Frame {
					errorf("trace %d, strand %d, event %d: %s ends, of %d calls:\n%s", t.Key, i, n, short(e.Func), len(open), shape(t))
					return
				}
				open = open[:len(open)-1]
			}
		}
		if len(open) > 0 && !s.Detached || i == 0 && s.Detached {
			errorf("trace %d, strand %d: %d calls without an end, detached %v\n%s", t.Key, i, len(open), s.Detached, shape(t))
		}
	}
	if r := t.Strands[0]; !t.Truncated && (len(r.Events) < 2 || r.Events[0].At != 0 || r.Events[0].Func != t.Root) {
		errorf("trace %d does not begin with its root %s:\n%s", t.Key, short(t.Root), shape(t))
	}
	if t.Start.IsZero() || time.Since(t.Start) < t.Duration || time.Since(t.Start) > time.Hour {
		errorf("trace %d began at %v, took %v", t.Key, t.Start, t.Duration)
	}
}

// shape returns a trace as text, without times.
func shape(t *gather.Trace) string {
	var b strings.Builder
	for i, s := range t.Strands {
		if i > 0 {
			fmt.Fprintf(&b, " | %s:", short(s.By))
		}
		if s.Detached {
			b.WriteString(" ~")
		}
		for _, e := range s.Events {
			switch {
			case e.Kind == format.Enter:
				b.WriteString(" (" + short(e.Func))
			case e.Kind == format.Exit && e.Left:
				b.WriteString(" left)")
			case e.Kind == format.Exit:
				b.WriteString(")")
			default:
				b.WriteString(" " + e.Kind.String())
			}
		}
	}
	if t.Failed {
		b.WriteString(" failed")
	}
	if t.Panicked {
		b.WriteString(" panicked")
	}
	if t.Exited {
		b.WriteString(" exited")
	}
	if t.Lost > 0 {
		fmt.Fprintf(&b, " lost %d", t.Lost)
	}
	return strings.TrimSpace(b.String())
}
