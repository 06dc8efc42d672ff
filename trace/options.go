package trace

import (
	"math"
	"time"

	"github.com/waymark-go/waymark/internal/program/gather"
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/program/switchboard"
)

// A Selector selects functions: a *waymark.Group, or what waymark.Pattern returns. It is the same type as
// waymark.Selector.
type Selector = switchboard.Selector

// An Event is what has happened to a call. It is the same type as waymark.Event.
type Event = switchboard.Event

// Options select traces, and bound them. The zero Options keep the newest traces.
type Options struct {
	// Which traces are kept: each that one of these selects when its root call ends. If none is
	// set all are.
	Slowest int               // the traces that took longest, at most so many
	Period  time.Duration     // Slowest counts anew after each; 0: never. With OnTrace it hides deadlocks from Go, as a ticker does
	Failed  bool              // whose root call panicked or returned an error
	Longer  time.Duration     // whose root call took longer than this
	Tail    float64           // whose root call took longer than this share of the latest calls of its function, as 0.99
	OneIn   int               // one in so many traces
	HTTP    []HTTP            // that handle a request which any of these selects
	Keep    func(*Trace) bool // for which it returns true

	// Calls are the functions whose calls are gathered, beside those of the roots: a *waymark.Group
	// or what waymark.Pattern returns. nil means all instrumented functions.
	Calls Selector

	// Values has traces gathered with arguments and results, of functions that were built with them (waymark build
	// --args --results). To write them takes no more than 5 % of the time; the others are left out. Traces that a
	// recording begins or ends in have none.
	Values bool

	// OnTrace is called for each trace that is kept, when it is complete. A slower or newer trace may
	// take its place later. With Period, it is called for the slowest traces of a period when that ends.
	//
	// OnTrace and Keep are called one at a time, on a goroutine whose calls are not traced. They may
	// call methods of the collector. While one of them doesn't return, up to 256 traces wait; later ones
	// are kept without OnTrace, or not kept because of Keep. After a panic neither is called any more.
	OnTrace func(*Trace)

	// File is where the kept traces are saved when gathering ends. It ends at Stop, when main returns,
	// by os.Exit, and where the system can do that by a panic, a fatal error or a signal. See WriteXML
	// for what is in it. Without File nothing is saved.
	File string

	// AtEnd is called once when gathering has ended, before Stop returns or the program ends.
	AtEnd func(*Collector)

	MaxTraces int           // traces that are kept, beside the slowest; 0: 1000. Newer ones take the place of older ones
	MaxBytes  int64         // memory of kept traces, about; 0: 64 MB. The oldest go first, then the fastest ones
	MaxCalls  int           // calls of one trace; 0: 100,000. A trace with more has those that began first
	MaxMemory int64         // bytes for the calls of traces in progress; 0: 64 MB
	Linger    time.Duration // how long a trace waits for its goroutines after its root call has ended
}

// HTTP selects requests by all of its fields that are set. Of programs that link package otlp and have started a
// sink, Method and Path are known.
type HTTP struct {
	Method string // as in POST
	Path   string // of the URL, up to some 100 bytes with the method; one that ends in * stands for all that begin so
	Least  int    // status that net/http answered with before the root call ended
	Most   int    // 0: no limit
}

// Defaults of Options.
const (
	defaultTraces = 1000
	defaultBytes  = 64 << 20
)

// all reports whether all traces are selected.
func (o *Options) all() bool {
	return o.OneIn == 1 || o.Slowest <= 0 && !o.Failed && o.Longer <= 0 && o.Tail <= 0 && o.OneIn <= 0 && len(o.HTTP) == 0 && o.Keep == nil
}

// every reports whether all traces are to be delivered: some that are selected can't be told from
// others otherwise.
func (o *Options) every() bool { return o.all() || o.Keep != nil || o.OneIn > 0 && o.Slowest > 0 }

// selects reports whether a trace that is delivered is selected, but for being among the slowest or
// for Keep. seen is how many were delivered, with this one.
func (o *Options) selects(t *Trace, seen uint64) bool {
	switch {
	case o.all() || o.Failed && t.Failed || o.Longer > 0 && t.Duration > o.Longer || t.chosen:
		return true
	case o.OneIn <= 0:
		return false
	case o.every():
		return seen%uint64(o.OneIn) == 0
	}
	return true // it was delivered for nothing else
}

// rule returns what is to be gathered, before there are any traces.
func (o *Options) rule() gather.Keep {
	return gather.Keep{
		All: o.every(), Failed: o.Failed, Longer: o.longer(0), OneIn: uint64(max(o.OneIn, 0)), Tail: min(max(o.Tail, 0), 1), Rules: o.rules(),
		Ranked: 0 < o.Slowest && o.Slowest <= gather.Queue && !o.every() && !o.Failed && o.Longer <= 0 && o.Tail <= 0 && len(o.HTTP) == 0,
	}
}

// rules returns HTTP as the runtime wants it.
func (o *Options) rules() (list []rt.Rule) {
	for _, h := range o.HTTP {
		r := rt.Rule{Method: h.Method, Path: h.Path, Least: uint32(max(h.Least, 0)), Most: uint32(max(h.Most, 0))}
		switch {
		case r.Least > 0 && r.Most == 0:
			r.Most = math.MaxUint32
		case r.Most > 0:
			r.Least = max(r.Least, 1) // 0 is unknown
		}
		list = append(list, r)
	}
	return list
}

// longer returns the duration that traces must exceed to be kept for it, if the slowest ones took
// longer than threshold; 0: whatever they took.
func (o *Options) longer(threshold time.Duration) time.Duration {
	longer := max(o.Longer, 0)
	if o.Slowest <= 0 {
		return longer
	}
	threshold = max(threshold, 1)
	if longer > 0 {
		return min(longer, threshold)
	}
	return threshold
}
