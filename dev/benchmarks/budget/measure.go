package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/waymark-go/waymark/dev/benchmarks/measure"
)

// A bench is one run of the measurement.
type bench struct {
	ctx      context.Context // ends the commands that it runs
	dir      string          // for modules, binaries and recordings
	waymark  string          // the command
	goroot   string
	variants []variant
	size     float64        // of the programs' jobs, 1 being the full one
	tries    int            // of a run, until nothing disturbs it
	quiet    *measure.Quiet // if there are several
	log      io.Writer

	processor string // that a variant shares with the plain program; empty: each has the machine for itself
}

// A variant is a way to run a program.
type variant struct {
	name   string
	traced bool   // is the instrumented binary
	record bool   // every call, but what the budget demotes
	budget string // as WAYMARK takes it, "3%"; "" is none
	limit  limit
	rounds int
}

// Names of variants that have no budget.
const (
	plain      = "plain"
	plainAgain = "plain again"
	off        = "off"
	unlimited  = "no budget"
)

// few is how many rounds there are, at most, of what only says how good the others are, if they run beside plain.
const few = 3

// newVariants returns all of them. Without a budget there are fewer rounds, as some programs take a minute then.
func newVariants(limits []limit, rounds, unlimitedRounds int) []variant {
	list := []variant{{name: plain, rounds: rounds}, {name: plainAgain, rounds: rounds}, {name: off, traced: true, rounds: rounds}}
	for _, l := range limits {
		text := l.setting()
		list = append(list, variant{name: "budget " + text, traced: true, record: true, budget: text, limit: l, rounds: rounds})
	}
	if unlimitedRounds > 0 {
		list = append(list, variant{name: unlimited, traced: true, record: true, rounds: min(rounds, unlimitedRounds)})
	}
	return list
}

// measure measures the programs that the file has not all samples of, and adds theirs to the file.
// A program that can't be measured doesn't keep the others from it.
func (b *bench) measure(list []program, file string) error {
	known, err := readSamples(file)
	if err != nil {
		return err
	}
	var errs []error
	for i, p := range list {
		if b.finished(p.Name, known) {
			fmt.Fprintf(b.log, "%s: measured before\n", p.Name)
			continue
		}
		known = slices.DeleteFunc(known, func(s sample) bool { return s.program == p.Name })
		begin := time.Now()
		dir := filepath.Join(b.dir, strconv.Itoa(i))
		samples, err := b.program(p, dir)
		// Modules and binaries of all programs together would take gigabytes.
		err = errors.Join(err, os.RemoveAll(dir), b.ctx.Err())
		if err != nil {
			err = fmt.Errorf("%s: %w", p.Name, err)
			fmt.Fprintln(b.log, err)
			errs = append(errs, err)
			if b.ctx.Err() != nil {
				break
			}
			continue
		}
		known = append(known, samples...)
		if err := writeSamples(file, known); err != nil {
			return err
		}
		fmt.Fprintf(b.log, "%s: took %v\n", p.Name, time.Since(begin).Round(time.Second))
	}
	return errors.Join(errs...)
}

// finished reports whether there are samples of all variants and rounds of a program, which ran beside plain if they are to.
func (b *bench) finished(program string, list []sample) bool {
	count := make(map[string]int)
	for _, s := range list {
		if beside := b.processor != "" && s.variant != plain; s.program == program && s.beside > 0 == beside {
			count[s.variant]++
		}
	}
	for _, v := range b.variants {
		if count[v.name] != v.rounds {
			return false
		}
	}
	return true
}

// program measures a program, below dir.
func (b *bench) program(p program, dir string) ([]sample, error) {
	fmt.Fprintf(b.log, "%s: building\n", p.Name)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	j, err := b.prepare(p, dir)
	if err != nil {
		return nil, err
	}
	var samples []sample
	recordings := make(map[int]*recording) // by index of the sample
	var all *recording                     // one without a budget
	known := make(truth)
	rounds := rounds(b.variants)
	for round := range rounds {
		for _, v := range measure.Rotate(b.variants, round) {
			if round >= v.rounds {
				continue
			}
			s, r, err := b.sample(j, v, round, filepath.Join(dir, "app.wmt"))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", v.name, err)
			}
			s.program, s.variant, s.round = p.Name, v.name, round
			fmt.Fprintf(b.log, "%s: round %d of %d: %s: %.2f s of CPU, %.2f s\n", p.Name, round+1, rounds, v.name, s.cpu, s.wall)
			if r != nil {
				if v.budget == "" {
					all = r
				}
				if v.budget == "" || v.name == counting {
					known.add(r)
				}
				recordings[len(samples)] = r
			}
			samples = append(samples, s)
		}
	}
	for i, r := range recordings {
		if all != nil {
			samples[i].share = r.share(all)
		}
		samples[i].estimated, samples[i].within, samples[i].differ = known.judge(r)
	}
	return samples, nil
}

// sample runs the job, and again while something else has part of the machine. After so many tries the last one counts.
func (b *bench) sample(j *job, v variant, round int, trace string) (s sample, r *recording, err error) {
	if b.quiet == nil {
		return b.once(j, v, round, trace)
	}
	for try := 1; ; try++ {
		slower := b.quiet.During(func() { s, r, err = b.once(j, v, round, trace) })
		if slower <= measure.Disturbed || err != nil {
			return s, r, err
		}
		fmt.Fprintf(b.log, "%s: the machine was slower by %.0f %%, try %d of %d\n", v.name, 100*slower, try, b.tries)
		if try == b.tries {
			return s, r, nil
		}
	}
}

// once runs the job once.
func (b *bench) once(j *job, v variant, round int, trace string) (s sample, r *recording, err error) {
	binary, setting := j.plain, ""
	if v.traced {
		binary = j.traced
	}
	if v.record {
		setting = "record,overflow=block,o=" + trace
		if v.budget != "" {
			setting += ",budget=" + v.budget
		}
		defer os.Remove(trace)
	}
	var t, beside took
	if b.processor == "" || v.name == plain {
		t, err = j.run(binary, setting)
	} else {
		t, beside, err = j.runBoth(binary, setting, round)
	}
	if err != nil {
		return s, nil, err
	}
	s.wall, s.cpu, s.beside = t.wall.Seconds(), t.cpu.Seconds(), beside.cpu.Seconds()
	if !v.record {
		return s, nil, nil
	}
	if r, err = b.read(trace); err != nil {
		return s, nil, err
	}
	if r.dropped > 0 || r.stopped != "" {
		return s, nil, fmt.Errorf("the recording is not whole: %d events dropped, ended early by %q", r.dropped, r.stopped)
	}
	s.bytes = r.bytes
	s.calls, s.recorded, s.demoted = r.sum()
	return s, r, nil
}
