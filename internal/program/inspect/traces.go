package inspect

import (
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/waymark-go/waymark/internal/program/control"
	"github.com/waymark-go/waymark/internal/program/switchboard"
	"github.com/waymark-go/waymark/trace"
)

// traces tells the trees of calls.
type traces struct {
	collector *trace.Collector
	limit     uint64
	nodes     bool // trees are nodes

	mu      sync.Mutex
	list    []control.Trace
	hits    uint64
	skipped uint64
	closed  bool
}

// A selector selects the roots.
type selector struct {
	switchboard.Selecting
	name string
}

func (s selector) String() string { return s.name }

// Origin says who wants traces.
func (s selector) Origin() switchboard.Origin { return switchboard.Command }

func newTraces(s switchboard.Selection, name string, w control.Watch) (control.Task, error) {
	t := &traces{limit: w.Limit, nodes: w.Nodes}
	o := trace.Options{MaxTraces: 1, OnTrace: t.add, OneIn: 1}
	if least := time.Duration(w.MinNS); least > 0 && !w.Panics {
		o.OneIn, o.Longer = 0, least
	} else if w.Panics {
		o.OneIn, o.Keep = 0, func(one *trace.Trace) bool { return one.Panicked && one.Duration >= least }
	}
	selecting := switchboard.Selects(func() (switchboard.Selection, string, error) { return s, "", nil })
	var err error
	if t.collector, err = trace.Start(selector{selecting, name}, o); errors.Is(err, trace.ErrBusy) {
		return nil, &control.Error{Code: control.CodeState, Text: "the program gathers traces for eight others already: other commands, WAYMARK=traces or its own code"}
	}
	return t, Refused(err)
}

// add takes in a trace that has ended.
func (t *traces) add(one *trace.Trace) {
	t.mu.Lock()
	full := t.closed || t.limit > 0 && t.hits >= t.limit
	late := !full && len(t.list) >= mostTraces
	if late {
		t.skipped++
	}
	t.mu.Unlock()
	if full || late {
		return
	}
	told := control.Trace{
		Key: one.Key, Root: one.Root.Name, Goroutine: one.Goroutine, StartUnix: one.Start.UnixNano(), DurationNS: int64(one.Duration),
		Calls: one.Calls, Panics: one.Panics,
	}
	if t.nodes {
		told.Call, told.Omitted = tree(one)
	} else if told.Tree = one.String(); len(told.Tree) > mostTree {
		told.Tree = told.Tree[:mostTree] + "...\n"
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.hits++
	t.list = append(t.list, told)
}

// Next implements control.Task.
func (t *traces) Next() control.News {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := min(len(t.list), 1) // a trace may fill a message
	news := control.News{Traces: slices.Clone(t.list[:n]), Hits: t.hits, Skipped: t.skipped}
	t.list = slices.Delete(t.list, 0, n)
	if len(t.list) == 0 && t.limit > 0 && t.hits >= t.limit {
		news.Done, news.Why = true, control.WhyEnough
	}
	return news
}

// Close implements control.Task.
func (t *traces) Close() error {
	t.mu.Lock()
	closed := t.closed
	t.closed = true
	t.mu.Unlock()
	if !closed {
		t.collector.Stop() // its error is that there were no traces
	}
	return nil
}
