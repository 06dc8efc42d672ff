package otlp

import (
	"fmt"
	"sync"

	"github.com/waymark-go/waymark/internal/program/gather"
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/program/switchboard"
	"github.com/waymark-go/waymark/trace"
)

// FindParents has the sink look for the parents of traces in the arguments of root calls: the span of
// OpenTelemetry in a context.Context or in the context of an *http.Request, or else the header
// traceparent of the request. Such a trace continues the trace of that span, and is not sent if that is not
// sampled. roots is what trace.Start got. Options.Parent precedes this.
//
// The program must be built with --args: without, arguments are not known and no parent is found. Errors are
// those of trace.Watch.
func (s *Sink) FindParents(roots trace.Selector) error {
	if s.options.Parent != nil {
		return nil
	}
	selected, err := switchboard.SelectionOf(roots)
	if err != nil {
		return fmt.Errorf("otlp: %w", err)
	}
	if !rt.Enabled {
		return trace.ErrNotBuilt
	}
	origin := switchboard.Program
	if from, ok := roots.(interface{ Origin() switchboard.Origin }); ok {
		origin = from.Origin()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	owner := switchboard.Default.Join("Watch", origin)
	s.owners = append(s.owners, owner)
	return owner.Set(switchboard.Wish{
		Want: rt.Watched, Select: selected, Kind: "Watch",
		Observer: func(string) switchboard.Observer { return &s.parents },
	})
}

// parents are those of the latest root calls. A trace is complete soon after its root call ends.
type parents struct {
	mu    sync.Mutex
	open  map[uint64]*begun // outermost root calls in progress, by goroutine
	ended []begun           // the latest ones, a ring
	next  int               // of the ring
}

// A begun is the parent of a root call, which may be none.
type begun struct {
	goroutine uint64
	clock     uint64 // when it told its beginning, by the runtime's clock
	end       uint64 // when it told its end
	parent    parent
	depth     int // of root calls in progress on the goroutine
}

const mostEnded = 4096

// Observe implements switchboard.Observer.
func (p *parents) Observe(e *switchboard.Event) {
	switch e.Kind {
	case switchboard.Enter:
		if clock, _ := rt.Clock(); p.enter(e.Goroutine, clock) {
			found := parentOf(e.Args())
			p.mu.Lock()
			p.open[e.Goroutine].parent = found
			p.mu.Unlock()
		}
	case switchboard.Exit:
		clock, _ := rt.Clock()
		p.exit(e.Goroutine, clock)
	}
}

// enter notes that a root call begins. It reports whether it is the outermost one.
func (p *parents) enter(goroutine, clock uint64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if b := p.open[goroutine]; b != nil {
		b.depth++
		return false
	}
	if p.open == nil {
		p.open = make(map[uint64]*begun)
	}
	p.open[goroutine] = &begun{goroutine: goroutine, clock: clock, depth: 1}
	return true
}

// exit notes that a root call has ended.
func (p *parents) exit(goroutine, clock uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	b := p.open[goroutine]
	if b == nil { // it began before
		return
	}
	if b.depth--; b.depth > 0 {
		return
	}
	b.end = clock
	delete(p.open, goroutine)
	if len(p.ended) < mostEnded {
		p.ended = append(p.ended, *b)
		return
	}
	p.ended[p.next] = *b
	p.next = (p.next + 1) % mostEnded
}

// of returns the parent of a trace. Its root call told its beginning before the trace began, and tells its
// end later.
func (p *parents) of(t *trace.Trace) parent {
	at := gather.BeganOf(t)
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range p.ended {
		if b := &p.ended[i]; b.goroutine == t.Goroutine && b.clock <= at && at <= b.end {
			return b.parent
		}
	}
	if b := p.open[t.Goroutine]; b != nil && b.clock <= at {
		return b.parent
	}
	return parent{}
}
