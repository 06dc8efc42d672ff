package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/waymark-go/waymark/dev/benchmarks/measure"
	"github.com/waymark-go/waymark/dev/benchmarks/subject"
)

// A bench is one run of the measurement.
type bench struct {
	ctx     context.Context // ends the commands that it runs
	dir     string          // for all files
	waymark string          // the command
	goroot  string          // whose files the formatter reads
	rounds  int
	cold    bool    // builds without caches are measured, too
	shared  bool    // use the caches that there are, so that builds of a variant help the others
	size    float64 // of the programs' jobs, 1 being the full one
	log     io.Writer
}

// A variant is a way to build a program.
type variant struct {
	name   string
	binary string
	build  []string // the command, up to the flags
	caches []string // variables with its own caches
}

// Names of variants, and of runs of the instrumented one.
const (
	plainBuild = "plain"
	plainAgain = "plain again"
	traced     = "instrumented"
	seen       = "first calls"
	recording  = "recording"
)

// measure measures all subjects.
func (b *bench) measure(list []subject.Subject) ([]*outcome, error) {
	var all []*outcome
	for i, s := range list {
		dir := filepath.Join(b.dir, fmt.Sprint(i), "module")
		if err := s.Checkout(dir); err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		o := &outcome{subject: s.Name}
		all = append(all, o)
		for round := range b.rounds {
			fmt.Fprintf(b.log, "%s: round %d of %d\n", s.Name, round+1, b.rounds)
			if err := b.round(s, dir, round, o); err != nil {
				return nil, fmt.Errorf("%s: %w", s.Name, err)
			}
		}
	}
	return all, nil
}

// round builds and runs all variants of the subject once.
func (b *bench) round(s subject.Subject, dir string, round int, o *outcome) error {
	top := filepath.Dir(dir)
	var variants []variant
	for i, name := range []string{plainBuild, plainAgain, traced} {
		v := variant{name: name, binary: filepath.Join(top, fmt.Sprintf("app%d", i)), build: []string{"go", "build"}}
		if name == traced {
			v.build[0] = b.waymark
		}
		if !b.shared {
			cache := filepath.Join(top, fmt.Sprintf("cache%d", i))
			if b.cold {
				if err := os.RemoveAll(cache); err != nil {
					return err
				}
			}
			v.caches = []string{"GOCACHE=" + filepath.Join(cache, "go"), "WAYMARKCACHE=" + filepath.Join(cache, "waymark")}
		}
		variants = append(variants, v)
	}
	original, err := os.ReadFile(filepath.Join(dir, s.Change))
	if err != nil {
		return err
	}
	defer os.WriteFile(filepath.Join(dir, s.Change), original, 0o666)
	first := buildFirst // finds in the caches what other rounds left there
	if b.cold {
		first = buildCold
	}
	for _, step := range []string{first, buildSame, buildChanged} {
		if step == buildChanged {
			if err := edit(s, dir, round, original); err != nil {
				return err
			}
		}
		for _, v := range measure.Rotate(variants, round) {
			took, err := b.run(dir, v.caches, append(v.build, "-o", v.binary, s.Main)...)
			if err != nil {
				return err
			}
			o.add(step, v.name, round, took)
		}
	}
	for _, v := range variants {
		info, err := os.Stat(v.binary)
		if err != nil {
			return err
		}
		o.size(v.name, info.Size())
	}
	return b.runs(s, top, variants, round, o)
}

// runs runs the job plain, plain again, instrumented with tracing off, noting first calls, and recording.
func (b *bench) runs(s subject.Subject, dir string, variants []variant, round int, o *outcome) error {
	trace, first := filepath.Join(dir, "app.wmt"), filepath.Join(dir, "app.seen")
	defer os.Remove(trace)
	defer os.Remove(first) // each run notes all
	type job struct {
		name, binary string
		env          []string
	}
	var jobs []job
	for _, v := range variants {
		jobs = append(jobs, job{name: v.name, binary: v.binary})
	}
	jobs = append(jobs, job{seen, variants[2].binary, []string{"WAYMARK=seen=" + first}})
	jobs = append(jobs, job{recording, variants[2].binary, []string{"WAYMARK=record,o=" + trace}})
	for _, j := range measure.Rotate(jobs, round) {
		took, err := b.run(dir, j.env, append([]string{j.binary}, s.Args(subject.Place{Dir: b.dir, Module: filepath.Join(dir, "module"), GOROOT: b.goroot}, b.size)...)...)
		if err != nil {
			return err
		}
		o.add(running, j.name, round, took)
	}
	return o.readInfo(b.waymark, trace)
}

// edit changes the subject's file, so that the next build has one package to compile
// anew and those that import it.
func edit(s subject.Subject, dir string, round int, original []byte) error {
	return os.WriteFile(filepath.Join(dir, s.Change), fmt.Appendf(original, "\nconst benchmarkRound = %d\n", round), 0o666)
}

// run runs a command in dir and returns how long it took.
func (b *bench) run(dir string, env []string, args ...string) (time.Duration, error) {
	var out bytes.Buffer
	cmd := exec.CommandContext(b.ctx, args[0], args[1:]...)
	cmd.Dir = dir
	// The subjects are no part of this repository's workspace.
	cmd.Env = append(append(os.Environ(), "GOWORK=off"), env...)
	cmd.Stderr = &out
	start := time.Now()
	err := cmd.Run()
	took := time.Since(start)
	if err != nil {
		return 0, fmt.Errorf("%s: %w: %s", cmd, err, strings.TrimSpace(out.String()))
	}
	return took, nil
}
