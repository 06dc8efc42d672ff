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
		fmt.Fprintf(os.Stderr, "waymark: %v; the program runs untraced\n", err)
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
	path, err := expand(o.Out, program, os.Getpid())
	if err != nil {
		return err
	}
	if o.Stringers {
		rt.Stringer(new(texts).text)
	}
	clock, err := chooseClock(os.Getenv("WAYMARKCLOCK"), recorder.Clocks())
	if err != nil {
		fmt.Fprintf(os.Stderr, "waymark: %v\n", err)
	}
	r, err := recorder.Start(recorder.Config{
		Path: path, Drop: o.Overflow == "drop", Buffers: o.Buffers, Clock: clock,
		Values: func(built string) recorder.Values { return values(built, env) },
	})
	if err != nil {
		return fmt.Errorf("record to %s: %w", path, err)
	}
	rt.AtExit(func() {
		if err := r.Close(); err != nil {
			fmt.Fprintf(os.Stderr, "waymark: complete %s: %v\n", path, err)
		}
	})
	return nil
}
