package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/spf13/pflag"

	"github.com/waymark-go/waymark/cmd/waymark/internal/build/gocmd"
	"github.com/waymark-go/waymark/cmd/waymark/internal/cli/config"
	"github.com/waymark-go/waymark/cmd/waymark/internal/show/gate"
	"github.com/waymark-go/waymark/internal/text/units"
)

// countFlags say where the counts of tests are written to, or what they are compared with.
type countFlags struct {
	write, check string
	runs         int
	cpus         bool      // the user has said on how many CPUs tests run
	file         *gate.Run // of check
	set          *pflag.FlagSet
}

func (f *countFlags) define(set *pflag.FlagSet) {
	f.set = set
	set.StringVar(&f.write, "counts", "", "run the tests several times, and write calls and objects by test and function to `FILE`")
	set.StringVar(&f.check, "check", "", "run the tests, and compare their calls and objects with those in `FILE`: status 1 if they differ")
	set.IntVar(&f.runs, "runs", 10, "with --counts and --check: run the tests `N` times to find counts that differ from run to run")
	config.Mark(set, config.IsFile, "check")
	config.Mark(set, config.IsOutput, "counts")
}

func (f *countFlags) on() bool { return f.write != "" || f.check != "" }

// checkFlags reads the file to compare with. It returns an error for flags that don't fit.
func (f *countFlags) checkFlags(flags gocmd.Flags, others bool) (err error) {
	for _, name := range []string{"counts", "check"} {
		if f.set.Changed(name) && f.set.Lookup(name).Value.String() == "" {
			return usagef("--%s: want a file", name)
		}
	}
	if !f.on() {
		if f.set.Changed("runs") {
			return usagef("--runs: want --counts or --check with it")
		}
		return nil
	}
	name := "counts"
	switch {
	case f.write != "" && f.check != "":
		return usagef("--counts and --check: want one of them")
	case f.check != "":
		name = "check"
	}
	if others {
		return usagef("--%s: leave --trace, --output and --seen out", name)
	}
	if f.runs < 1 {
		return usagef("--runs=%d: want 1 or more", f.runs)
	}
	for _, flag := range []string{"c", "count", "parallel", "fuzz"} {
		if _, ok := flags.Lookup(flag); ok {
			return usagef("--%s: leave -%s out: tests run once in each run, one after the other", name, flag)
		}
	}
	_, f.cpus = flags.Lookup("cpu")
	if f.check == "" {
		return nil
	}
	r, err := os.Open(f.check)
	if err != nil {
		return fmt.Errorf("--check: %w; waymark test --counts writes it", err)
	}
	defer r.Close()
	if f.file, err = gate.Parse(r); err != nil {
		return fmt.Errorf("--check: %s: %w", f.check, err)
	}
	return nil
}

// countTests runs go test as often as it takes, and writes or compares what it counts. Each second
// run has one CPU. On several CPUs, a number that depends on the scheduler may be the same in all
// runs of a busy minute. In a quiet minute it may be another number in all runs. It is rarely the
// same as on one CPU. ended is called after the first run.
func (a *app) countTests(first *exec.Cmd, f *countFlags, ended func()) error {
	var runs []*gate.Run
	one := !f.cpus
	for len(runs) < f.runs {
		cmd, output := first, new(bytes.Buffer)
		alone := one && len(runs)%2 == 1
		if len(runs) > 0 {
			args := slices.Clone(first.Args[1:])
			if alone {
				args = slices.Insert(args, slices.Index(args, "test")+1, "-cpu=1")
			}
			cmd = exec.Command(first.Path, args...)
			cmd.Dir, cmd.Env = first.Dir, first.Env
			cmd.Stdout, cmd.Stderr = output, output
		}
		run, err := countRun(cmd)
		if len(runs) == 0 {
			ended()
		}
		if alone && errors.As(err, new(*exec.ExitError)) {
			a.note("the tests fail with -cpu=1: more counts than needed may be compared")
			one = false
			continue
		}
		if err != nil {
			a.stderr.Write(output.Bytes()) // of a later run, which is not shown if it is good
			if errors.As(err, new(*exec.ExitError)) {
				a.note("the tests failed: counts are of good runs only")
			}
			return testStatus(err)
		}
		if runs = append(runs, run); len(run.Tests) == 0 {
			return errors.New("no test has run, or none could be counted")
		}
		if f.check == "" {
			continue
		}
		if steady, _ := f.file.Compare(runs...); len(steady) == 0 {
			break
		}
	}
	if f.check == "" {
		return a.writeCounts(f.write, gate.Merge(runs))
	}
	return a.checkCounts(f, runs)
}

// countRun runs go test once.
func countRun(cmd *exec.Cmd) (*gate.Run, error) {
	dir, err := tempDir("waymark-counts-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	// Test binaries run side by side, and may run each other.
	path := literal(dir) + string(filepath.Separator) + "%n.%p.counts"
	cmd.Env = append(withoutWaymark(cmd.Environ()), "WAYMARK=counts="+escape(path))
	if err := await(cmd); err != nil {
		return nil, err
	}
	return gate.ReadRun(dir)
}

// writeCounts writes a file of counts in place of the one that is there.
func (a *app) writeCounts(path string, counts *gate.Run) error {
	var b bytes.Buffer
	if err := counts.Write(&b); err != nil {
		return err
	}
	if err := replaceFile(path, b.Bytes()); err != nil {
		return fmt.Errorf("--counts: %w", err)
	}
	functions, varying := counts.Sizes()
	line := fmt.Sprintf("%s: %s of %s", path, units.Things(functions, "count"), units.Things(uint64(len(counts.Tests)), "test"))
	if varying > 0 {
		line += fmt.Sprintf("; left out, different from run to run: %s, ~ in the file", units.Count(varying))
	}
	a.note(line)
	return nil
}

// replaceFile writes a file in place of the one that is there, which stays if that fails. A device or a
// pipe is written to as it is.
func replaceFile(path string, data []byte) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return os.WriteFile(path, data, 0o666)
	}
	part := path + ".new"
	err := os.WriteFile(part, data, 0o666)
	if err == nil {
		err = os.Rename(part, path)
	}
	if err != nil {
		os.Remove(part)
	}
	return err
}

// checkCounts says what differs from the file in all runs alike.
func (a *app) checkCounts(f *countFlags, runs []*gate.Run) error {
	common := uint64(len(f.file.Common(runs[0])))
	if common == 0 {
		return fmt.Errorf("--check: none of the %s in %s has run", units.Things(uint64(len(f.file.Tests)), "test"), f.check)
	}
	if on := runs[0].On; on != f.file.On {
		a.note(fmt.Sprintf("%s is of %s, this is %s: counts may differ for that", f.check, f.file.On, on))
	}
	if n := uint64(len(runs[0].Tests)) - common; n > 0 {
		a.note(fmt.Sprintf("%s not in %s", units.Things(n, "test"), f.check))
	}
	steady, unsteady := f.file.Compare(runs...)
	if n := uint64(len(unsteady)); n > 0 {
		a.note(fmt.Sprintf("%s left out, different from run to run", units.Things(n, "count")))
	}
	if len(steady) == 0 {
		a.note(fmt.Sprintf("counts of %s are those of %s", units.Things(common, "test"), f.check))
		return nil
	}
	a.note("counts differ from " + f.check + ":")
	if err := gate.Report(a.stderr, steady); err != nil {
		return err
	}
	return fmt.Errorf("%s of %d runs alike; if they should: waymark test --counts %s", units.Things(uint64(len(steady)), "difference"), len(runs), f.check)
}
