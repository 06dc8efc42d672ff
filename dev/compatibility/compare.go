package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// reruns is how often tests are run again, plain and traced, if their outcomes differ,
// unless that took longer than patience already.
const (
	reruns   = 3
	patience = time.Minute
)

// Compare tests a suite plain and traced in dir, which it makes.
func (r *Runner) Compare(s Suite, dir string) *Result {
	res := &Result{Suite: s, Go: r.Go, Race: r.Race, Default: r.Runs > 0}
	err := s.checkout(dir)
	if err == nil {
		err = r.compare(res, dir)
	}
	if err != nil {
		r.Log("%v", err)
		res.Trouble = err.Error()
	}
	return res
}

// compare compares the suite in dir.
func (r *Runner) compare(res *Result, dir string) (err error) {
	s := res.Suite
	// What doesn't build is an outcome, too.
	if res.BuildPlain, err = r.build(s, dir, nil); err != nil {
		r.Log("plain build: %v", err)
	}
	plain, _, err := r.test(s, dir, nil, nil)
	if err != nil {
		return err
	}
	r.Log("plain: built in %.0f s, ran %.1f s", res.BuildPlain, plain.Seconds)
	if !r.Patch {
		if res.Build, err = r.build(s, dir, traced); err != nil {
			r.Log("traced build: %v", err)
		}
	}
	with, rec, err := r.test(s, dir, traced, nil)
	if err != nil {
		return fmt.Errorf("traced: %w", err)
	}
	r.Log("traced: built in %.0f s, ran %.1f s, %d events in %d MB", res.Build, with.Seconds, rec.Events, max(rec.Bytes, rec.Disk)>>20)
	for _, p := range slices.Concat(rec.Problems, rec.Said) {
		r.Log("%s", p)
	}
	res.Recordings, res.RunPlain, res.Run = rec, plain.Seconds, with.Seconds
	res.Ratios = []float64{with.Seconds / max(plain.Seconds, leastTook)}
	res.WallPlain, res.Wall = plain.Wall, with.Wall
	for t, o := range plain.Of {
		if t.Name == "" {
			res.Packages++
			continue
		}
		res.Tests++
		if o == Fail {
			res.Failed++
		}
	}
	if res.Tests == 0 {
		return errors.New("no tests")
	}
	if err := r.time(res, dir); err != nil {
		return err
	}
	byPackage := make(map[string][]*Difference)
	for _, d := range differences(plain, with) {
		res.Differences = append(res.Differences, d)
		byPackage[d.Package] = append(byPackage[d.Package], d)
	}
	for _, p := range slices.Sorted(maps.Keys(byPackage)) {
		if err := r.explain(s, dir, byPackage[p]); err != nil {
			return err
		}
	}
	return nil
}

// time runs the suite so often that there are r.Runs ratios of its run times, if it takes long enough
// for them to mean something.
func (r *Runner) time(res *Result, dir string) error {
	for len(res.Ratios) < r.Runs && res.RunPlain >= longSuite {
		plain, _, err := r.test(res.Suite, dir, nil, nil)
		if err != nil {
			return err
		}
		with, rec, err := r.test(res.Suite, dir, traced, nil)
		if err != nil {
			return fmt.Errorf("traced: %w", err)
		}
		res.Ratios = append(res.Ratios, with.Seconds/max(plain.Seconds, leastTook))
		res.Recordings.Disk = max(res.Recordings.Disk, rec.Disk)
		r.Log("again: plain %.1f s, traced %.1f s, %d MB", plain.Seconds, with.Seconds, rec.Disk>>20)
	}
	return nil
}

// differences returns the tests with different outcomes, sorted. A package that fails
// because of its tests isn't one of them.
func differences(plain, with *Outcomes) []*Difference {
	all := maps.Clone(plain.Of)
	maps.Copy(all, with.Of)
	var list []*Difference
	tests := make(map[string]bool) // packages in which tests differ
	for t := range all {
		if p, w := plain.of(t), with.of(t); p != w {
			list = append(list, &Difference{Test: t, Plain: []Outcome{p}, Traced: []Outcome{w}, Output: with.Output[t]})
			tests[t.Package] = tests[t.Package] || t.Name != ""
		}
	}
	list = slices.DeleteFunc(list, func(d *Difference) bool { return d.Name == "" && tests[d.Package] })
	slices.SortFunc(list, func(a, b *Difference) int {
		return cmp.Or(cmp.Compare(a.Package, b.Package), cmp.Compare(a.Name, b.Name))
	})
	return list
}

// explain finds out of which kind the differences in a package are.
func (r *Runner) explain(s Suite, dir string, list []*Difference) error {
	only := only(list)
	r.Log("%d tests differ: %s -run %s", len(list), list[0].Package, only.run)
	for began := time.Now(); len(list[0].Plain) <= reruns; {
		if len(list[0].Plain) > 1 && time.Since(began) > patience {
			break
		}
		plain, _, err := r.test(s, dir, nil, only)
		if err != nil {
			return err
		}
		with, _, err := r.test(s, dir, traced, only)
		if err != nil {
			return err
		}
		for _, d := range list {
			d.slower = max(d.slower, with.Took[d.Test]/max(plain.Took[d.Test], leastTook))
			d.took = max(d.took, plain.Took[d.Test])
			d.Plain = append(d.Plain, plain.of(d.Test))
			d.Traced = append(d.Traced, with.of(d.Test))
			if out := with.Output[d.Test]; out != "" {
				d.Output = out
			}
		}
	}
	for _, d := range list {
		d.Kind = Differs
		if !slices.ContainsFunc(d.Traced, func(o Outcome) bool { return !slices.Contains(d.Plain, o) }) || renamed(d, list) {
			d.Kind = Unsteady
			continue
		}
		if len(list) > tooMany {
			continue // they have one cause, which is not to be found in each of them
		}
		if err := r.slowed(s, dir, d, list); err != nil {
			return err
		}
		if d.Kind == Differs && (slices.Contains(d.Traced, Pass) || d.took < shortTest) {
			if err := r.often(s, dir, d, list); err != nil {
				return err
			}
		}
	}
	return nil
}

// often runs a test plain many times, which has passed under waymark at least once or takes no
// time: it may fail now and then without, too.
func (r *Runner) often(s Suite, dir string, d *Difference, list []*Difference) error {
	only := only(d.family(list))
	only.flags = []string{"-count=" + strconv.Itoa(manyReruns)}
	plain, _, err := r.test(s, dir, nil, only)
	if err != nil {
		return err
	}
	if plain.of(d.Test) == Fail && !plain.TimedOut && slices.Contains(d.Traced, Fail) {
		d.Plain = append(d.Plain, Fail)
		d.Kind = Unsteady
	}
	r.Log("%s %s: plain, %d times: %v: %s", d.Package, d.Name, manyReruns, plain.of(d.Test), d.Kind)
	return nil
}

// tooMany tests of a package differ if it has died or took too long.
const tooMany = 20

// manyReruns is how often a test is run plain that fails under waymark now and then.
const manyReruns = 200

// family returns d with those of its subtests that differ, too.
func (d *Difference) family(list []*Difference) []*Difference {
	out := []*Difference{d}
	for _, other := range list {
		if strings.HasPrefix(other.Name, d.Name+"/") {
			out = append(out, other)
		}
	}
	return out
}

// slowed runs a test that differs plain, as much slower as it was traced. How much that is isn't
// known well of a short test, so that it gets a second try, still slower.
func (r *Runner) slowed(s Suite, dir string, d *Difference, list []*Difference) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	only := only(d.family(list))
	tries := []float64{d.slower}
	if d.took < shortTest {
		tries = append(tries, 4*d.slower)
	}
	for _, slower := range tries {
		slower = min(max(slower, leastSlow), mostSlow)
		only.flags = []string{"-exec=" + self + " -slow=" + strconv.FormatFloat(slower, 'f', 1, 64)}
		slowed, _, err := r.test(s, dir, nil, only)
		if err != nil {
			return err
		}
		// That it doesn't come up tells nothing: the slowed program may not have run at all. Nor
		// does a failure by go test's own limit.
		if slowed.of(d.Test) == Fail && !slowed.TimedOut && slices.Contains(d.Traced, Fail) {
			d.Kind, d.Slow = TimeBound, slower
		}
		r.Log("%s %s: plain %v, traced %v, plain but %.1f times slower %v: %s",
			d.Package, d.Name, d.Plain, d.Traced, slower, slowed.of(d.Test), d.Kind)
		if d.Kind == TimeBound {
			break
		}
	}
	return nil
}

// renamed reports whether d is a subtest that has another name in each run, one with the time in
// it. Such a subtest came up once in all runs, and the test that it is in is the same.
func renamed(d *Difference, list []*Difference) bool {
	came := slices.DeleteFunc(slices.Concat(d.Plain, d.Traced), func(o Outcome) bool { return o == None })
	same := !slices.ContainsFunc(list, func(o *Difference) bool { return o.Test == d.top() })
	return d.Test != d.top() && same && len(d.Traced) > 2 && len(came) == 1 && came[0] != Fail
}

// A test is made so many times slower at least and at most, to see whether that makes it fail.
// Where a test waits much, its time says less than what it computes.
const (
	leastSlow = 5
	mostSlow  = 500
)

// Seconds. leastTook is the precision of the times that go test gives. The times of tests that take
// less than shortTest say little when the machine does other things. The run times of suites that
// take longSuite or more are compared.
const (
	leastTook = 0.01
	shortTest = 0.5
	longSuite = 5
)

// A selection names some tests of a package.
type selection struct {
	pkg   string
	run   string   // regular expression of their names, "" is all
	flags []string // for go test
}

// only selects the tests at top level that differences of one package are in. If subtests differ in
// each of these tests, it selects only the subtests that differ.
func only(list []*Difference) *selection {
	s := &selection{pkg: list[0].Package}
	var tops, subs []string
	whole := false // a test differs, and none of its subtests
	for _, d := range list {
		if d.Name == "" {
			return s
		}
		top := d.top().Name
		tops = append(tops, regexp.QuoteMeta(top))
		if parts := strings.Split(d.Name, "/"); len(parts) > 1 {
			subs = append(subs, regexp.QuoteMeta(parts[1]))
		} else if len(d.family(list)) == 1 {
			whole = true
		}
	}
	s.run = "^(" + strings.Join(distinct(tops), "|") + ")$"
	if !whole && len(subs) > 0 {
		s.run += "/^(" + strings.Join(distinct(subs), "|") + ")$"
	}
	return s
}

func distinct(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}
