package testtrace

import (
	"fmt"
	"slices"
)

// A Run is one run of a test with its subtests.
type Run struct {
	*Test
	Recording *Recording

	tests []*Test // the test first
}

// Failed reports whether the test, or one of its subtests, failed or did not end.
func (r *Run) Failed() bool {
	return r.Outcome == Failed || r.Outcome == Panicked || r.Outcome == Unended
}

// Lost reports whether the recording lacks events.
func (r *Run) Lost() bool { return r.Recording.file.Info().Lost > 0 }

// Runs returns the runs of the test with the given name, in the order in which they began: there are
// several with go test -count.
func (r *Recording) Runs(name string) []*Run {
	var runs []*Run
	byTest := make(map[*Test]*Run)
	for _, t := range r.Tests {
		for up := t; up != nil; up = up.parent {
			if up.Name != name {
				continue
			}
			run := byTest[up]
			if run == nil {
				run = &Run{Test: up, Recording: r}
				byTest[up], runs = run, append(runs, run)
			}
			run.tests = append(run.tests, t)
			break
		}
	}
	return runs
}

// Lacks reports whether the recording lacks calls or values of the run.
func (r *Run) Lacks() (bool, error) {
	lacking, err := r.Recording.Lacking(r.tests)
	return len(lacking) > 0, err
}

// Pair returns one of some runs that failed, and the last before it of the same package that passed, or
// else the first after it. What there is not is nil. Of the runs that failed it is the first that lacks
// nothing, or else the first.
func Pair(runs []*Run, lacks func(*Run) (bool, error)) (passed, failed *Run, err error) {
	at := slices.IndexFunc(runs, (*Run).Failed)
	for i := max(at, 0); i < len(runs); i++ {
		if !runs[i].Failed() {
			continue
		}
		if lacking, err := lacks(runs[i]); err != nil {
			return nil, nil, err
		} else if !lacking {
			at = i
			break
		}
	}
	if at < 0 {
		at = len(runs)
	} else {
		failed = runs[at]
	}
	for i, run := range runs {
		if run.Outcome != Passed || failed != nil && run.Recording.Package != failed.Recording.Package {
			continue
		}
		if i < at || passed == nil {
			passed = run
		}
	}
	return passed, failed, nil
}

// threadsOf names the goroutines of a run, so that those of two runs can be told to be the same. A
// test's own goroutine is named by the test. The others are numbered behind the name of the
// goroutine that started them. Goroutines' ids grow in the order in which one goroutine starts
// them, but for a few that the scheduler moved meanwhile.
func (r *Run) threadsOf() map[uint64]string {
	rec := r.Recording
	names := make(map[uint64]string)
	own := make(map[*Test]bool)
	for _, t := range r.tests {
		own[t], names[t.Goroutine] = true, t.Name
	}
	children := make(map[uint64][]uint64) // by parent; 0: an unknown one
	for id, s := range rec.starts {
		if _, isTest := names[id]; isTest || !own[rec.TestAt(id, s.clock)] {
			continue
		}
		parent := s.parent
		if _, known := names[parent]; !known && !own[rec.TestAt(parent, s.clock)] {
			parent = 0
		}
		children[parent] = append(children[parent], id)
	}
	var name func(parent uint64, prefix string)
	name = func(parent uint64, prefix string) {
		list := children[parent]
		delete(children, parent) // also against circles, which a damaged file may have
		slices.Sort(list)
		for i, id := range list {
			names[id] = fmt.Sprintf("%s, goroutine %d", prefix, i+1)
			name(id, names[id])
		}
	}
	name(0, r.Name+", by an unknown one")
	for _, t := range r.tests {
		name(t.Goroutine, t.Name)
	}
	return names
}
