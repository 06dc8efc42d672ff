package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/waymark-go/waymark/dev/benchmarks/subject"
)

// longest ends a run that hangs. Recording all calls of the longest one takes two minutes.
const longest = 10 * time.Minute

// A job is a program's, ready to be run.
type job struct {
	ctx           context.Context
	dir           string // it runs there
	plain, traced string // binaries
	args          []string
	load          string   // binary, of a service; args are its
	serving       []string // arguments of the service itself

	processor string // the number of the one that it shares; empty: it may use all
	beside    *job   // the same with other arguments, where they name a file to write to
}

// prepare copies the program's module below dir, and builds it.
func (b *bench) prepare(p program, dir string) (*job, error) {
	module := filepath.Join(dir, "module")
	if err := p.Checkout(module); err != nil {
		return nil, err
	}
	place := subject.Place{Dir: dir, Module: module, GOROOT: b.goroot}
	j := &job{ctx: b.ctx, dir: module, plain: filepath.Join(dir, "plain"), traced: filepath.Join(dir, "traced"), args: p.Args(place, b.size), processor: b.processor}
	pkg, plain, traced := p.Main, []string{"go", "build"}, []string{b.waymark, "build"}
	if p.test != "" {
		pkg, plain = p.test, []string{"go", "test", "-c"}
		traced = []string{b.waymark, "test", "--args", "--results", "-c"}
		j.dir = filepath.Join(module, p.test) // where go test runs tests
	}
	if err := b.build(module, plain, j.plain, pkg); err != nil {
		return nil, err
	}
	if err := b.build(module, traced, j.traced, pkg); err != nil {
		return nil, err
	}
	if p.load != "" {
		j.load, j.serving = filepath.Join(dir, "load"), p.serve
		if err := b.build(module, []string{"go", "build"}, j.load, p.load); err != nil {
			return nil, err
		}
	}
	other := *j
	place.Dir = filepath.Join(dir, "beside")
	other.args = p.Args(place, b.size)
	j.beside = &other
	return j, os.MkdirAll(place.Dir, 0o777)
}

func (b *bench) build(dir string, command []string, binary, pkg string) error {
	args := append(command, "-o", binary, pkg)
	var out bytes.Buffer
	cmd := exec.CommandContext(b.ctx, args[0], args[1:]...)
	// The subjects are no part of this repository's workspace.
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return failure(cmd, err, &out)
	}
	return nil
}

// A took is how long something took.
type took struct{ wall, cpu time.Duration }

// runBoth runs the job, and at the same time the plain program beside it. Both begin first in turn.
func (j *job) runBoth(binary, setting string, round int) (t, plain took, err error) {
	done := make(chan error, 1)
	beside := func() (err error) { plain, err = j.beside.run(j.plain, ""); return err }
	own := func() (err error) { t, err = j.run(binary, setting); return err }
	if round%2 == 1 {
		beside, own = own, beside
	}
	go func() { done <- beside() }()
	err = errors.Join(own(), <-done)
	return t, plain, err
}

// command returns the command that runs a binary, on the job's processor if it has one. There the program has as many
// Ps as it would have on all processors.
func (j *job) command(ctx context.Context, setting, binary string, args ...string) *exec.Cmd {
	if j.processor == "" {
		cmd := exec.CommandContext(ctx, binary, args...)
		cmd.Dir, cmd.Env = j.dir, environ(setting)
		return cmd
	}
	cmd := exec.CommandContext(ctx, "taskset", append([]string{"-c", j.processor, binary}, args...)...)
	cmd.Dir, cmd.Env = j.dir, append(environ(setting), fmt.Sprintf("GOMAXPROCS=%d", runtime.NumCPU()))
	return cmd
}

// run runs the job with a binary and a setting of WAYMARK.
func (j *job) run(binary, setting string) (took, error) {
	ctx, cancel := context.WithTimeout(j.ctx, longest)
	defer cancel()
	if j.load != "" {
		return j.serve(ctx, binary, setting)
	}
	var out bytes.Buffer
	cmd := j.command(ctx, setting, binary, j.args...)
	cmd.Stdout, cmd.Stderr = &out, &out
	begin := time.Now()
	if err := cmd.Run(); err != nil {
		return took{}, failure(cmd, err, &out)
	}
	return took{time.Since(begin), cpu(cmd.ProcessState)}, nil
}

// address is what a service says about where it serves.
var address = regexp.MustCompile(`serving on (\S+)`)

// serve starts the service, waits for its load, and ends the service by an interrupt. The wall time
// is the load's.
func (j *job) serve(ctx context.Context, binary, setting string) (t took, err error) {
	var said, out bytes.Buffer
	server := j.command(ctx, setting, binary, j.serving...)
	server.Stderr = &said
	stdout, err := server.StdoutPipe()
	if err != nil {
		return took{}, err
	}
	if err := server.Start(); err != nil {
		return took{}, err
	}
	lines := bufio.NewReader(stdout)
	line, err := lines.ReadString('\n')
	m := address.FindStringSubmatch(line)
	if err != nil || m == nil {
		server.Process.Kill()
		return took{}, failure(server, errors.Join(fmt.Errorf("said %q, want where it serves", line), server.Wait()), &said)
	}
	load := exec.CommandContext(ctx, j.load, append([]string{m[1]}, j.args...)...)
	load.Env, load.Stdout, load.Stderr = environ(""), &out, &out
	begin := time.Now()
	failed := load.Run()
	t.wall = time.Since(begin)
	server.Process.Signal(syscall.SIGTERM)
	io.Copy(io.Discard, lines)
	err = server.Wait()
	if failed != nil {
		return took{}, failure(load, failed, &out)
	}
	if err != nil {
		return took{}, failure(server, err, &said)
	}
	t.cpu = cpu(server.ProcessState)
	return t, nil
}

// environ returns the environment with a setting of WAYMARK only.
func environ(setting string) []string {
	return append(os.Environ(), "GOWORK=off", "WAYMARK="+setting)
}

// cpu returns the time that a process and its children, for which it waited, had of CPUs.
func cpu(s *os.ProcessState) time.Duration { return s.UserTime() + s.SystemTime() }

// failure is the error of a command with the end of what it said.
func failure(cmd *exec.Cmd, err error, said *bytes.Buffer) error {
	text := strings.TrimSpace(said.String())
	if n := len(text) - 2000; n > 0 {
		text = "…" + text[n:]
	}
	return fmt.Errorf("%s: %w: %s", cmd, err, text)
}
