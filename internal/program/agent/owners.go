package agent

import (
	"fmt"
	"slices"

	"github.com/waymark-go/waymark/internal/program/condition"
	"github.com/waymark-go/waymark/internal/program/console"
	"github.com/waymark-go/waymark/internal/program/printer"
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/program/switchboard"
)

// wanted are the groups that WAYMARK names, which the program makes later.
var wanted []string

// beginOwners begins the recording that the settings ask for, and has their groups recorded and
// printed.
func beginOwners(o options, s settings) error {
	var recorded []string
	var file *Recording
	if o.Record {
		var others []string
		recorded, others = groupNames(o.Include)
		if others = append(others, o.Exclude...); len(others) > 0 {
			return fmt.Errorf("WAYMARK: record with p or x of %s: a recording is of all functions or of groups; leave functions out when the program is built, or when the recording is read",
				others[0])
		}
		var err error
		if file, err = start(o, s); err != nil {
			return err
		}
		if len(recorded) == 0 {
			recordAll(file)
		}
	}
	printed, _ := groupNames(o.Print)
	wanted = append(slices.Clone(recorded), printed...)
	for i, name := range wanted {
		if !slices.Contains(wanted[:i], name) {
			if slices.Contains(recorded, name) {
				wantGroup(name, file, slices.Contains(printed, name), o.If)
			} else {
				wantGroup(name, nil, true, o.If)
			}
		}
	}
	return nil
}

// recordAll has all functions recorded in a file, or those of the groups that policies allow.
func recordAll(file *Recording) {
	owner := switchboard.Default.Join("Record", switchboard.Environment)
	owner.Removed = func(reason string) string { return "record: " + reason + "; nothing more is recorded" }
	file.ends = append(file.ends, owner.Close)
	set(owner, switchboard.Wish{Want: rt.Recorded, Kind: "Record", Narrow: true})
}

// wantGroup has the functions of a group recorded in a file, unless that is nil, or printed, or both.
func wantGroup(name string, file *Recording, print bool, only *condition.Program) {
	var wishes []switchboard.Wish
	kind, selection := "", switchboard.Selection{Groups: []string{name}}
	if file != nil {
		kind = "Record"
		wishes = append(wishes, switchboard.Wish{Want: rt.Recorded, Select: selection, Kind: kind})
	}
	if print {
		kind = "Print"
		wishes = append(wishes, switchboard.Wish{Want: rt.Watched, Select: selection, Kind: kind, Condition: only,
			Observer: func(string) switchboard.Observer { return printer.Stderr }})
	}
	if len(wishes) > 1 {
		kind = "Compose(Record, Print)"
	}
	owner := switchboard.Default.Join(kind, switchboard.Environment)
	owner.Group = name
	owner.Removed = func(reason string) string {
		return (&switchboard.PolicyError{Kind: switchboard.ObserverKind(kind), Group: name, Origin: switchboard.Environment, Reason: reason}).Error()
	}
	if file != nil {
		file.ends = append(file.ends, func() {
			if owner.Active() { // no policy has taken the wishes away
				set(owner, wishes[1:]...)
			}
		})
	}
	set(owner, wishes...)
}

func set(owner *switchboard.Owner, wishes ...switchboard.Wish) {
	if err := owner.Set(wishes...); err != nil {
		console.Say("WAYMARK: %v", err)
	}
}

// missing reports groups that WAYMARK names and the program hasn't, and patterns that name no
// function.
func missing() {
	for _, text := range unmatched() {
		console.Say("WAYMARK: %s", text)
	}
	known := make(map[string]bool)
	for _, g := range switchboard.Default.Groups() {
		known[g.Name] = true
	}
	for _, name := range wanted {
		if !known[name] {
			console.Say("WAYMARK: the program has no group %s", name)
		}
	}
}
