package agent

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/waymark-go/waymark/internal/program/fault"
	"github.com/waymark-go/waymark/internal/program/linked"
	"github.com/waymark-go/waymark/internal/program/recorder"
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/program/switchboard"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// A Recording is a trace file that is being written. Owners on the switchboard say which functions
// are recorded.
type Recording struct {
	file  atomic.Pointer[file] // nil while it begins
	path  string
	board switchboard.Recording
	ends  []func() // take away what is wanted of this recording only
}

// public is what public packages reach by package linked.
type public struct{}

var (
	starting sync.Mutex                // guards that recordings begin and end
	current  atomic.Pointer[Recording] // the recording that is going on, or has ended by itself
	recorded atomic.Bool               // there was a recording
)

// Record begins a recording to path, with all other settings of WAYMARK. The owner has the wish
// until the recording ends: the next recording is of other functions.
func (public) Record(path string, owner *switchboard.Owner, wish switchboard.Wish) (linked.Recording, error) {
	r, err := record(path, "", owner, wish)
	if err != nil {
		return nil, err // and no nil *Recording that isn't nil
	}
	return r, nil
}

// record is Record with settings that count more than those of WAYMARK.
func record(path, more string, owner *switchboard.Owner, wish switchboard.Wish) (*Recording, error) {
	starting.Lock()
	defer starting.Unlock()
	if r := current.Load(); r != nil {
		if !r.ended() {
			return nil, fault.ErrRecording
		}
		r.close()
	}
	r, err := again(path, more)
	if err != nil {
		return nil, err
	}
	r.ends = append(r.ends, owner.Close)
	if err := owner.Set(wish); err != nil { // a policy has come meanwhile
		r.close()
		return nil, err
	}
	return r, nil
}

// Recorded makes sure that a recording is going on, with the settings of WAYMARK.
func (public) Recorded() error {
	starting.Lock()
	defer starting.Unlock()
	if r := current.Load(); r != nil {
		if r.ended() {
			return fmt.Errorf("the recording to %s has ended by itself, as it reached its size or failed: record to another file", r.path)
		}
		return nil
	}
	_, err := again("", "")
	return err
}

// again begins a recording while the program runs, with more settings. The caller has the lock.
func again(path, more string) (*Recording, error) {
	if !host.Enabled() {
		return nil, nil
	}
	host.Mute(true)
	defer host.Mute(false)
	s := began
	if env := rt.Env("WAYMARK"); env != s.env {
		var err error
		if s, err = load(env); err != nil {
			return nil, err
		}
	}
	o, err := parse(s)
	if err != nil {
		return nil, err
	}
	if err := o.read(settings{source: "settings", text: more}); err != nil {
		return nil, err
	}
	if path != "" {
		o.Path = path
	}
	return start(o, s)
}

// start begins a recording. No site is recorded before an owner wants it.
func start(o options, s settings) (*Recording, error) {
	chooseClock()
	program := executable()
	var err error
	if o.Path, err = expand(o.Path, program, os.Getpid()); err != nil {
		return nil, err
	}
	path, err := filepath.Abs(o.Path)
	if err != nil {
		return nil, fmt.Errorf("record to %s: %w", o.Path, err)
	}
	o.Path = path
	stringers := sync.OnceFunc(func() { host.Stringer(new(texts).text) })
	o.Config.Values = func(built string) recorder.Values {
		v := values(settings{text: built}, s)
		if v.Stringers {
			stringers()
		}
		return v
	}
	board := switchboard.Default
	r := &Recording{path: o.Path}
	o.Config.Built = builtWith()
	o.Config.Groups, o.Config.Hidden, o.Config.HidePanics = board.Groups(), board.Hidden(), board.Narrows()
	o.Config.Packages = func(register func(*rt.Package)) {
		r.board = switchboard.Recording{Package: register, Groups: r.addGroups, Ended: r.ended, Stays: o.Record && o.Stats.On}
		if o.Budget.CountsOnly() {
			r.board.Least = format.LevelOnly
		}
		board.Record(&r.board)
	}
	o.Config.Govern = recorder.Govern{
		Limit:  func(site uint32, level uint8) { board.Limit(&r.board, site, level) },
		Sample: func(group uint32) { board.Sample(&r.board, group) },
		Rank:   board.Rank,
		Over:   func() { board.EndRecord(&r.board) },
	}
	began, err := host.Record(o.Config)
	if err != nil {
		return nil, fmt.Errorf("record to %s: %w", o.Path, err)
	}
	r.file.Store(&began)
	r.path = began.Path()
	if later := board.Groups()[len(o.Config.Groups):]; len(later) > 0 {
		began.AddGroups(later...)
	}
	current.Store(r)
	recorded.Store(true)
	return r, nil
}

func (r *Recording) addGroups(list []format.Group) {
	if to := r.file.Load(); to != nil {
		(*to).AddGroups(list...)
	}
}

// ended reports whether the recording has ended: it has failed, or the file has its size.
func (r *Recording) ended() bool {
	of := r.file.Load()
	return of != nil && (*of).Ended()
}

// Close completes the trace file. It may be called again.
func (r *Recording) Close() error {
	starting.Lock()
	defer starting.Unlock()
	return r.close()
}

func (r *Recording) close() error {
	if current.Load() != r {
		return nil
	}
	err := (*r.file.Load()).Close()
	for _, end := range r.ends {
		end()
	}
	switchboard.Default.EndRecord(&r.board)
	current.Store(nil)
	if err != nil {
		return fmt.Errorf("complete %s: %w", r.path, err)
	}
	return nil
}

// Path returns the absolute path of the trace file.
func (r *Recording) Path() string { return r.path }

// Dump writes the window of the recording's flight recorder.
func (r *Recording) Dump() (path string, err error) {
	if current.Load() != r {
		return "", fault.ErrNoWindow
	}
	return (*r.file.Load()).Dump()
}

// Dump writes the window of the flight recorder, see waymark.Dump.
func (public) Dump() (path string, err error) {
	if r := current.Load(); r != nil {
		return r.Dump()
	}
	return "", fault.ErrNoWindow
}

// HideValues has no values recorded any more.
func (public) HideValues() {
	starting.Lock()
	defer starting.Unlock()
	if r := current.Load(); r != nil {
		(*r.file.Load()).HideValues()
	} else if host.Enabled() {
		host.Hide(true)
	}
}
