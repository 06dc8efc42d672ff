package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/waymark-go/waymark/dev/benchmarks/measure"
)

// limit ends a command that hangs; the longest one takes a minute or two.
const limit = 10 * time.Minute

// run runs a command that prints results, with env besides the environment, in the
// bench's folder, and returns them and how long it ran.
func (b *bench) run(env []string, name string, args ...string) ([]measure.Result, time.Duration, error) {
	out, took, err := b.command(env, name, args...)
	if err != nil {
		return nil, 0, err
	}
	list, err := measure.Read(bytes.NewReader(out))
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w", strings.Join(append([]string{name}, args...), " "), err)
	}
	return list, took, nil
}

// command runs a command in the bench's folder and returns what it printed to stdout.
func (b *bench) command(env []string, name string, args ...string) ([]byte, time.Duration, error) {
	var stderr bytes.Buffer
	ctx, cancel := context.WithTimeout(b.ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env, cmd.Stderr = b.dir, append(os.Environ(), env...), &stderr
	start := time.Now()
	out, err := cmd.Output()
	took := time.Since(start)
	if err != nil {
		return nil, 0, failure(cmd, err, stderr.String())
	}
	return out, took, nil
}

// discard runs a command in the bench's folder and drops its output. It returns how long
// the command ran and the most memory that it had, in bytes.
func (b *bench) discard(name string, args ...string) (took time.Duration, memory uint64, err error) {
	var stderr bytes.Buffer
	ctx, cancel := context.WithTimeout(b.ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Stderr = b.dir, &stderr // no Stdout: /dev/null
	start := time.Now()
	err = cmd.Run()
	took = time.Since(start)
	if err != nil {
		return 0, 0, failure(cmd, err, stderr.String())
	}
	if ru, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		memory = uint64(ru.Maxrss) << 10 // KiB on Linux
	}
	return took, memory, nil
}

// failure is the error of a command that said this to stderr.
func failure(cmd *exec.Cmd, err error, said string) error {
	if said = strings.TrimSpace(said); said != "" {
		return fmt.Errorf("%s: %w: %s", cmd, err, said)
	}
	return fmt.Errorf("%s: %w", cmd, err)
}

// perSecond returns events per second.
func perSecond(events uint64, took time.Duration) float64 {
	return float64(events) / took.Seconds()
}

// lost returns how many of the events made aren't among those kept, of which there may
// be more: tracers add events of their own.
func lost(made, kept uint64) *uint64 {
	n := made - min(made, kept)
	return &n
}
