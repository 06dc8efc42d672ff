package trace

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/waymark-go/waymark/internal/pattern"
	"github.com/waymark-go/waymark/internal/program/fault"
	"github.com/waymark-go/waymark/internal/program/gather"
	"github.com/waymark-go/waymark/internal/program/pause"
	"github.com/waymark-go/waymark/internal/program/switchboard"
)

// A Collector gathers traces.
type Collector struct {
	options  Options
	roots    string // patterns, or the name of a group
	selected switchboard.Selection
	world    world
	began    int64      // ns since 1970
	remove   func()     // takes the collector out of what is done when the program ends
	over     pause.Bell // rings when gathering ends

	mu      sync.Mutex // guards what follows
	source  source
	store   store
	calls   callbacks
	seen    uint64        // traces that were delivered
	longer  time.Duration // what the source was told last
	removed string        // why a policy has ended gathering
	state   state
	open    uint64 // traces that were in progress when gathering ended
	saved   error  // what went wrong when the traces were saved
}

// A state says whether a collector gathers.
type state uint8

const (
	gathers state = iota
	stops
	stopped
)

// Errors of Start, beside those of waymark.Attach.
var (
	ErrNotBuilt = fault.ErrNotBuilt // plain Go has built the program
	ErrBusy     = gather.ErrBusy    // 8 collectors gather: there can't be more
)

// Start begins to gather traces, whose root calls are of the given functions: a *waymark.Group or
// what waymark.Pattern returns. Up to 8 collectors may gather at a time. Each has traces of its own, and
// none notices others, but that calls cost more while there are several.
//
// Errors are ErrNotBuilt, ErrBusy, one that wraps waymark.ErrNil, what is wrong with a pattern or a
// group, and a *waymark.PolicyError. That roots are not instrumented is no error here, as packages
// may be loaded later: see Err.
func Start(roots Selector, o Options) (*Collector, error) {
	return start(program, roots, o)
}

func start(w world, roots Selector, o Options) (*Collector, error) {
	selected, err := switchboard.SelectionOf(roots)
	if err != nil {
		return nil, err
	}
	c := &Collector{options: o, roots: roots.String(), selected: selected, world: w, began: time.Now().UnixNano(), over: pause.Bell{Awaited: o.OnTrace != nil}}
	if o.Period > 0 {
		c.calls.most = o.Slowest
	}
	c.store = store{slowest: max(o.Slowest, 0), most: o.MaxTraces, bytes: o.MaxBytes}
	if c.store.most <= 0 {
		c.store.most = defaultTraces
	}
	if c.store.bytes <= 0 {
		c.store.bytes = defaultBytes
	}
	if o.File != "" { // the program may go elsewhere
		if c.options.File, err = filepath.Abs(o.File); err != nil {
			return nil, fmt.Errorf("save traces: %w", err)
		}
	}
	of := gather.Options{
		Roots: selected, Memory: max(o.MaxMemory, 0), Most: max(o.MaxCalls, 0), Linger: max(o.Linger, 0),
		Values: o.Values, Keep: o.rule(), Deliver: c.deliver, Removed: c.forbid,
	}
	if o.Calls != nil {
		if of.Calls, err = switchboard.SelectionOf(o.Calls); err != nil {
			return nil, err
		}
	}
	if from, ok := roots.(interface{ Origin() switchboard.Origin }); ok {
		of.Origin = from.Origin()
	}
	c.longer = of.Keep.Longer
	source, err := w.gather(of) // without the lock: a policy may call forbid meanwhile
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	c.source = source
	c.mu.Unlock()
	if o.Period > 0 {
		w.run(c.turns)
	}
	c.remove = w.atEnd(c.end)
	return c, nil
}

// forbid notes that a policy has ended gathering.
func (c *Collector) forbid(reason string) (line string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.removed = reason
	return "traces of " + c.roots + ": " + reason + "; no more are gathered"
}

// deliver decides on a trace whose root call has ended.
func (c *Collector) deliver(g *gather.Trace) {
	t := newTrace(g, c.began)
	o := &c.options
	c.mu.Lock()
	c.seen++
	kept := c.store.add(t, o.selects(t, c.seen))
	if longer := o.longer(c.store.threshold()); longer != c.longer && c.source != nil && c.state == gathers { // Stop holds the source's lock
		c.longer = longer
		c.source.SetLonger(longer)
	}
	now := kept && o.OnTrace != nil && (t.other || o.Period <= 0)
	begin := (o.Keep != nil || now) && c.calls.add(told{t, o.Keep != nil, now})
	c.mu.Unlock()
	if begin {
		c.world.run(c.call)
	}
}

// turns ends periods until gathering ends.
func (c *Collector) turns() {
	for c.over.Wait(0, c.options.Period) {
		c.turn()
	}
}

// turn ends a period: OnTrace is called for its slowest traces.
func (c *Collector) turn() {
	begin := false
	c.mu.Lock()
	for _, t := range c.store.turn() {
		if c.options.OnTrace != nil && c.calls.add(told{trace: t, kept: true}) {
			begin = true
		}
	}
	if c.longer = c.options.longer(0); c.state == gathers { // Stop holds the source's lock
		c.source.SetLonger(c.longer)
	}
	c.mu.Unlock()
	if begin {
		c.world.run(c.call)
	}
}

// Traces returns the traces that are kept at this moment, the slowest first.
func (c *Collector) Traces() []*Trace {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.store.list()
}

// Counts are the numbers of a collector's traces.
type Counts struct {
	Active    uint64 // whose root call is in progress
	Ended     uint64 // whose root call has ended
	Kept      uint64 // that were selected and kept
	Displaced uint64 // of Kept: those that slower or newer ones have displaced
	Dropped   uint64 // that were selected, and came faster than they could be kept
	Untold    uint64 // that OnTrace and Keep were not told of, because they did not return in time
	LostCalls uint64 // calls that traces lack because of MaxCalls or MaxMemory
	Unvalued  uint64 // beginnings and ends of calls whose values were left out, because they would have cost too much
}

// Counts returns the numbers until now.
func (c *Collector) Counts() Counts {
	source := c.gatherer() // which waits for deliver when it stops
	ended, _, dropped, lost, unvalued := source.Counts()
	active := source.Active()
	c.mu.Lock()
	defer c.mu.Unlock()
	return Counts{active, ended, c.store.kept, c.store.displaced, dropped, c.calls.untold, lost, unvalued}
}

// gatherer returns the source.
func (c *Collector) gatherer() source {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.source
}

// Stop ends gathering, saves the traces in Options.File, and calls AtEnd. Traces in progress are
// given up. The kept ones stay. Stop returns what went wrong when the traces were saved, and what
// Err returns. Further calls return the same and do nothing else.
func (c *Collector) Stop() error {
	c.stop()
	c.mu.Lock()
	saved := c.saved
	c.mu.Unlock()
	return errors.Join(saved, c.Err())
}

// ErrNotSeen says that no root call has begun and ended.
var ErrNotSeen = errors.New("function not seen")

// Err says why there may be no traces. Until the first root call has ended it is an error that
// wraps ErrNotSeen. That says how to have the function instrumented if it isn't. Or Err says that a
// policy forbids to gather. Else it is nil.
func (c *Collector) Err() error {
	c.mu.Lock()
	removed, open := c.removed, c.open
	c.mu.Unlock()
	if removed != "" {
		return fmt.Errorf("%w: %s", switchboard.ErrForbidden, removed)
	}
	n := c.Counts()
	if n.Ended > 0 {
		return nil
	}
	if open = max(open, n.Active); open > 0 {
		return fmt.Errorf("%s: %w to the end: of the calls that began, %d, none has ended", c.roots, ErrNotSeen, open)
	}
	if len(c.world.funcs(c.selected)) > 0 {
		return fmt.Errorf("%s: %w: no call of it has begun", c.roots, ErrNotSeen)
	}
	var names []string
	for _, f := range c.world.funcs(switchboard.Selection{}) {
		names = append(names, pattern.Of(f).Names()...)
	}
	if strings.HasPrefix(c.roots, "@") && !strings.Contains(c.roots, ", ") {
		return fmt.Errorf("%s: %w: %s", c.roots, ErrNotSeen, pattern.NoGroup(c.roots, names))
	}
	return fmt.Errorf("%s: %w: no such function is instrumented%s; have it in when the program is built, as by waymark build --include %s",
		c.roots, ErrNotSeen, near(c.roots, names), quoted(c.roots))
}

// quoted returns patterns as arguments of a shell.
func quoted(patterns string) string {
	return "'" + strings.ReplaceAll(patterns, ", ", "' --include '") + "'"
}
