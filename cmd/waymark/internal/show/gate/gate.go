// Package gate compares how often tests call functions with counts that are checked in: a gate that
// tells one call more and has no noise.
//
//	counts, err := gate.ReadRun(dir)          // of one run of the tests
//	file := gate.Merge(runs)                  // what differs from run to run is left out
//	file.Write(w)
//	steady, unsteady := file.Compare(runs...) // what has changed in all runs alike
package gate

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/waymark-go/waymark/internal/program/counts"
)

// A Test is one of the top level.
type Test struct{ Package, Name string }

// Counts are the numbers of a function in a test.
type Counts struct {
	Calls   Count
	Objects Count // of the heap, made by the calls themselves
}

// A Count is a number that is the same in each run, or Varies.
type Count uint64

// Varies stands for a number that differs from run to run.
const Varies = Count(1<<64 - 1)

// A Run is what tests did in one run, by test and function.
type Run struct {
	On    string // Go, system and CPUs
	Tests map[Test]map[string]Counts
}

func newRun() *Run { return &Run{Tests: make(map[Test]map[string]Counts)} }

// ReadRun reads the files that test binaries wrote to a folder.
func ReadRun(dir string) (*Run, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.counts"))
	if err != nil {
		return nil, err
	}
	r := newRun()
	overlapped := make(map[Test]bool)
	for _, path := range paths {
		if err := r.read(path, overlapped); err != nil {
			return nil, err
		}
	}
	for test := range overlapped {
		for name := range r.Tests[test] {
			r.Tests[test][name] = Counts{Varies, Varies} // nobody knows which test's they are
		}
	}
	return r, nil
}

func (r *Run) read(path string, overlapped map[Test]bool) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	d := json.NewDecoder(bufio.NewReader(f))
	for d.More() {
		var t counts.Test
		if err := d.Decode(&t); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		r.On = t.On
		test := Test{t.Package, t.Test}
		if t.Overlapped {
			overlapped[test] = true
		}
		if r.Tests[test] == nil {
			r.Tests[test] = make(map[string]Counts)
		}
		for _, f := range t.Functions {
			sum := r.Tests[test][f.Name]
			r.Tests[test][f.Name] = Counts{sum.Calls + Count(f.Calls), sum.Objects + Count(f.Objects)}
		}
	}
	return nil
}

// Merge returns what is the same in all runs, the rest as Varies.
func Merge(runs []*Run) *Run {
	out := newRun()
	for i, r := range runs {
		if i == 0 {
			out.On = r.On // later ones may be on one CPU
		}
		for test, functions := range r.Tests {
			if out.Tests[test] == nil {
				out.Tests[test] = make(map[string]Counts)
			}
			for name, n := range functions {
				out.Tests[test][name] = n
			}
		}
	}
	for test, functions := range out.Tests {
		for name, n := range functions {
			for _, r := range runs {
				n.Calls, n.Objects = same(n.Calls, r.Tests[test][name].Calls), same(n.Objects, r.Tests[test][name].Objects)
			}
			functions[name] = n.steady()
		}
	}
	return out
}

// steady returns the counts, of which objects vary if calls do: those made the objects, and equal numbers
// in a few runs are chance.
func (c Counts) steady() Counts {
	if c.Calls == Varies {
		c.Objects = Varies
	}
	return c
}

func same(a, b Count) Count {
	if a != b {
		return Varies
	}
	return a
}

// A Difference is a number of a function in a test that is not the one in the file.
type Difference struct {
	Test
	Function string
	What     string // "calls" or "objects"
	Was, Is  Count
}

// Compare compares the file with runs of the tests. A difference is steady if all runs have the same
// number. Others are not: the number differs from run to run, or was as in the file once.
func (file *Run) Compare(runs ...*Run) (steady, unsteady []Difference) {
	for _, test := range file.Common(runs[0]) {
		was := file.Tests[test]
		all := maps.Clone(was)
		for _, r := range runs {
			maps.Copy(all, r.Tests[test])
		}
		for _, name := range slices.Sorted(maps.Keys(all)) {
			for _, what := range []string{"calls", "objects"} {
				d := Difference{Test: test, Function: name, What: what, Was: was[name].steady().of(what), Is: runs[0].Tests[test][name].of(what)}
				differs, agree := false, true
				for _, r := range runs {
					is := r.Tests[test][name].of(what)
					differs = differs || is != d.Was
					agree = agree && is == d.Is
				}
				switch {
				case d.Was == Varies || !differs:
				case agree && d.Is != Varies:
					steady = append(steady, d)
				default:
					unsteady = append(unsteady, d)
				}
			}
		}
	}
	return steady, unsteady
}

func (c Counts) of(what string) Count {
	if what == "calls" {
		return c.Calls
	}
	return c.Objects
}

// Common returns the tests that are in both, in order. Tests in one only are of no interest to a
// gate: they were added or removed, or are not among those that were run.
func (file *Run) Common(r *Run) (list []Test) {
	for _, test := range file.sorted() {
		if r.Tests[test] != nil {
			list = append(list, test)
		}
	}
	return list
}

// Sizes returns how many numbers there are, and how many of them vary.
func (file *Run) Sizes() (all, varying uint64) {
	for _, functions := range file.Tests {
		for _, n := range functions {
			for _, c := range []Count{n.Calls, n.Objects} {
				if all++; c == Varies {
					varying++
				}
			}
		}
	}
	return all, varying
}

// sorted returns the tests in order.
func (file *Run) sorted() []Test {
	return slices.SortedFunc(maps.Keys(file.Tests), func(a, b Test) int {
		return cmp.Or(cmp.Compare(a.Package, b.Package), cmp.Compare(a.Name, b.Name))
	})
}
