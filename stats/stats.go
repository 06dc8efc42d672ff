package stats

import (
	"slices"
	"sync"

	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/internal/program/fault"
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/program/switchboard"
)

// Options say what is gathered.
type Options struct {
	// Functions reports whether calls of a function are gathered; nil means calls of all
	// instrumented functions. Start calls Functions for each function, and so do packages that are
	// loaded later, groups that are made later and Snapshot, on any goroutine. Functions must not
	// call functions of this package, nor make groups. See Numbers.Self for what calls of others are to these functions.
	Functions func(Func) bool

	// CallsOnly counts calls without timing them, for a fraction of the cost.
	CallsOnly bool

	// Histograms gathers the distributions of durations, too.
	Histograms bool

	// Paths adds up the calls by path, too: see Snapshot.Paths. CallsOnly has none.
	Paths bool

	// Waiting adds up how long the goroutines of calls were ready and waited: see Numbers.Runnable.
	// CallsOnly has no such times.
	Waiting bool

	// Objects counts the heap objects that the program makes, by their types, functions and paths:
	// see Snapshot.Objects. With CallsOnly no functions are known.
	Objects bool
}

// ErrNotBuilt is the error of Start in a program that plain Go has built. It is the same value as
// waymark.ErrNotBuilt.
var ErrNotBuilt = fault.ErrNotBuilt

// A Gathering adds up calls from Start to Stop. Any number of them may go on at the same time, with
// options of their own, also beside WAYMARK=stats: none changes what another one has. A call is
// counted once, however many want it. Three things are shared. MostPaths and LongestPath are of all
// timed functions. A budget of WAYMARK=stats may have calls of the program's own Gatherings only
// counted. Objects are no longer counted for waymark test --counts when a Gathering of them stops.
//
// Methods of a nil Gathering, which Start returns with an error, do nothing.
type Gathering struct {
	of      *state
	options Options
	owner   *switchboard.Owner

	answers sync.Mutex
	wanted  map[*Func]bool // what Options.Functions has said

	// Guarded by of.mu.
	last  *Snapshot         // that of Stop; nil before
	start instant           // of what snapshots hold: that of Start, or of the latest Reset
	epoch uint64            // of start; no other one has the same
	base  map[uint32]sample // what was added up before start, by site
	paths []rt.Path         // the same by node
	made  map[maker]made    // the same of objects
	heap  uint64            // objects that the process had made
}

// gathering is the state of all gathering in the program.
var gathering = state{rt: linked{}}

type state struct {
	rt sums

	mu      sync.Mutex
	running []*Gathering
	on      switches
	pathsBy uint64  // the epoch in which the runtime began to keep paths, if it does, or ceased to
	first   instant // when gathering began; zero if it never began
	epochs  uint64  // how many there were
}

// switches are what the runtime adds up beside calls and times, for all of the program.
type switches struct{ histograms, paths, waits, objects bool }

// Start begins to gather. The error is ErrNotBuilt.
func Start(o Options) (*Gathering, error) {
	gathering.rt.Mute(true)
	defer gathering.rt.Mute(false)
	return gathering.begin(o)
}

func (s *state) begin(o Options) (*Gathering, error) {
	if !s.rt.Enabled() {
		return nil, ErrNotBuilt
	}
	wish := switchboard.Wish{Want: rt.Timed}
	if o.CallsOnly {
		wish.Want = rt.Counted
		o.Histograms, o.Paths, o.Waiting = false, false, false
	}
	g := &Gathering{of: s, options: o, owner: switchboard.Default.Join("statistics", switchboard.Program), wanted: make(map[*Func]bool)}
	if o.Functions != nil {
		wish.Select.Has = g.ask
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running = append(s.running, g)
	g.begin() // nothing makes objects from there until they are counted
	s.apply()
	if err := g.owner.Set(wish); err != nil {
		s.remove(g)
		return nil, err
	}
	return g, nil
}

// ask returns what Options.Functions says of a function.
func (g *Gathering) ask(f *function.Func) bool {
	wanted := g.options.Functions(*f)
	g.answers.Lock()
	defer g.answers.Unlock()
	g.wanted[f] = wanted
	return wanted
}

// wants reports whether calls of a function are gathered.
func (g *Gathering) wants(f *Func) bool {
	if g.options.Functions == nil {
		return true
	}
	g.answers.Lock()
	wanted, known := g.wanted[f]
	g.answers.Unlock()
	return wanted || !known && g.ask(f)
}

// Stop ends the gathering. What was gathered until then stays. Further calls do nothing.
func (g *Gathering) Stop() {
	if g == nil {
		return
	}
	g.of.rt.Mute(true)
	defer g.of.rt.Mute(false)
	g.of.mu.Lock()
	defer g.of.mu.Unlock()
	if g.last == nil {
		g.last = g.take()
		g.owner.Close()
		g.of.remove(g)
	}
}

func (s *state) remove(g *Gathering) {
	s.running = slices.DeleteFunc(s.running, func(other *Gathering) bool { return other == g })
	s.apply()
}

// apply has added up what some gathering wants.
func (s *state) apply() {
	var want switches
	for _, g := range s.running {
		want.histograms = want.histograms || g.options.Histograms
		want.paths = want.paths || g.options.Paths
		want.waits = want.waits || g.options.Waiting
		want.objects = want.objects || g.options.Objects
	}
	if want.objects != s.on.objects {
		s.rt.Objects(want.objects)
	}
	if want.histograms != s.on.histograms {
		s.rt.Histograms(want.histograms)
	}
	if want.paths != s.on.paths {
		s.rt.Paths(want.paths)
		s.pathsBy = s.epochs
	}
	if want.waits != s.on.waits {
		s.rt.WaitTimes(want.waits)
	}
	s.on = want
}
