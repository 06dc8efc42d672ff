package stats

import (
	"sync"

	"github.com/waymark-go/waymark/internal/clock"
	"github.com/waymark-go/waymark/internal/fault"
	"github.com/waymark-go/waymark/internal/format"
	"github.com/waymark-go/waymark/internal/rt"
)

// Options say what is gathered.
type Options struct {
	// Functions reports whether calls of a function are gathered; nil means calls of all
	// instrumented functions. Start calls Functions for each function, and so do packages that are
	// loaded later and groups that are made later. Functions must not call functions of this
	// package, nor make groups.
	Functions func(Func) bool

	// CallsOnly counts calls without timing them, for a fraction of the cost.
	CallsOnly bool

	// Histograms gathers the distributions of durations, too.
	Histograms bool
}

// ErrNotBuilt is the error of Start in a program that plain Go has built. It is the same value as
// waymark.ErrNotBuilt.
var ErrNotBuilt = fault.ErrNotBuilt

// gathering is the state of all gathering in the program.
var gathering state

type state struct {
	mu       sync.Mutex
	packages []*table
	groups   format.GroupIndex

	on      bool
	options Options
	first   instant           // when gathering began; zero if it never began
	start   instant           // of what snapshots hold: that of first, or of the latest Reset
	base    map[uint32]sample // what Reset has set aside, by site
	resets  uint64            // number of calls of Reset
}

var known sync.Once // packages are listed

// Start begins to gather. It keeps what was gathered before. If gathering is going on already,
// Start changes the options. The error is ErrNotBuilt.
func Start(o Options) error {
	if !rt.Enabled {
		return ErrNotBuilt
	}
	clock.Chosen() // any clock will do
	s := &gathering
	known.Do(func() { rt.Packages(s.add) })
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.first == (instant{}) {
		s.first = now()
		s.start = s.first
	}
	s.options, s.on = o, true
	rt.Histograms(o.Histograms && !o.CallsOnly)
	for _, t := range s.packages {
		s.apply(t)
	}
	return nil
}

// Stop ends gathering. What was gathered stays. Calls in progress are gathered until they end.
func Stop() {
	s := &gathering
	s.mu.Lock()
	defer s.mu.Unlock()
	s.on = false
	for _, t := range s.packages {
		s.apply(t)
	}
}

// add makes a package known, and gathers there what is wanted.
func (s *state) add(p *rt.Package) {
	t, err := newTable(p)
	if err != nil {
		return // the recorder says so
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.packages = append(s.packages, t)
	s.apply(t)
}

// apply switches a package's functions as the options say. Calls that this makes of the program's
// are nobody's business.
func (s *state) apply(t *table) {
	rt.Mute(true)
	defer rt.Mute(false)
	for i := range t.sites {
		on := s.on && !t.infos[i] && (s.options.Functions == nil || s.options.Functions(t.function(i, &s.groups)))
		rt.Count(t.pkg, i, on, !s.options.CallsOnly)
	}
}

// AddGroups tells which groups there are. Package agent calls it.
func AddGroups(list []format.Group) {
	s := &gathering
	s.mu.Lock()
	defer s.mu.Unlock()
	s.groups.Add(list)
	for _, t := range s.packages {
		if t.vars != nil {
			s.apply(t) // what is wanted may depend on it
		}
	}
}
