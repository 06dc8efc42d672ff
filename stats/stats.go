package stats

import (
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
	// loaded later and groups that are made later. Functions must not call functions of this
	// package, nor make groups.
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

// gathering is the state of all gathering in the program.
var gathering = state{rt: linked{}}

type state struct {
	rt sums

	mu    sync.Mutex
	owner *switchboard.Owner // of what is gathered

	on      bool
	keeps   bool   // paths
	kept    bool   // it did once
	waits   bool   // adds up how long goroutines don't run
	waited  bool   // it did once
	makes   bool   // counts objects
	heap    uint64 // objects that the process had made when that began, or at the latest Reset
	options Options
	first   instant           // when gathering began; zero if it never began
	start   instant           // of what snapshots hold: that of first, or of the latest Reset
	base    map[uint32]sample // what Reset has set aside, by site
	paths   []rt.Path         // the same by node
	made    map[maker]made    // the same of objects
	resets  uint64            // number of calls of Reset
}

// Start begins to gather. It keeps what was gathered before. If gathering is going on already,
// Start changes the options. The error is ErrNotBuilt.
func Start(o Options) error {
	gathering.rt.Mute(true)
	defer gathering.rt.Mute(false)
	return gathering.begin(o)
}

func (s *state) begin(o Options) error {
	if !s.rt.Enabled() {
		return ErrNotBuilt
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.first == (instant{}) {
		s.first = now(s.rt)
		s.start = s.first
	}
	s.options, s.on = o, true
	s.rt.Histograms(o.Histograms && !o.CallsOnly)
	if paths := o.Paths && !o.CallsOnly; paths != s.keeps {
		s.rt.Paths(paths)
		s.keeps = paths
		s.kept = s.kept || paths
	}
	s.addWaits(o.Waiting && !o.CallsOnly)
	s.countObjects(o.Objects)
	return s.apply()
}

// Stop ends gathering. What was gathered stays. Calls in progress are gathered until they end.
func Stop() {
	gathering.rt.Mute(true)
	defer gathering.rt.Mute(false)
	gathering.end()
}

func (s *state) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.on = false
	s.addWaits(false)
	s.countObjects(false)
	s.apply()
}

// addWaits has the times added up, or not any more, in which goroutines of calls don't run.
func (s *state) addWaits(on bool) {
	if on != s.waits {
		s.rt.WaitTimes(on)
		s.waits, s.waited = on, true
	}
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
		wish.Select.Has = func(f *function.Func) bool { return wanted(*f) }
	}
	return s.owner.Set(wish)
}
