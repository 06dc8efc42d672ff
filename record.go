package waymark

import (
	"github.com/waymark-go/waymark/internal/program/fault"
	"github.com/waymark-go/waymark/internal/program/linked"
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/program/switchboard"
)

// A Recording is a trace file that is being written.
type Recording struct{ recording linked.Recording }

// Record begins to record calls of the selected functions in a trace file at path, and of the info
// functions of their packages. In the path %p stands for the process id, %n for the program's name.
// An older trace file there is replaced. All other settings are those of WAYMARK, or defaults.
//
// There is one recording at a time, and any number one after the other. The recordings that
// WAYMARK=record and monitor.Record begin go on until the program ends: no other recording can
// begin then. Groups that monitor.Record is registered against are recorded in each recording.
//
// Errors are those of Attach, ErrNotBuilt, ErrRecording, and those of making the file.
func Record(s Selector, path string) (*Recording, error) {
	selection, group, err := selected(s)
	if err != nil {
		return nil, err
	}
	if !rt.Enabled || linked.Agent == nil {
		return nil, ErrNotBuilt
	}
	owner := switchboard.Default.Join("Record", FromProgram)
	owner.Group = group
	wish := switchboard.Wish{Want: rt.Recorded, Select: selection, Kind: "Record"}
	if err := owner.Check(wish); err != nil {
		return nil, err
	}
	r, err := linked.Agent.Record(path, owner, wish)
	if err != nil {
		return nil, err
	}
	return &Recording{r}, nil
}

// Close completes the trace file. Calls in progress are open in it. It may be called again.
func (r *Recording) Close() error { return r.recording.Close() }

// Path returns the absolute path of the trace file.
func (r *Recording) Path() string { return r.recording.Path() }

// Dump writes what the recording's flight recorder holds, see the function Dump.
func (r *Recording) Dump() (path string, err error) { return r.recording.Dump() }

// Dump writes what the flight recorder holds, the newest calls until now, to a trace file of its
// own, and returns the absolute path. Recording goes on: the next Dump writes what is the window
// then, to another file, whether or not the two overlap. Calls of other goroutines go on meanwhile;
// Dump returns when the file is complete.
//
// The files stand beside the trace file, and are numbered: waymark.dump1.wmt and so on, existing
// ones left alone. The trace file itself is for the end of the program.
//
// If there is an error there is no file. It is ErrNoWindow in a program that is not recording, or
// without overflow=ring, where all calls are in the trace file anyway. It wraps ErrEmptyWindow if
// no function that is recorded has been called, or if the program has overwritten all while Dump
// was reading. Else it is the operating system's.
func Dump() (path string, err error) {
	if linked.Agent == nil {
		return "", fault.ErrNoWindow
	}
	return linked.Agent.Dump()
}
