package agent

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/internal/program/inspect"
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/program/seen"
	"github.com/waymark-go/waymark/internal/program/switchboard"
)

// defaultSeen is the name of the file of functions that were ever called.
const defaultSeen = "waymark.seen"

// beginSeen begins to note first calls of the functions that the settings name.
func beginSeen(o options) error {
	only, err := newSelection(o.Include, o.Exclude)
	if err != nil {
		return err
	}
	path := o.Seen.Path
	switch {
	case path != "":
	case o.Record || o.Path == defaults().Path:
		path = defaultSeen
	default:
		path = o.Path
	}
	program := executable()
	if path, err = expand(path, program, os.Getpid()); err != nil {
		return err
	}
	if path, err = filepath.Abs(path); err != nil { // the program may go elsewhere
		return err
	}
	if err := noting.begin(path); err != nil { // no command can be here yet
		return fmt.Errorf("WAYMARK: seen: %w", err)
	}
	noting.environment = true
	wish := switchboard.Wish{Want: rt.Seen, Kind: "Seen"}
	if only != nil {
		wish.Select.Has = func(f *function.Func) bool { return only.has(f) }
	}
	set(switchboard.Default.Join("Seen", switchboard.Environment), wish)
	return nil
}

// noting is the file that first calls are noted in. A program has one, from the first time that somebody
// wants it to the program's end.
var noting noted

type noted struct {
	mu    sync.Mutex
	file  seenFile
	path  string
	owner *switchboard.Owner // of commands; nil until one wants it

	environment, commands bool // who wants it
}

// begin makes the file, at path or, if that is another build's, beside it. If there is a file already,
// that stays.
func (n *noted) begin(path string) error {
	if n.file != nil {
		return nil
	}
	file, err := host.See(path, executable())
	if err != nil {
		return err
	}
	n.file, n.path = file, file.Name()
	host.Packages(file.Register)
	atExit(file.End)
	return nil
}

// wanted returns the path of the file, "" if nobody wants first calls.
func (n *noted) wanted() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.environment && !n.commands {
		return ""
	}
	return n.path
}

// want has commands want first calls of all functions, in the file at path unless there is one, and
// returns the file's path.
func (n *noted) want(path string) (string, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.owner == nil {
		n.owner = switchboard.Default.Join("Seen", switchboard.Command)
	}
	// A policy is asked first: there is to be no file that nobody may write to.
	if err := n.owner.Check(seenByCommands); err != nil {
		return "", inspect.Refused(err)
	}
	if err := n.begin(path); err != nil {
		return "", err
	}
	n.commands = true
	return n.path, inspect.Refused(n.owner.Set(seenByCommands))
}

// leave has commands not want it any more.
func (n *noted) leave() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.commands {
		n.owner.Set()
	}
	n.commands = false
}

var seenByCommands = switchboard.Wish{Want: rt.Seen, Kind: "Seen"}

// A seenFile says which functions were ever called.
type seenFile interface {
	Name() string // path
	Register(*rt.Package)
	End()
}

func (program) See(path, program string) (seenFile, error) {
	f, err := seen.Start(path, seen.Facts(program))
	if err != nil {
		return nil, err
	}
	f.WatchTests()
	return f, nil
}
