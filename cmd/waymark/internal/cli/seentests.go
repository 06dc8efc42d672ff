package cli

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/waymark-go/waymark/cmd/waymark/internal/build/gocmd"
	"github.com/waymark-go/waymark/cmd/waymark/internal/cli/config"
)

// seenTestFlags say where test binaries note which functions tests call.
type seenTestFlags struct {
	dir string
	set *pflag.FlagSet
}

func (f *seenTestFlags) define(set *pflag.FlagSet) {
	f.set = set
	set.StringVar(&f.dir, "seen", "", "note which functions each test calls, in files in the folder `DIR` for waymark seen --tests")
	config.Mark(set, config.IsOutput, "seen")
}

func (f *seenTestFlags) on() bool { return f.dir != "" }

// check makes the folder. It returns an error for flags of the go command's that don't fit.
func (f *seenTestFlags) check(flags gocmd.Flags) error {
	if !f.on() {
		if f.set.Changed("seen") {
			return usagef("--seen: want a folder")
		}
		return nil
	}
	if flags.Bool("c") {
		return usagef("--seen: -c builds the test binary only: leave one of them out; WAYMARK=seen,o=FILE makes the binary note what tests call when it runs")
	}
	dir, err := filepath.Abs(f.dir)
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err != nil {
		return fmt.Errorf("--seen: %w; name a folder, or a path where one can be made", err)
	}
	f.dir = dir
	return nil
}

// setting returns the setting of WAYMARK. Test binaries run side by side, and may run each other.
func (f *seenTestFlags) setting() string {
	return "seen=" + escape(literal(f.dir)+string(filepath.Separator)+"%n.%p.seen")
}
