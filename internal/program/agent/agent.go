// Package agent is what an instrumented program links. It reads the environment variable WAYMARK
// before any other package is initialised, and begins what the variable asks for.
//
// A value that can't be understood is reported on stderr with its position, and
// the program runs untraced.
package agent

import (
	"os"
	"sync"

	"github.com/waymark-go/waymark/internal/program/console"
	"github.com/waymark-go/waymark/internal/program/linked"
	"github.com/waymark-go/waymark/internal/program/rt"
)

func init() {
	if !host.Enabled() {
		return
	}
	linked.Agent = public{}
	redact()
	host.Mute(true)
	defer host.Mute(false)
	guardProbes()
	if rt.Secure() && os.Getenv("WAYMARK") != "" {
		console.Say("WAYMARK is passed over: the program runs with more rights than its caller; the program runs untraced")
	}
	env := rt.Env("WAYMARK")
	if env == "" {
		return
	}
	if err := begin(env); err != nil {
		decided = true // agent=0 may be in what couldn't be read
		console.Say("%v; the program runs untraced", err)
		resume()
	}
	hold()
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
	decided = o.Socket.Given || o.Suspend
	if o.Suspend {
		suspend(o.Socket)
	} else if o.Socket.On {
		listen(o.Socket)
	}
	if !o.USDT && rt.Enabled {
		rt.ProbesOff()
	}
	chooseClock()
	if key := o.unrecorded(s.text); key != "" && !o.Record {
		sayUnrecorded(key)
	}
	if o.Seen.On {
		if err := beginSeen(o); err != nil {
			return err
		}
	}
	if o.Counts != "" {
		if err := beginCounts(o); err != nil {
			return err
		}
	}
	if err := beginOwners(o, s); err != nil {
		return err
	}
	if o.gathers() {
		if err := gatherStatistics(o); err != nil {
			return err
		}
	}
	if len(o.Traces.Roots) > 0 {
		if err := gatherTraces(o); err != nil {
			return err
		}
	}
	atExit(missing)
	_, others := groupNames(o.Print)
	return printCalls(others, o.Detail, o.If) // last: what went wrong before says that nothing is traced
}

// atExit has f called when the program ends, but not at the end of a copy of the process (fork). f
// would say things twice there, and locks may be held for ever.
func atExit(f func()) {
	pid := os.Getpid()
	host.AtExit(func() {
		if os.Getpid() == pid {
			f()
		}
	})
}

// sayUnrecorded says that nothing is recorded, although WAYMARK has a key that is of recordings only.
// It says so at the end, if the program may begin a recording itself.
func sayUnrecorded(key string) {
	say := func() {
		if !recorded.Load() {
			console.Say("WAYMARK: %s without record: nothing is recorded; add record, as in WAYMARK=record,o=FILE", key)
		}
	}
	if host.Linked("github.com/waymark-go/waymark") {
		atExit(say)
	} else {
		say()
	}
}

// chooseClock says once what is wrong with the clock that was wanted.
var chooseClock = sync.OnceFunc(func() {
	if err := host.Clock(); err != nil {
		console.Say("%v", err)
	}
})
