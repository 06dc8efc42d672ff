package agent

import (
	"github.com/waymark-go/waymark/internal/program/control"
	"github.com/waymark-go/waymark/internal/program/inspect"
	"github.com/waymark-go/waymark/internal/program/printer"
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/program/switchboard"
)

func (l *live) Join() control.Owner {
	return wishes{switchboard.Default.Join("Control", switchboard.Command)}
}

// wishes are what one connection wants.
type wishes struct{ *switchboard.Owner }

// monitors are what a command can have done with calls.
var monitors = map[string]switchboard.Wish{
	"stats":  {Want: rt.Timed, Kind: "Stats"},
	"record": {Want: rt.Recorded, Kind: "Record"},
	"print": {Want: rt.Watched, Kind: "Print",
		Observer: func(string) switchboard.Observer { return printer.Stderr }},
}

func (w wishes) Set(on []control.On) error {
	targets := make(map[string][]string) // by monitor
	for _, o := range on {
		targets[o.Monitor] = append(targets[o.Monitor], o.Target)
	}
	if r := current.Load(); targets["record"] != nil && (r == nil || r.ended()) {
		return &control.Error{Code: control.CodeState, Text: "nothing is recorded: waymark record PID begins a recording, and so does WAYMARK=record"}
	}
	if targets["stats"] != nil {
		chooseClock()
	}
	var list []switchboard.Wish
	for _, name := range control.Monitors {
		wish := monitors[name]
		groups, others := groupNames(targets[name])
		for _, part := range [][]string{prefixed(groups), others} {
			if len(part) == 0 {
				continue
			}
			var err error
			if wish.Select, err = selected(part); err != nil {
				return err
			}
			list = append(list, wish)
		}
	}
	return inspect.Refused(w.Owner.Set(list...))
}

// prefixed returns groups as patterns.
func prefixed(groups []string) (list []string) {
	for _, g := range groups {
		list = append(list, "@"+g)
	}
	return list
}
