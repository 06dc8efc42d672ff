// Package agent is what an instrumented program links: it reads the environment
// variable WAYMARK before any other package is initialised, and begins what it asks for.
//
// A value that can't be understood is reported on stderr with its position, and
// the program runs untraced.
package agent

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/waymark-go/waymark/internal/clock"
	"github.com/waymark-go/waymark/internal/format"
	"github.com/waymark-go/waymark/internal/recorder"
	"github.com/waymark-go/waymark/internal/rt"
	"github.com/waymark-go/waymark/stats"
)

// recording is what the program records with, nil if it doesn't.
var recording atomic.Pointer[recorder.Recorder]

// ErrNoWindow says that there is nothing to dump.
var ErrNoWindow = recorder.ErrNoWindow

// ErrEmptyWindow says that the window holds no events.
var ErrEmptyWindow = recorder.ErrEmptyWindow

// Dump writes the window of the flight recorder, see waymark.Dump.
func Dump() (path string, err error) {
	r := recording.Load()
	if r == nil {
		return "", ErrNoWindow
	}
	return r.Dump()
}

func init() {
	if !rt.Enabled {
		return
	}
	env := os.Getenv("WAYMARK")
	if env == "" {
		return
	}
	rt.Mute(true)
	defer rt.Mute(false)
	if err := begin(env); err != nil {
		recorder.Say("%v; the program runs untraced", err)
	}
}

// began are the settings that the program began with.
var began settings

func begin(env string) error {
	s, err := load(env)
	if err != nil {
		return err
	}
	began = s
	o, err := parse(s)
	if err != nil {
		return err
	}
	chooseClock()
	if key := o.ofRecording(); key != "" && !o.Record {
		unrecorded(key)
	}
	if o.Record {
		chosen, others := groupNames(o.Include)
		if others = append(others, o.Exclude...); len(others) > 0 {
			return fmt.Errorf("WAYMARK: record with p or x of %s: a recording is of all functions or of groups; leave functions out when the program is built, or when the recording is read",
				others[0])
		}
		wanted.record = chosen
		o.Config.Chosen = len(o.Include) > 0
		if err := record(o, s); err != nil {
			return err
		}
	}
	if o.Stats.On || !o.Record && len(o.Include)+len(o.Exclude) > 0 {
		if err := gather(o); err != nil {
			return err
		}
	}
	groups, others := groupNames(o.Print)
	wanted.print = groups
	atExit(missing)
	return printCalls(others, o.Detail) // last: what went wrong before says that nothing is traced
}

// atExit has f called when the program ends, but not at the end of a copy of the process (fork): it
// would say things twice, and locks may be held for ever there.
func atExit(f func()) {
	pid := os.Getpid()
	rt.AtExit(func() {
		if os.Getpid() == pid {
			f()
		}
	})
}

// unrecorded says that nothing is recorded, although WAYMARK has a key that is of recordings only:
// at the end, if the program may begin a recording itself.
func unrecorded(key string) {
	say := func() {
		if recording.Load() == nil {
			recorder.Say("WAYMARK: %s without record: nothing is recorded; add record, as in WAYMARK=record,o=FILE", key)
		}
	}
	if rt.Linked("github.com/waymark-go/waymark") {
		atExit(say)
	} else {
		say()
	}
}

// wanted are the groups that WAYMARK names, before the program's packages are initialised.
var wanted struct{ record, print, found []string }

// Wanted tells whether WAYMARK asks for a group to be recorded or printed. The group is there.
func Wanted(name string) (record, print bool) {
	starting.Lock()
	defer starting.Unlock()
	record, print = slices.Contains(wanted.record, name), slices.Contains(wanted.print, name)
	if record || print {
		wanted.found = append(wanted.found, name)
	}
	return record, print
}

// missing reports groups that WAYMARK names and the program hasn't, and patterns that name no function.
func missing() {
	for _, text := range unmatched() {
		recorder.Say("WAYMARK: %s", text)
	}
	for _, name := range append(wanted.record, wanted.print...) {
		if !slices.Contains(wanted.found, name) {
			recorder.Say("WAYMARK: the program has no group %s", name)
		}
	}
}

// RecordsAll tells whether a recording of all sites is going on.
func RecordsAll() bool {
	r := recording.Load()
	return r != nil && !r.Chosen()
}

var (
	starting sync.Mutex     // guards what follows, and that recording begins
	groups   []format.Group // of the program
	hidden   bool           // values are not recorded
)

// AddGroups tells recordings, those that begin later too, of groups or what else is known of some.
func AddGroups(list ...format.Group) {
	starting.Lock()
	defer starting.Unlock()
	groups = append(groups, list...)
	stats.AddGroups(list)
	if r := recording.Load(); r != nil {
		r.AddGroups(list...)
	}
}

// Record makes sure that a recording is going on, with the settings in WAYMARK. One that begins
// here is of those sites only that are switched on.
func Record() error {
	starting.Lock()
	defer starting.Unlock()
	if r := recording.Load(); r != nil {
		if r.Ended() {
			return errors.New("the recording that there was has ended: there is only one in the life of a program")
		}
		return nil
	}
	rt.Mute(true)
	defer rt.Mute(false)
	s := began
	if env := os.Getenv("WAYMARK"); env != s.env {
		var err error
		if s, err = load(env); err != nil {
			return err
		}
	}
	o, err := parse(s)
	if err != nil {
		return err
	}
	o.Config.Chosen = true
	return record(o, s)
}

// Choose ends the recording of all sites: from now on somebody else switches on what is recorded,
// and has done so with the sites that are in chosen.
func Choose(chosen map[uint32]bool) {
	if r := recording.Load(); r != nil {
		r.Choose(chosen)
	}
}

// HideValues has no values recorded any more, by a recording that begins later neither.
func HideValues() {
	starting.Lock()
	defer starting.Unlock()
	hidden = true
	if r := recording.Load(); r != nil {
		r.HideValues()
	} else {
		rt.Hide(true)
	}
}

// chooseClock says once what is wrong with the clock that was wanted.
var chooseClock = sync.OnceFunc(func() {
	if _, err := clock.Chosen(); err != nil {
		recorder.Say("%v", err)
	}
})

// record begins a recording.
func record(o options, s settings) error {
	chooseClock()
	program, err := os.Executable()
	if err != nil {
		program = "program"
	}
	if o.Path, err = expand(o.Path, program, os.Getpid()); err != nil {
		return err
	}
	stringers := sync.OnceFunc(func() { rt.Stringer(new(texts).text) })
	o.Config.Values = func(built string) recorder.Values {
		v := values(settings{text: built}, s)
		if v.Stringers {
			stringers()
		}
		return v
	}
	o.Config.Groups, o.Config.Hidden = groups, hidden
	r, err := recorder.Start(o.Config)
	if err != nil {
		return fmt.Errorf("record to %s: %w", o.Path, err)
	}
	recording.Store(r)
	return nil
}
