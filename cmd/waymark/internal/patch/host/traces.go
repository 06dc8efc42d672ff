//go:build linux && amd64

package host

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/patch"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/image"
	"github.com/waymark-go/waymark/internal/calls"
	"github.com/waymark-go/waymark/internal/program/control"
	"github.com/waymark-go/waymark/internal/text/tracetext"
)

// callees returns the functions of the main module: of those that others call, these are seen.
func (h *host) callees() []*image.Func {
	usual, _, _ := h.matching(nil)
	return usual
}

// traces tells the trees of calls, each of what its goroutine did, and those that it started meanwhile.
type traces struct {
	*task
	least   time.Duration
	panics  bool
	nodes   bool
	strands map[uint64]*strand // by goroutine
	list    []control.Trace
}

// An active trace is one whose root call is in progress.
type active struct {
	root       *patch.Call
	tree       calls.Trace
	strands    map[uint64]*strand // by goroutine
	goroutines uint64             // that have made calls
	total      uint64
	panics     uint64
}

// A strand is what a goroutine does in a trace.
type strand struct {
	a     *active
	under uint32   // node of the call whose go statement started it; 0: it has the root call
	open  []uint32 // nodes of the calls in progress
	heard bool     // it has made calls
}

// node returns the node of what is in progress.
func (s *strand) node() uint32 {
	if n := len(s.open); n > 0 {
		return s.open[n-1]
	}
	return s.under
}

// Limits of what is told, as in programs that waymark has built.
const (
	mostTraces = 20 // that wait for the client
	mostTree   = 256 << 10
	mostCalls  = 1 << 20 // of a trace
)

func (t *traces) begin(c *patch.Call) {
	if !t.near(c) {
		return
	}
	s := t.strands[c.Goroutine]
	if s == nil {
		if !t.has(c) {
			return
		}
		s = &strand{a: &active{root: c, strands: make(map[uint64]*strand)}}
		t.add(c.Goroutine, s)
	}
	a := s.a
	if !s.heard {
		s.heard = true
		a.goroutines++
	}
	if a.total++; a.total > mostCalls {
		s.open = append(s.open, 0)
		return
	}
	row, goes := c.Site.Number, len(s.open) == 0 && s.under > 0
	if goes { // these calls are told from those that the goroutine above makes itself
		row |= 1 << 31
	}
	s.open = append(s.open, a.tree.Begin(s.node(), row, c.Site.Name(), "", goes))
}

// forget implements forgetter.
func (t *traces) forget() { clear(t.strands) }

func (t *traces) add(goroutine uint64, s *strand) {
	t.strands[goroutine], s.a.strands[goroutine] = s, s
}

// spawn implements follower.
func (t *traces) spawn(goroutine, child uint64) {
	if s := t.strands[goroutine]; s != nil && s.node() > 0 {
		t.add(child, &strand{a: s.a, under: s.node()})
	}
}

// over implements follower.
func (t *traces) over(goroutine uint64) {
	if s := t.strands[goroutine]; s != nil {
		delete(t.strands, goroutine)
		delete(s.a.strands, goroutine)
	}
}

func (t *traces) end(c *patch.Call) {
	s := t.strands[c.Goroutine]
	if s == nil || len(s.open) == 0 || !t.near(c) {
		return
	}
	a, node := s.a, s.node()
	s.open = s.open[:len(s.open)-1]
	if node == 0 { // the tree has no room for it
		return
	}
	tick := t.h.tick
	took := c.Ended - min(c.Began, c.Ended)
	panicked := c.End == patch.Panicked
	a.tree.Nodes[node].Sum.End(calls.Call{Took: int64(float64(took) * tick), Self: int64(float64(took-min(c.Callees, took)) * tick), Panicked: panicked, Failed: c.Failed})
	if panicked {
		a.panics++
	}
	if c == a.root {
		t.meets(c)
		for goroutine, s := range a.strands { // what they do from now on is in no trace
			delete(t.strands, goroutine)
			for _, node := range s.open {
				a.tree.Nodes[node].Sum.Open++
			}
		}
		t.tell(a, c, tick)
	}
}

func (t *traces) tell(a *active, c *patch.Call, tick float64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	took := time.Duration(float64(c.Ended-min(c.Began, c.Ended)) * tick)
	switch {
	case t.full(), took < t.least, t.panics && c.End == patch.Returned:
		return
	case len(t.list) == mostTraces:
		t.skipped++
		return
	}
	start := t.scale.wall.Add(time.Duration((float64(c.Began) - float64(t.scale.clock)) * tick))
	one := control.Trace{Key: fmt.Sprintf("%d@%d", c.Goroutine, t.hits+1), Root: c.Site.Name(), Goroutine: c.Goroutine,
		StartUnix: start.UnixNano(), DurationNS: int64(took), Calls: a.total, Panics: a.panics}
	if t.nodes {
		one.Call, one.Omitted = control.NodesOf(&a.tree, mostTree)
		one.Omitted += a.total - min(a.total, mostCalls)
	} else {
		var b strings.Builder
		text := tracetext.Trace{Key: one.Key, Root: one.Root, Goroutine: fmt.Sprint(c.Goroutine), Start: start.Sub(t.scale.wall), Duration: took, Calls: one.Calls, Panics: one.Panics, Goroutines: a.goroutines}
		left := a.total - min(a.total, mostCalls)
		tracetext.WriteTree(&b, text, &a.tree, nil, 0, left, "too many calls in one trace")
		if one.Tree = b.String(); len(one.Tree) > mostTree {
			one.Tree = one.Tree[:mostTree] + "...\n"
		}
	}
	t.hits++
	t.list = append(t.list, one)
}

// Next implements control.Task.
func (t *traces) Next() (n control.News) {
	t.last()
	t.mu.Lock()
	defer t.mu.Unlock()
	some := min(len(t.list), 1) // a trace may fill a message
	n = t.news()
	n.Traces = slices.Clone(t.list[:some])
	t.list = slices.Delete(t.list, 0, some)
	if n.More = len(t.list) > 0; !n.More {
		t.done(&n)
	}
	return n
}

// Close implements control.Task.
func (t *traces) Close() error { return t.h.stop(t) }
