package stats

import (
	"errors"
	"sync"

	"github.com/waymark-go/waymark/internal/clock"
	"github.com/waymark-go/waymark/internal/format"
	"github.com/waymark-go/waymark/internal/rt"
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
	mu       sync.Mutex
	packages []*table
	groups   format.GroupIndex

	on      bool
	options Options
	first   instant           // when gathering began, for the rate of the clock; zero: it never did
	start   instant           // what is before it is left out
	base    map[uint32]sample // what Reset has set aside, by site
}

var known sync.Once // packages are listed

// Start begins to gather. What was gathered before is kept; if it is going on already the options change. The
// error is ErrNotBuilt.
func Start(o Options) error {
	if !rt.Enabled {
		return ErrNotBuilt
	}
	clock.Chosen() // it works with any
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

// Stop ends gathering. What was gathered stays, and calls in progress are seen to their ends.
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

// apply switches a package's functions as the options say. Calls that this makes of the program's are nobody's business.
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
