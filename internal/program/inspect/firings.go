package inspect

import (
	"strings"
	"time"

	"github.com/waymark-go/waymark/internal/program/condition"
	"github.com/waymark-go/waymark/internal/program/control"
	"github.com/waymark-go/waymark/internal/program/firings"
	"github.com/waymark-go/waymark/internal/program/goroutine"
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/program/switchboard"
)

// NoFunctions selects none. Probes are in no group, so policies that allow some groups only are against
// wishes for it, as they are against tracers of probes.
var NoFunctions = switchboard.Selection{Groups: []string{""}}

// firing tells firings of probes of package probe beside calls, within the same limits.
type firing struct {
	*calls
	patterns []string
	within   goroutine.Local[struct{}] // firings that are being told
}

// checkProbes returns what is wrong with the probes of a watch.
func checkProbes(w control.Watch) error {
	switch {
	case len(w.Probes) == 0:
		return nil
	case w.Kind != control.KindCalls:
		return &control.Error{Code: control.CodeRequest, Text: w.Kind + " can't be of probes"}
	case len(w.If) > 0:
		return &control.Error{Code: control.CodeRequest, Text: "firings of probes can't have a condition"}
	case w.Keep:
		return &control.Error{Code: control.CodeRequest, Text: "firings of probes can't be kept"}
	}
	for _, p := range w.Probes {
		if _, err := control.MatchProbe(p, "", ""); err != nil {
			return err
		}
	}
	return nil
}

func newFirings(c *calls, patterns []string, s switchboard.Selection, only *condition.Program) (control.Task, error) {
	f := &firing{calls: c, patterns: patterns}
	allowed := switchboard.Wish{Want: rt.Recorded, Kind: "Watch", Select: NoFunctions}
	if err := c.begin("Watch", s, rt.Watched, c, only, allowed); err != nil {
		return nil, err
	}
	firings.Watch(f)
	return f, nil
}

// Wants implements firings.Watcher.
func (f *firing) Wants(provider, probe string) bool {
	for _, p := range f.patterns {
		if in, _ := control.MatchProbe(p, provider, probe); in {
			return true
		}
	}
	return false
}

// Fired implements firings.Watcher. The text of an argument may be a method's of the program.
// Probes that the method fires are not told, or it might never come to an end.
func (f *firing) Fired(provider, probe string, args func() []any) {
	if f.removed.Load() != nil || f.within.Get(false) != nil {
		return
	}
	if f.pace.passes() {
		return
	}
	call := control.Call{Function: provider + ":" + probe, Goroutine: goroutine.ID(), StartUnix: time.Now().UnixNano(), End: control.OnFire, Hidden: switchboard.Default.Hidden()}
	if !f.bare && !call.Hidden {
		call.Args = f.text(args)
	}
	f.tell(toldCall{Call: call}, nil)
}

// text returns the arguments of a firing as text.
func (f *firing) text(args func() []any) string {
	if rt.Enabled {
		rt.Mute(true)
		defer rt.Mute(false)
	}
	f.within.Get(true)
	defer f.within.Drop()
	return strings.Join(f.values(args()), ", ")
}

// Close implements control.Task.
func (f *firing) Close() error {
	firings.Unwatch(f)
	return f.calls.Close()
}
