package agent

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/waymark-go/waymark/internal/program/counts"
)

// beginCounts begins to count the calls of each test.
func beginCounts(o options) error {
	if o.Seen.On {
		return errors.New("WAYMARK: counts and seen: both follow tests; use one of them")
	}
	program := executable()
	path, err := expand(o.Counts, program, os.Getpid())
	if err != nil {
		return err
	}
	if path, err = filepath.Abs(path); err != nil { // the program may go elsewhere
		return err
	}
	host.CountTests(func(line []byte) error { return appendFile(path, line) })
	return nil
}

func (program) CountTests(write func(line []byte) error) { counts.Start(write) }
