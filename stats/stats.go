package stats

import (
	"errors"
	"sync"

	"github.com/waymark-go/waymark/internal/clock"
	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/internal/rt"
	"github.com/waymark-go/waymark/internal/switchboard"
)

// Options say what is gathered.
type Options struct {
	// Functions says of which functions; nil means of all that are instrumented. It is
	// asked again for packages that are loaded and groups that are made later, and must not call functions of this package, nor
	// make groups.
	Functions func(Function) bool

	// CallsOnly has calls counted and not timed, for a fraction of the cost.
	CallsOnly bool

	// Histograms has the distributions of durations gathered, too.
	Histograms bool
}

// ErrNotBuilt says that the program wasn't built by waymark.
var ErrNotBuilt = errors.New("stats: the program was not built by waymark")

// gathering is what is going on.
var gathering state

type state struct {
	mu    sync.Mutex
	owner *switchboard.Owner // of what is gathered

	on      bool
	options Options
	first   instant           // when gathering began, for the rate of the clock; zero: it never did
	start   instant           // what is before it is left out
	base    map[uint32]sample // what Reset has set aside, by site
}

// Start begins to gather. What was gathered before is kept; if it is going on already the options change. The
// error is ErrNotBuilt.
func Start(o Options) error {
	if !rt.Enabled {
		return ErrNotBuilt
	}
	clock.Chosen() // it works with any
	s := &gathering
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.first == (instant{}) {
		s.first = now()
		s.start = s.first
	}
	s.options, s.on = o, true
	rt.Histograms(o.Histograms && !o.CallsOnly)
	return s.apply()
}

// Stop ends gathering. What was gathered stays, and calls in progress are seen to their ends.
func Stop() {
	s := &gathering
	s.mu.Lock()
	defer s.mu.Unlock()
	s.on = false
	s.apply()
}

// apply has calls counted and timed as the options say. Calls made from here are not traced.
func (s *state) apply() error {
	if s.owner == nil {
		s.owner = switchboard.Default.Join("statistics", switchboard.Program)
	}
	if !s.on {
		return s.owner.Set()
	}
	wish := switchboard.Wish{Want: rt.Timed}
	if s.options.CallsOnly {
		wish.Want = rt.Counted
	}
	if wanted := s.options.Functions; wanted != nil {
		wish.Select.Has = func(f *function.Func) bool { return wanted(functionOf(f)) }
	}
	return s.owner.Set(wish)
}
