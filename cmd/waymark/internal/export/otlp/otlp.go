// Package otlp makes spans of OpenTelemetry of recordings. Package spans gathers them in requests of
// OpenTelemetry's protocol. Lines writes requests to a file, Endpoint sends them to a receiver.
//
// Spans are the root calls of goroutines and the calls of functions in groups, unless a filter
// chooses calls. Calls of a trace, as `waymark traces` has them, have one trace id. The parent of a
// goroutine's first span is the span of the call that has started the goroutine.
package otlp

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"path/filepath"

	"github.com/waymark-go/waymark/cmd/waymark/internal/export/calls"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/internal/spans"
	"github.com/waymark-go/waymark/tracefile"
)

// Write sends the calls of a set that the filter shows to a sink.
func Write(to Sink, set *tracefile.Set, filter *recording.Filter, o calls.Options) ([]recording.Summary, error) {
	var out spans.Request
	flush := func() error {
		if out.Spans() == 0 {
			return nil
		}
		defer out.Reset()
		return to.Send(&out)
	}
	chosen := filter.Show != nil || filter.Root != nil || filter.Callers != nil || filter.Min > 0 || filter.Depth > 0
	read, err := Tell(set, filter, o, chosen, func(s *spans.Span) error {
		if !out.Takes(s) {
			if err := flush(); err != nil {
				return err
			}
		}
		out.Add(s)
		return nil
	})
	if sendErr := flush(); err == nil {
		err = sendErr
	}
	return read, err
}

// Tell tells the spans of a set's calls that the filter shows, in the order in which they end.
// Unless all is set, it tells only root calls and calls of functions in groups. A span is valid
// until tell returns. The first error of tell ends the reading.
func Tell(set *tracefile.Set, filter *recording.Filter, o calls.Options, all bool, tell func(*spans.Span) error) ([]recording.Summary, error) {
	o.Whole, o.Traces = true, true
	t := &teller{tell: tell, all: all}
	return calls.Tell(set, filter, o, calls.Listener{Begin: t.begin, End: t.end, Start: start})
}

type teller struct {
	tell      func(*spans.Span) error
	all       bool       // each call is a span
	processes []*process // by index
	contexts  contexts
	span      spans.Span // what tell is given
}

// A process has what all its spans have in common.
type process struct {
	*spans.Resource
	seed  [16]byte
	start int64 // of the set's first recording, since 1970 in ns
}

// A strand is what a goroutine does.
type strand struct {
	levels []level      // of its open calls
	parent uint64       // of its root calls: the call whose span is around the go statement; 0 if unknown
	remote *spanContext // of its open calls, nil if that is of their own process; see contexts
}

func strandOf(g *calls.Goroutine) *strand {
	if g.Own == nil {
		g.Own = new(strand)
	}
	return g.Own.(*strand)
}

// start notes in which span a goroutine starts another.
func start(parent, child *calls.Goroutine) {
	s, c := strandOf(parent), strandOf(child)
	c.parent, c.remote = s.parent, s.remote
	if n := len(s.levels); n > 0 {
		c.parent = s.levels[n-1].span
	}
}

// A level is an open call of a goroutine.
type level struct {
	parent uint64 // call whose span is the parent of this one's, 0 if there is none
	span   uint64 // the call itself, if it has a span, or its parent
}

// wants reports whether a call has a span.
func (t *teller) wants(c *calls.Call) bool {
	return t.all || c.Depth == 0 || c.Trace.ID == c.ID || len(c.Function.Groups) > 0
}

func (t *teller) begin(c *calls.Call) error {
	s := strandOf(c.Goroutine)
	root := c.Trace.ID == c.ID // of the trace: what is known of a caller is in another process
	var l level
	switch {
	case root:
	case c.Depth > 0:
		l.parent = s.levels[c.Depth-1].span
	default:
		l.parent = cmp.Or(s.parent, c.Trace.ID)
	}
	if l.span = l.parent; t.wants(c) {
		l.span = c.ID
	}
	if told, ok := contextOf(c.Args()); ok {
		if root {
			s.remote = t.contexts.of(told)
		}
		if l.span != 0 {
			p := t.process(c.Goroutine.Process)
			t.contexts.set(told, spanContext{s.trace(p, c), p.spanID(l.span)})
		}
	} else if root {
		s.remote = nil // of an earlier call
	}
	s.levels = append(s.levels[:c.Depth], l)
	return nil
}

// trace returns the id of the trace in which a call of the strand is.
func (s *strand) trace(p *process, c *calls.Call) [16]byte {
	if s.remote != nil {
		return s.remote.trace
	}
	return p.id(c.Trace.ID)
}

func (t *teller) end(c *calls.Call) error {
	if c.Single() {
		return nil // an info function's has no time, and a counted one's callees have ended
	}
	s := strandOf(c.Goroutine)
	l := s.levels[c.Depth]
	s.levels = s.levels[:c.Depth]
	if l.span != c.ID {
		return nil
	}
	p := t.process(c.Goroutine.Process)
	p.fill(&t.span, c)
	t.span.Trace = s.trace(p, c)
	switch {
	case l.parent != 0:
		t.span.Parent = p.spanID(l.parent)
	case s.remote != nil:
		t.span.Parent = s.remote.span
	}
	return t.tell(&t.span)
}

// process returns what is common to the spans of a process.
func (t *teller) process(of *calls.Process) *process {
	for len(t.processes) <= of.Index {
		t.processes = append(t.processes, nil)
	}
	if p := t.processes[of.Index]; p != nil {
		return p
	}
	info := of.File.Info()
	p := &process{start: info.Start.UnixNano() - int64(of.Since)}
	// The same recording has the same ids each time, and another one has others.
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%d\n%d\n%s", info.Host, info.PID, info.Start.UnixNano(), info.Program))
	copy(p.seed[:], sum[:])
	origin := spans.Process{Service: filepath.Base(info.Program), Host: info.Host, PID: info.PID, Path: info.Program, Go: info.Go}
	p.Resource = origin.Resource()
	t.processes[of.Index] = p
	return p
}

// id returns 16 bytes that belong to a call.
func (p *process) id(call uint64) [16]byte {
	var b [24]byte
	copy(b[:], p.seed[:])
	binary.BigEndian.PutUint64(b[16:], call)
	sum := sha256.Sum256(b[:])
	return [16]byte(sum[:16])
}

// spanID returns the id of a call's span.
func (p *process) spanID(call uint64) [8]byte {
	id := p.id(call)
	return [8]byte(id[8:])
}

// fill makes the span of a call, but for its trace and its parent.
func (p *process) fill(s *spans.Span, c *calls.Call) {
	*s = spans.Span{
		Resource: p.Resource, ID: p.spanID(c.ID), Name: c.Function.Name, Start: p.start + c.Start, End: p.start + c.End,
		Exception: c.Panic(), Attributes: s.Attributes[:0],
	}
	a := &s.Attributes
	a.Call(c.Function.Name, c.Function.File, c.Function.Line, c.Goroutine.ID)
	if c.Trace.ID == c.ID {
		a.Text(spans.TraceKey, c.Trace.Key())
	}
	for name, ns := range c.Measures {
		a.Measure(name, ns)
	}
	for _, m := range calls.Marks {
		if c.Flags&m.Flag != 0 {
			a.Mark(m.Name)
		}
	}
	for _, v := range c.Args() {
		a.Text("arg."+v.Name, v.Text)
	}
	for _, v := range c.Results() {
		a.Text("result."+v.Name, v.Text)
	}
	const panicked = calltree.Panicked | calltree.Recovered
	s.Failed = c.Flags&calltree.Failed != 0 || c.Flags&panicked == calltree.Panicked
}
