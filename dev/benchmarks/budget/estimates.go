package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Estimates are compared with a recording of all calls, and with perf, which waymark has no part
// in. perf samples the stacks of the instrumented binary while tracing is off. A sample is the own
// time of the innermost instrumented function on the stack.
//
// Neither is the truth. Recording a call takes time. In a recording of all calls a part of it is in
// the call's own time, and the rest in its caller's. So very short functions and their callers have
// too much. perf sees no time in which a goroutine waits. A second recording says how far the first
// one can be told from another.

// Of comparisons.
const (
	perfRate  = 1999 // samples in a second
	compared  = 5    // functions of which the order is compared
	alike     = 0.2  // so far apart are times at least of which the order counts, as a share
	leastTime = 0.01 // of all own time has a function whose interval is looked at
)

// An estimated is what is known of a function's own time, as parts of all.
type estimated struct{ self, low, high float64 }

// estimates runs the programs with a budget and prints how far their own times are right.
func (b *bench) estimates(list []program, budget string, w io.Writer) error {
	if _, err := exec.LookPath("perf"); err != nil {
		return fmt.Errorf("%w: install it, as by apt-get install linux-perf", err)
	}
	fmt.Fprintf(w, "Budget %s. By all calls, and by perf: %% of own time that other functions have; order of the %d functions with most own time; functions of %v %% or more within the interval.\n", budget, compared, 100*leastTime)
	fmt.Fprintf(w, "%-24s %-10s  %-18s  %-18s  %s\n", "Program", "Way", "By all calls", "By perf", "Functions with most own time by all calls, %")
	var errs []error
	for i, p := range list {
		dir := filepath.Join(b.dir, strconv.Itoa(i))
		err := os.MkdirAll(dir, 0o777)
		if err == nil {
			err = b.estimate(p, budget, dir, w)
		}
		if err = errors.Join(err, os.RemoveAll(dir), b.ctx.Err()); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", p.Name, err))
			fmt.Fprintln(b.log, errs[len(errs)-1])
		}
	}
	return errors.Join(errs...)
}

func (b *bench) estimate(p program, budget, dir string, w io.Writer) error {
	j, err := b.prepare(p, dir)
	if err != nil {
		return err
	}
	file, data := filepath.Join(dir, "app"), filepath.Join(dir, "perf.data")
	record := func(setting string) (map[string]estimated, error) {
		defer os.Remove(file + ".wmt")
		if _, err := j.run(j.traced, "record,overflow=block"+setting+",o="+file+".wmt"); err != nil {
			return nil, err
		}
		var t times
		if err := b.json(&t, "report", "--format", "json", file+".wmt"); err != nil {
			return nil, err
		}
		return t.self()
	}
	statistics := func(setting string) (map[string]estimated, error) {
		os.Remove(file + ".json") // reports are added to it
		if _, err := j.run(j.traced, "stats"+setting+",report=json:"+file+".json"); err != nil {
			return nil, err
		}
		text, err := os.ReadFile(file + ".json")
		if err != nil {
			return nil, err
		}
		var t times
		if err := json.Unmarshal(text, &t); err != nil {
			return nil, err
		}
		return t.self()
	}
	ways := []struct {
		name string
		run  func() (map[string]estimated, error)
	}{
		{"all calls", func() (map[string]estimated, error) { return record("") }},
		{"all again", func() (map[string]estimated, error) { return record("") }},
		{"perf", nil},
		{"recording", func() (map[string]estimated, error) { return record(",budget=" + budget) }},
		{"statistics", func() (map[string]estimated, error) { return statistics(",budget=" + budget) }},
	}
	got := make(map[string]map[string]estimated)
	for _, way := range ways {
		run := way.run
		if run == nil {
			run = func() (map[string]estimated, error) {
				return b.perf(j, data, func(name string) bool { _, ok := got["all calls"][name]; return ok })
			}
		}
		if got[way.name], err = run(); err != nil {
			return fmt.Errorf("%s: %w", way.name, err)
		}
	}
	for _, way := range ways {
		fmt.Fprintf(w, "%-24s %-10s", p.Name, way.name)
		for _, judge := range []string{"all calls", "perf"} {
			order := "right"
			if !sameOrder(got[judge], got[way.name]) {
				order = "WRONG"
			}
			if way.name == judge {
				order = ""
			}
			within, of := 0, 0
			for name, is := range got[judge] {
				if e := got[way.name][name]; is.self >= leastTime && e.high > e.low {
					if of++; e.low <= is.self && is.self <= e.high {
						within++
					}
				}
			}
			interval := ""
			if of > 0 {
				interval = fmt.Sprintf("%d of %d", within, of)
			}
			fmt.Fprintf(w, "  %3.0f %-5s %-8s", 100*apart(got[judge], got[way.name]), order, interval)
		}
		for _, name := range top(got["all calls"]) {
			fmt.Fprintf(w, "  %s %.0f", name[strings.LastIndex(name, "/")+1:], 100*got[way.name][name].self)
		}
		fmt.Fprintln(w)
	}
	return nil
}

// apart returns the part of all own time that two ways attribute to different functions.
func apart(a, b map[string]estimated) (sum float64) {
	for name, e := range a {
		sum += max(e.self-b[name].self, 0)
	}
	return sum
}

// top returns the functions with most own time, the first one first.
func top(of map[string]estimated) []string {
	names := slices.SortedFunc(maps.Keys(of), func(a, b string) int {
		return cmp.Or(cmp.Compare(of[b].self, of[a].self), cmp.Compare(a, b))
	})
	return names[:min(compared, len(names))]
}

// sameOrder reports whether the functions with most own time have the order that they have in
// truth, and no other function has more. Times that are alike may be in any order.
func sameOrder(truth, got map[string]estimated) bool {
	names := top(truth)
	for i, a := range names {
		for b, other := range truth {
			if at := slices.Index(names, b); at >= 0 && at <= i || truth[a].self < other.self*(1+alike) {
				continue
			}
			if got[a].self < got[b].self {
				return false
			}
		}
	}
	return true
}

// Times are what waymark reports of functions.
type times struct {
	Functions []struct {
		Name, Package string
		Self          float64 `json:"self_ns"`
		Estimate      *struct {
			Self [2]float64 `json:"self_ns"`
		}
	}
}

// self returns own times of functions by their linker's names.
func (t *times) self() (map[string]estimated, error) {
	all := 0.0
	for _, f := range t.Functions {
		all += f.Self
	}
	if all == 0 {
		return nil, errors.New("no call took time")
	}
	list := make(map[string]estimated)
	for _, f := range t.Functions {
		e := estimated{f.Self / all, f.Self / all, f.Self / all}
		if f.Estimate != nil {
			e.low, e.high = f.Estimate.Self[0]/all, f.Estimate.Self[1]/all
		}
		name := linkerName(f.Package, f.Name)
		o := list[name]
		list[name] = estimated{o.self + e.self, o.low + e.low, o.high + e.high}
	}
	return list, nil
}

// linkerName returns the name that a function has in the binary, without type arguments.
func linkerName(pkg, name string) string {
	name = untyped(name)
	last := name[strings.LastIndex(name, "/")+1:]
	first, rest, _ := strings.Cut(last, ".")
	if first == "main" {
		pkg = "main"
	}
	return pkg + "." + rest
}

// untyped returns a function's name with [...] for type arguments, which may have some themselves.
func untyped(name string) string {
	first, last := strings.IndexByte(name, '['), strings.LastIndexByte(name, ']')
	if first < 0 || last < first {
		return name
	}
	return name[:first] + "[...]" + name[last+1:]
}

// perf runs the job under perf, and returns own times of functions that are instrumented.
func (b *bench) perf(j *job, data string, instrumented func(name string) bool) (map[string]estimated, error) {
	script := data + ".sh"
	text := fmt.Sprintf("#!/bin/sh\nexec perf record -q -F %d -g -o '%s' -- '%s' \"$@\"\n", perfRate, data, j.traced)
	if err := os.WriteFile(script, []byte(text), 0o777); err != nil {
		return nil, err
	}
	if _, err := j.run(script, ""); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(b.ctx, "perf", "script", "-i", data, "-F", "ip,sym")
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	of, all, found := make(map[string]float64), 0.0, false
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		_, name, ok := strings.Cut(strings.TrimSpace(lines.Text()), " ")
		if !ok {
			found = false // the next stack
			continue
		}
		name = untyped(name)
		if !found && instrumented(name) {
			found = true
			of[name]++
			all++
		}
	}
	if err := errors.Join(lines.Err(), cmd.Wait()); err != nil {
		return nil, err
	}
	if all == 0 {
		return nil, errors.New("no sample in an instrumented function")
	}
	list := make(map[string]estimated)
	for name, n := range of {
		list[name] = estimated{n / all, n / all, n / all}
	}
	return list, nil
}
