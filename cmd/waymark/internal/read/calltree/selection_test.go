package calltree

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree/calltreetest"
	"github.com/waymark-go/waymark/internal/testing/seed"
)

// TestSelection compares the calls that are chosen with those that a plain walk over the
// true calls of made-up programs chooses. Nothing but the depth of a call may change.
func TestSelection(t *testing.T) {
	third := func(site uint32) bool { return site%3 == 0 }
	odd := func(site uint32) bool { return site%2 == 1 }
	for _, tt := range []struct {
		name string
		s    Selection
		opt  Options
	}{
		{"all", Selection{}, Options{}},
		{"functions", Selection{Show: odd}, Options{}},
		{"min", Selection{Min: 150}, Options{}},
		{"depth", Selection{Depth: 3}, Options{}},
		{"root", Selection{Root: third}, Options{}},
		{"callers", Selection{Callers: third}, Options{}},
		{"functions to a depth", Selection{Show: odd, Depth: 2}, Options{}},
		{"long calls below", Selection{Root: third, Min: 100, Show: odd}, Options{}},
		{"callers of long calls", Selection{Callers: third, Min: 100, Depth: 6, Show: odd}, Options{}},
		{"of an account", Selection{Callers: third}, Options{Keep: odd}},
		{"in a window", Selection{Callers: third, Min: 60}, Options{From: 2000, To: 6000}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, seed := range seed.List(50) {
				p := &program{rand: rand.New(rand.NewPCG(seed, 1)), calm: tt.opt.To > 0}
				events, calls := p.run(1 + int(seed%8))

				var got []Call
				depth := make(map[uint64]int)
				o := tt.opt
				o.OnEnter, o.OnCall, _ = tt.s.Of(func(c *Call) {
					if c.Depth != depth[c.Goroutine] {
						t.Errorf("a call of site %d begins at depth %d; open are %d", c.Site, c.Depth, depth[c.Goroutine])
					}
					depth[c.Goroutine]++
				}, func(c *Call) {
					if depth[c.Goroutine]--; c.Depth != depth[c.Goroutine] {
						t.Errorf("a call of site %d ends at depth %d; open are %d", c.Site, c.Depth, depth[c.Goroutine])
					}
					got = append(got, *c)
				}, nil)
				read(t, events, o)

				w := choosing{Selection: tt.s}
				truth := truth{opt: tt.opt, rows: make(map[uint32]*Row)}
				for _, n := range calls {
					w.walk(n, &truth, nil)
				}
				byGoroutine := func(x, y Call) int { return cmp.Compare(x.Goroutine, y.Goroutine) }
				slices.SortStableFunc(got, byGoroutine)
				slices.SortStableFunc(w.calls, byGoroutine)
				compare(t, "call", got, w.calls)
				if t.Failed() {
					t.Fatalf("with seed %d", seed)
				}
			}
		})
	}
}

// choosing chooses among true calls in the plainest way.
type choosing struct {
	Selection
	calls []Call
}

// walk takes a call with its callers, outermost first, and reports whether it or one that
// it makes is one of Callers that is chosen.
func (w *choosing) walk(n *node, truth *truth, callers []*node) (made bool) {
	path := callers
	if truth.opt.Keep == nil || truth.opt.Keep(n.site) {
		path = append(slices.Clip(callers), n)
	}
	for _, c := range n.children {
		if w.walk(c, truth, path) {
			made = true
		}
	}
	if len(path) == len(callers) {
		return made
	}
	before := len(truth.calls)
	var keys []uint32
	for _, caller := range callers {
		keys = append(keys, caller.site)
	}
	truth.walk(n, len(callers), keys)
	if len(truth.calls) == before {
		return made // outside of the window
	}
	call := truth.calls[len(truth.calls)-1]
	candidate, depth := true, 0
	for i := range path {
		candidate = w.candidate(path[:i+1], depth)
		if candidate && i < len(path)-1 {
			depth++
		}
	}
	if !candidate {
		return made
	}
	if w.Callers == nil || w.Callers(n.site) {
		made = made || call.End-call.Began >= w.Min
	}
	if made || w.Callers == nil && call.End-call.Began >= w.Min {
		call.Depth = depth
		w.calls = append(w.calls, call)
	}
	return made
}

// candidate reports whether the last call of a path can be chosen, if as many before it can.
func (w *choosing) candidate(path []*node, before int) bool {
	n := path[len(path)-1]
	return (w.Show == nil || w.Show(n.site)) && (w.Depth == 0 || before < w.Depth) &&
		(w.Root == nil || slices.ContainsFunc(path, func(n *node) bool { return w.Root(n.site) }))
}

// The calls that are open when a window begins are told at its beginning, with the arguments
// that they began with. Calls that go on after the window are marked so.
func TestWindowOfCalls(t *testing.T) {
	events, err := calltreetest.Events("A10 B20 @2 <1 C10 D20 d20 @1 +100 b20 D20 d20 @2 +100 c10 @1 a10")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		from, to uint64
		want     string
	}{
		{50, 150, "A(1)+ B(2)+ C(4)+ B- D(108)+ D- A~> C~>"},
		{50, 100, "A(1)+ B(2)+ C(4)+ B~> A~> C~>"},
		{2, 6, "A(1)+ B(2)+ C(4)+ D(5)+ D- B~> A~> C~>"},
		{150, 0, "A(1)+ C(4)+ C- A-"},
		{150, 1000, "A(1)+ C(4)+ C- A-"},
	} {
		o := Options{From: tt.from, To: tt.to}
		var list []string
		add := func(c *Call, text string) { list = append(list, fmt.Sprintf("%c%s", 'A'+c.Site-1, text)) }
		o.OnEnter = func(c *Call) { add(c, fmt.Sprintf("(%s)+", c.Args)) }
		o.OnCall = func(c *Call) {
			end := "-"
			if c.Flags&Open != 0 {
				end = "~"
			}
			if c.Flags&Past != 0 {
				end += ">"
			}
			add(c, end)
		}
		b := New(o)
		for _, ev := range events {
			ev.Data = fmt.Appendf(nil, "%d", ev.Clock)
			b.Add(&ev)
			clear(ev.Data) // it is valid until Add returns
		}
		b.Close(events[len(events)-1].Clock)
		if got := strings.Join(list, " "); got != tt.want {
			t.Errorf("%d to %d:\n got %s\nwant %s", tt.from, tt.to, got, tt.want)
		}
	}
}

// chooser chooses calls of sites above 1 that take 3 ticks or more, and counts what it is asked.
type chooser struct{ entered, exited int }

func (x *chooser) Enter(c *Call) (uint64, bool) {
	x.entered++
	return uint64(c.Site), c.Site > 1
}

func (x *chooser) Exit(c *Call, slots uint64) bool {
	x.exited++
	return c.End-c.Began >= 3 && slots == uint64(c.Site)
}

// TestIf has calls chosen one by one: they are told as they end, unless callers are wanted, too.
func TestIf(t *testing.T) {
	for _, tt := range []struct {
		s    Selection
		want string
	}{
		{Selection{}, "0C 0c 0B 0b 0C 0c"},
		{Selection{Min: 4}, "0B 0b"},
		{Selection{Depth: 2}, "0B 0b 0C 0c"},
		{Selection{Show: func(site uint32) bool { return site == 3 }}, "0C 0c 0C 0c"},
		{Selection{Callers: func(site uint32) bool { return site == 3 }}, "0A 1B 2C 2c 1b 1C 1c 0a"},
	} {
		events, err := calltreetest.Events("A10 B20 C30 +2 c30 b20 B20 b20 C20 +2 c20 a10")
		if err != nil {
			t.Fatal(err)
		}
		x := new(chooser)
		tt.s.If = x
		var got []string
		o := Options{}
		o.OnEnter, o.OnCall, _ = tt.s.Of(
			func(c *Call) { got = append(got, fmt.Sprintf("%d%c", c.Depth, 'A'+c.Site-1)) },
			func(c *Call) { got = append(got, fmt.Sprintf("%d%c", c.Depth, 'a'+c.Site-1)) }, nil)
		read(t, events, o)
		if text := strings.Join(got, " "); text != tt.want || x.exited > x.entered {
			t.Errorf("%+v: %s, want %s; asked %+v", tt.s, text, tt.want, x)
		}
	}
}
