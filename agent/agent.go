// Package agent is what an instrumented program links: it reads the environment
// variable WAYMARK before any other package is initialised, and begins what it asks for.
//
// A value that can't be understood is reported on stderr with its position, and
// the program runs untraced.
package agent

import (
	"fmt"
	"os"

	"github.com/waymark-go/waymark/recorder"
	"github.com/waymark-go/waymark/rt"
)

// recording is what the program records with, nil if it doesn't. It is set before
// the program's own code runs, and stays.
var recording *recorder.Recorder

// ErrNoWindow says that there is nothing to dump.
var ErrNoWindow = recorder.ErrNoWindow

// Dump writes the window of the flight recorder, see waymark.Dump.
func Dump() (path string, err error) {
	if recording == nil {
		return "", ErrNoWindow
	}
	return recording.Dump()
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
	if err := start(env); err != nil {
		recorder.Say("%v; the program runs untraced", err)
	}
}

func start(env string) error {
	o, err := parse(env)
	if err != nil {
		return err
	}
	if !o.Record {
		return nil
	}
	program, err := os.Executable()
	if err != nil {
		program = "program"
	}
	if o.Path, err = expand(o.Path, program, os.Getpid()); err != nil {
		return err
	}
	if o.Stringers {
		rt.Stringer(new(texts).text)
	}
	if o.Clock, err = chooseClock(os.Getenv("WAYMARKCLOCK"), recorder.Clocks()); err != nil {
		recorder.Say("%v", err)
	}
	o.Config.Values = func(built string) recorder.Values { return values(built, env) }
	r, err := recorder.Start(o.Config)
	if err != nil {
		return fmt.Errorf("record to %s: %w", o.Path, err)
	}
	recording = r
	rt.AtExit(func() {
		if err := r.Close(); err != nil {
			recorder.Say("complete %s: %v", o.Path, err)
		}
	})
	return nil
}
