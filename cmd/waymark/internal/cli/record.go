package cli

import (
	"debug/buildinfo"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/waymark-go/waymark/cmd/waymark/internal/library"
	"github.com/waymark-go/waymark/format"
	"github.com/waymark-go/waymark/tracefile"
)

func (a *app) recordCommand() *cobra.Command {
	var f buildFlags
	var rec recordFlags
	var out string
	return a.buildCmd("record [--flags] [go build flags] [-o FILE] package-or-instrumented-binary [args]",
		"run a program and record every call to a file", "o", true,
		func(set *pflag.FlagSet) {
			f.define(set)
			rec.define(set)
			set.StringVarP(&out, "output", "o", "waymark.wmt", "`FILE` to record to")
		},
		func(line *commandLine) error {
			if err := rec.check(); err != nil {
				return err
			}
			file, err := filepath.Abs(out)
			if err != nil {
				return err
			}
			if len(line.args) > 0 && strings.Trim(line.args[0], "0123456789") == "" {
				return usagef("record: %s is a process id: recording a running process is not supported yet", line.args[0])
			}
			t, err := a.program(&f, line)
			if t != nil {
				defer t.clear()
			}
			if err != nil || t == nil {
				return err
			}
			if err := replaceable(file); err != nil {
				return err
			}
			t.env = rec.env(file)
			runErr := a.run(t)
			if errors.As(runErr, new(ended)) || runErr == nil {
				for _, file := range recordings(file) {
					if err := a.recorded(file); err != nil {
						fmt.Fprintf(a.stderr, "waymark: %v\n", err)
					}
				}
			}
			t.clear() // the status may be a signal
			return programStatus(runErr)
		})
}

// program gives the program to record: an instrumented binary, or a package to build.
func (a *app) program(f *buildFlags, line *commandLine) (*traced, error) {
	if len(line.args) > 0 && !strings.HasSuffix(line.args[0], ".go") {
		if fi, err := os.Stat(line.args[0]); err == nil && fi.Mode().IsRegular() {
			if err := instrumented(line.args[0]); err != nil {
				return nil, err
			}
			path, err := filepath.Abs(line.args[0])
			return &traced{path: path, args: line.args[1:]}, err
		}
	}
	return a.buildProgram("record", f, line)
}

// instrumented checks that the file at path is a program that waymark built.
func instrumented(path string) error {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return fmt.Errorf("%s is not a Go program: %w", path, err)
	}
	for _, s := range info.Settings {
		if s.Key == "-tags" {
			for _, tag := range strings.Split(s.Value, ",") {
				if tag == library.Tag {
					return nil
				}
			}
		}
	}
	return fmt.Errorf("%s was not built by waymark: build it with waymark build, or name its package", path)
}

// replaceable tries whether a trace file can be written, before the program runs,
// and removes an old one.
func replaceable(file string) error {
	if fi, err := os.Lstat(file); err == nil {
		if !fi.Mode().IsRegular() {
			return fmt.Errorf("%s is not a file: choose another with -o", file)
		}
		b, err := readHead(file)
		if err != nil {
			return err
		}
		if len(b) > 0 && errors.Is(format.CheckHeader(b), format.ErrNotTrace) {
			return fmt.Errorf("%s is there and is not a trace file: remove it, or choose another with -o", file)
		}
	}
	probe, err := os.CreateTemp(filepath.Dir(file), ".waymark-*")
	if err != nil {
		return fmt.Errorf("can't write to the folder of %s: %w; choose another file with -o", file, err)
	}
	probe.Close()
	os.Remove(probe.Name())
	if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// readHead reads as much of a file as holds a trace file's header.
func readHead(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, format.HeaderSize))
}

// recorded completes the recording of a program that was killed, and says what there is.
func (a *app) recorded(file string) error {
	f, err := tracefile.Open(file)
	if err != nil {
		return fmt.Errorf("nothing was recorded: %w", err)
	}
	defer f.Close()
	info := f.Info()
	lost := ""
	if info.Lost > 0 {
		lost = fmt.Sprintf(", %d dropped", info.Lost)
	}
	fmt.Fprintf(a.stderr, "waymark: %s: %d events%s; see it with waymark report %[1]s\n", file, info.Events, lost)
	return nil
}
