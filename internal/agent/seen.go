package agent

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/internal/rt"
	"github.com/waymark-go/waymark/internal/seen"
	"github.com/waymark-go/waymark/internal/switchboard"
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
	file, err := host.See(path, program)
	if err != nil {
		return fmt.Errorf("WAYMARK: seen: %w", err)
	}
	host.Packages(file.Register)
	atExit(file.End)
	wish := switchboard.Wish{Want: rt.Seen, Kind: "Seen"}
	if only != nil {
		wish.Select.Has = func(f *function.Func) bool { return only.has(f) }
	}
	set(switchboard.Default.Join("Seen", switchboard.Environment), wish)
	return nil
}

// A seenFile says which functions were ever called.
type seenFile interface {
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
