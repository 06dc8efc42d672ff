package gather

import (
	"fmt"
	"sync"
	"time"

	"github.com/waymark-go/waymark/internal/program/clock"
	"github.com/waymark-go/waymark/internal/program/fault"
	"github.com/waymark-go/waymark/internal/program/pause"
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/program/switchboard"
)

// Options say what is gathered. Only Deliver must be set.
type Options struct {
	// Roots are the functions whose calls begin a trace, unless their goroutine is in one already.
	// The zero Selection is all functions.
	Roots switchboard.Selection

	// Calls are the functions whose calls are gathered, beside the roots: in a trace, and with the
	// time of their beginning and end. The zero Selection is all functions that policies allow.
	Calls switchboard.Selection

	// Values says that traces have arguments and results, too, of functions that were instrumented for them.
	Values bool

	Memory int64         // bytes for the events of all traces; 0: 64 MB
	Most   int           // calls of one trace; 0: 100,000. Others are counted as lost
	Linger time.Duration // how long after its root's end a trace waits for goroutines that still run
	Keep   Keep

	// Deliver is called for each kept trace, one at a time, on a goroutine of its own that is not
	// traced. It may call any method of the Gatherer except Stop, and must not panic.
	Deliver func(*Trace)

	Origin  switchboard.Origin                // who wants it, for policies
	Removed func(reason string) (line string) // as in switchboard.Owner; may be nil
}

// A Keep says which traces are kept: those for which any of its fields holds. The zero Keep keeps
// none.
type Keep struct {
	All    bool
	Failed bool          // the root call panicked or returned an error
	Longer time.Duration // the root call took longer; 0 does not hold
	Ranked bool          // Longer may leave out any that is not among the longest Queue ones
	OneIn  uint64        // one in so many traces, by count; 0 does not hold
	Rules  []rt.Rule     // any of them selects the HTTP request; they don't change
	Tail   float64       // the root call took longer than this share of the latest calls of its function; 0 does not hold
}

// Values says which values may be gathered, and how they are written.
type Values struct {
	Args, Results bool
	Depth         int      // how deep composite values are opened
	Bytes         int      // of each value
	Redact        []string // words in names of fields that are not gathered, see format.LooksSecret
}

// Shown returns what may be seen of values. Package agent, which knows the settings, sets it.
var Shown = func() Values { return Values{} }

// What Options that are 0 stand for.
const (
	DefaultMemory = 64 << 20
	DefaultMost   = 100_000
)

// Gatherers is how many Gatherers there may be at a time.
const Gatherers = rt.Gatherers

// Queue is how many kept traces wait for Deliver or for goroutines at most.
const Queue = 1024

// Errors of Start, beside a *switchboard.PolicyError.
var (
	ErrNotBuilt = fault.ErrNotBuilt // plain Go has built the program
	ErrBusy     = fmt.Errorf("%d collectors gather traces already", Gatherers)
)

// A Gatherer gathers traces. Each has its own, side by side with those of others.
type Gatherer struct {
	number  int // of the runtime's gatherer
	owner   *switchboard.Owner
	deliver func(*Trace)
	decoder decoder
	told    told
	over    pause.Bell // rings when the Gatherer stops

	mu   sync.Mutex // guards what follows
	keep Keep
	last *rt.TraceCounts // when the Gatherer ended

	stop       sync.Once
	delivering sync.Mutex // held until all has been delivered
}

// Start begins to gather traces.
func Start(o Options) (*Gatherer, error) {
	if !rt.Enabled {
		return nil, ErrNotBuilt
	}
	clock.Chosen() // any clock will do
	g := &Gatherer{deliver: o.Deliver, keep: o.Keep}
	g.owner = switchboard.Default.Join("Traces", o.Origin)
	g.owner.Removed = o.Removed
	g.decoder.start()
	if o.Memory <= 0 {
		o.Memory = DefaultMemory
	}
	if o.Most <= 0 {
		o.Most = DefaultMost
	}
	var v Values
	values := uint32(0)
	if o.Values {
		if v = Shown(); v.Args || v.Results {
			values = rt.Values
			rt.GatherValues(v.Depth, v.Bytes, v.Redact)
		}
	}
	if g.number = rt.StartTraces(uintptr(o.Memory), uint64(o.Most), int64(max(o.Linger, 0)), v.Args, v.Results); g.number < 0 {
		return nil, ErrBusy
	}
	g.setKeep()
	rt.Tails(g.number, o.Keep.Tail > 0)
	if o.Keep.Tail > 0 {
		rt.Go(func() { g.watchTails(o.Keep.Tail) })
	}
	g.delivering.Lock()
	rt.Go(g.run)
	all := o.Calls.Groups == nil && o.Calls.Has == nil
	err := g.owner.Set(
		switchboard.Wish{Want: rt.Gathered | rt.GatheredBy(g.number) | values, Select: o.Calls, Kind: "Traces", Narrow: all},
		switchboard.Wish{Want: rt.Root | rt.RootOf(g.number) | rt.Gathered | rt.GatheredBy(g.number) | values, Select: o.Roots, Kind: "Traces"},
	)
	if err != nil {
		g.Stop()
		return nil, err
	}
	return g, nil
}

func (g *Gatherer) setKeep() {
	rt.KeepTraces(g.number, g.keep.All, g.keep.Failed, int64(max(g.keep.Longer, 0)), g.keep.Ranked, g.keep.OneIn, g.keep.Rules)
}

// SetLonger changes Keep.Longer for the roots that end from now on.
func (g *Gatherer) SetLonger(d time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.last == nil {
		g.keep.Longer = d
		g.setKeep()
	}
}

// Stop ends gathering. Traces in progress are given up; kept traces that have not been delivered are
// delivered before Stop returns. Further calls do nothing.
func (g *Gatherer) Stop() {
	g.stop.Do(func() {
		g.over.Ring()
		g.owner.Close()
		rt.EndTraces(g.number)
		g.delivering.Lock() // Deliver may use what mu guards
		g.mu.Lock()
		last := rt.CountTraces(g.number)
		g.last = &last
		g.mu.Unlock()
		rt.ForgetTraces(g.number) // then another one may have the number
	})
}

// Counts returns five numbers. completed is that of traces whose root call has ended, and kept that
// of traces that the rule kept. dropped is that of kept traces that were dropped because Queue of
// them waited. lost is that of calls that traces lack because of Options.Most or Options.Memory. unvalued is
// that of beginnings and ends of calls whose values were left out, because they would have cost too much.
func (g *Gatherer) Counts() (completed, kept, dropped, lost, unvalued uint64) {
	c, _ := g.counts()
	return c.Ended, c.Queued + c.Dropped, c.Dropped, c.Lost, c.Unvalued
}

// Active returns the number of traces whose root call is in progress.
func (g *Gatherer) Active() uint64 {
	c, over := g.counts()
	if over {
		return 0
	}
	return c.Begun - c.Ended
}

// List returns the traces whose root calls are in progress, in no order. The program stands still
// meanwhile, for some 10 ms per 100,000 goroutines and 6 ms per million calls.
func (g *Gatherer) List() []Active {
	g.mu.Lock()
	var list []rt.ActiveTrace
	if g.last == nil {
		list = rt.ActiveTraces(g.number)
	}
	g.mu.Unlock()
	if list == nil {
		return nil
	}
	return g.told.list(g.decoder.active(list))
}

// counts returns what there was until now, and reports whether the Gatherer has ended.
func (g *Gatherer) counts() (c rt.TraceCounts, over bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.last != nil {
		return *g.last, true
	}
	return rt.CountTraces(g.number), false
}

// lingering is how long run waits until it looks again whether goroutines of a kept trace have
// ended.
const lingering = time.Millisecond

// run delivers traces until there are no more.
func (g *Gatherer) run() {
	defer g.delivering.Unlock()
	for rt.WaitTraces(g.number) {
		t := rt.TakeTrace(g.number)
		if t == nil {
			// Not rt.Pause: the program may wait for what Deliver does, and that is no deadlock.
			time.Sleep(lingering)
			continue
		}
		out := g.decoder.decode(t)
		out.Start = g.told.start(out.id, out.Start)
		g.deliver(out)
	}
}
