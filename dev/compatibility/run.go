package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// A Runner runs suites in a folder.
type Runner struct {
	Context context.Context // ends all
	Waymark string          // the command
	Go      string          // version of the go command
	Limit   time.Duration   // for one package's tests
	Race    bool
	More    []string // flags for waymark test, where everything is recorded
	Patch   bool     // trace tests that plain Go has built: they are patched
	Runs    int      // not 0: trace as waymark test does by default, and time suites so often
	Log     func(format string, args ...any)
}

// traced are the flags that a suite is traced with.
var traced = []string{"--all", "--closures", "--args", "--results"}

// command gives the one that tests a suite: plain, or traced with flags for waymark.
func (r *Runner) command(s Suite, waymark []string, flags, packages []string) []string {
	var args []string
	if waymark == nil || r.Patch {
		args = append([]string{"go", "test"}, waymark...)
	} else {
		args = append([]string{r.Waymark, "test"}, waymark...)
		if s.Module == std {
			args = append(args, "--include", strings.Join(s.Packages, ","))
		}
	}
	if r.Race {
		args = append(args, "-race")
	}
	args = append(args, s.Flags...)
	args = append(args, flags...)
	return append(args, packages...)
}

// build builds the suite's tests and runs none. It returns the seconds that took.
func (r *Runner) build(s Suite, dir string, waymark []string) (seconds float64, err error) {
	begin := time.Now()
	var out bytes.Buffer
	err = r.exec(s, dir, nil, r.command(s, waymark, []string{"-run=^$", "-count=1"}, s.Packages), &out, &out)
	if err != nil {
		err = fmt.Errorf("%w\n%.3000s", err, out.Bytes())
	}
	return time.Since(begin).Seconds(), err
}

// test runs the suite's tests, or some of them: plain, or traced with flags for
// waymark, whose recordings are read and removed.
func (r *Runner) test(s Suite, dir string, waymark []string, only *selection) (*Outcomes, *Recordings, error) {
	flags, packages := []string{"-json", "-count=1", "-timeout=" + r.Limit.String()}, s.Packages
	if only != nil {
		flags, packages = append(flags, only.flags...), []string{only.pkg}
		if only.run != "" {
			flags = append(flags, "-run="+only.run)
		}
	}
	recorded, env := "", []string(nil)
	var meter *diskMeter
	if waymark != nil {
		var err error
		if recorded, err = os.MkdirTemp(filepath.Dir(dir), "recorded"); err != nil {
			return nil, nil, err
		}
		defer os.RemoveAll(recorded)
		if r.Patch {
			if waymark, err = r.patching(recorded); err != nil {
				return nil, nil, err
			}
		} else if r.Runs > 0 {
			// The command's own folders of temporary files are watched.
			waymark, env = []string{"--trace"}, []string{"TMPDIR=" + recorded}
			meter = startDiskMeter(filepath.Join(recorded, "waymark-*"))
		} else {
			// Everything is recorded; of what gets long the newest parts stay on the disk.
			waymark = slices.Concat(waymark, r.More, []string{"--trace", "--budget=none", "--output", recorded, "--max-size=200MB", "--rotate=2"})
		}
	}
	var stderr bytes.Buffer
	stdout, err := os.CreateTemp(filepath.Dir(dir), "stdout")
	if err != nil {
		return nil, nil, err
	}
	defer os.Remove(stdout.Name())
	defer stdout.Close()
	begin := time.Now()
	failed := r.exec(s, dir, env, r.command(s, waymark, flags, packages), stdout, &stderr)
	wall := time.Since(begin).Seconds()
	var disk int64
	if meter != nil {
		disk = meter.end()
	}
	var status *exec.ExitError
	if failed != nil && !errors.As(failed, &status) {
		return nil, nil, failed
	}
	if _, err := stdout.Seek(0, 0); err != nil {
		return nil, nil, err
	}
	o, err := readOutcomes(stdout, &stderr)
	if err != nil {
		return nil, nil, err
	}
	if len(o.Of) == 0 {
		return nil, nil, fmt.Errorf("no test ran: %v\n%.3000s", failed, stderr.Bytes())
	}
	o.Wall = wall
	if waymark == nil {
		return o, nil, nil
	}
	rec := &Recordings{Disk: disk}
	if r.Runs == 0 {
		if rec, err = r.read(recorded); err != nil {
			return nil, nil, err
		}
	}
	rec.Said = complaints(stderr.String(), recorded)
	return o, rec, nil
}

// patching returns the flags of go test that have each test program recorded from its first instruction on, in a folder.
func (r *Runner) patching(recorded string) ([]string, error) {
	script := filepath.Join(recorded, "patched")
	text := fmt.Sprintf("#!/bin/sh\nexec %s record --include all --max-size 200MB --rotate 2 -o %s/$$.wmt \"$@\"\n", r.Waymark, recorded)
	return []string{"-exec=" + script}, os.WriteFile(script, []byte(text), 0o777)
}

// exec runs a command in the suite's folder. It kills the command with its children if
// it takes longer than anything that go test's own limit would have ended.
func (r *Runner) exec(s Suite, dir string, env, args []string, stdout, stderr io.Writer) error {
	if st, err := os.Stat("/"); err == nil { // gin's tests, run by root, take it from all others
		defer os.Chmod("/", st.Mode().Perm())
	}
	ctx, cancel := context.WithTimeout(r.Context, 2*r.Limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	if s.Module == std {
		cmd.Env = append(cmd.Env, "GOFLAGS=")
	}
	cmd.Env = append(append(cmd.Env, s.Env...), env...)
	cmd.Stdout, cmd.Stderr = stdout, stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 10 * time.Second
	err := cmd.Run()
	if err := r.Context.Err(); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return fmt.Errorf("took longer than %v", 2*r.Limit)
	}
	return err
}

// Recordings says what there was in the recordings of a run.
type Recordings struct {
	Files    int
	Events   uint64
	Bytes    int64
	Dropped  uint64
	Disk     int64    `json:",omitempty"` // the most bytes that they took at a moment, if they aren't kept
	Problems []string // of those that can't be read or are damaged
	Said     []string // by waymark on stderr
}

// read reads all recordings in a folder.
func (r *Runner) read(dir string) (*Recordings, error) {
	rec := new(Recordings)
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".wmt") {
			return err
		}
		rec.Files++
		name := filepath.Base(path)
		out, err := exec.Command(r.Waymark, "info", "--format=json", path).Output()
		if err != nil {
			var status *exec.ExitError
			if errors.As(err, &status) {
				err = errors.New(strings.TrimSpace(string(status.Stderr)))
			}
			rec.Problems = append(rec.Problems, fmt.Sprintf("%s: %v", name, err))
			return nil
		}
		var info struct {
			Events, Dropped, Damaged uint64
			Bytes                    int64
		}
		if err := json.Unmarshal(out, &info); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		rec.Events += info.Events
		rec.Dropped += info.Dropped
		rec.Bytes += info.Bytes
		if info.Damaged > 0 {
			rec.Problems = append(rec.Problems, fmt.Sprintf("%s: damaged", name))
		}
		return nil
	})
	return rec, err
}

// complaints returns the lines in which waymark says that something is wrong: all of
// its lines but those that name the recordings.
func complaints(stderr, dir string) []string {
	var list []string
	for line := range strings.Lines(stderr) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "waymark: ") && !strings.HasPrefix(line, "waymark: "+dir) {
			list = append(list, line)
		}
	}
	return list
}
