package gather

import (
	"errors"
	"time"

	"github.com/waymark-go/waymark/internal/fault"
	"github.com/waymark-go/waymark/internal/switchboard"
)

// Options say what is gathered. Only Deliver must be set.
type Options struct {
	// Roots are the functions whose calls begin a trace, unless their goroutine is in one already.
	// The zero Selection is all functions.
	Roots switchboard.Selection

	// Calls are the functions whose calls are gathered, beside the roots: in a trace, and with the
	// time of their beginning and end. The zero Selection is all functions.
	Calls switchboard.Selection

	Memory int64         // bytes for the events of all traces; 0: 64 MB
	Most   int           // calls of one trace; 0: 100,000. Others are counted as lost
	Linger time.Duration // how long after its root's end a trace waits for goroutines that still run
	Keep   Keep

	// Deliver is called for each kept trace, one at a time, on a goroutine of its own that is not
	// traced. It may call any method of the Gatherer except Stop.
	Deliver func(*Trace)

	Origin  switchboard.Origin                // who wants it, for policies
	Removed func(reason string) (line string) // as in switchboard.Owner; may be nil
}

// A Keep says which traces are kept: those for which any of its fields holds. The zero Keep keeps
// none.
type Keep struct {
	All    bool
	Failed bool          // the root call panicked or returned an error
	Longer time.Duration // the root call took longer; 0: whatever it took
	OneIn  uint64        // one in so many traces; 0: whatever their number
}

// Errors of Start, beside a *switchboard.PolicyError.
var (
	ErrNotBuilt = fault.ErrNotBuilt // plain Go has built the program
	ErrBusy     = errors.New("traces are being gathered already")
)

// A Gatherer gathers traces. There is at most one at a time.
type Gatherer struct{}

// Start begins to gather traces.
func Start(o Options) (*Gatherer, error) {
	return nil, ErrNotBuilt
}

// SetLonger changes Keep.Longer for the roots that end from now on.
func (g *Gatherer) SetLonger(d time.Duration) {}

// Stop ends gathering. Traces in progress are given up; kept traces that have not been delivered are
// delivered before Stop returns. Further calls do nothing.
func (g *Gatherer) Stop() {}

// Counts returns the number of traces whose root call has ended, of those that the rule kept, of
// kept ones that were dropped because Deliver was too slow, and of calls that traces lack because of
// Options.Most or Options.Memory.
func (g *Gatherer) Counts() (completed, kept, dropped, lost uint64) { return 0, 0, 0, 0 }
