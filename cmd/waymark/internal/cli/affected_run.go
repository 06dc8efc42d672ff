package cli

import (
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/affected"
	"github.com/waymark-go/waymark/cmd/waymark/internal/build/gocmd"
)

// A testGroup is what one go command tests.
type testGroup struct {
	packages []string
	tests    []string // nil: all
	asked    bool     // it is all that the user has asked for
}

// groups returns what to run, that which is likeliest to fail first.
func (c *choice) groups() (list []*testGroup) {
	if c.base == "" || c.verify {
		g := &testGroup{asked: true}
		for path := range c.now.Packages {
			g.packages = append(g.packages, path)
		}
		slices.Sort(g.packages)
		return []*testGroup{g}
	}
	byPattern := make(map[string]*testGroup)
	for rest := c.decisions; len(rest) > 0; {
		path, n := rest[0].Package, 0
		var tests []string
		for ; n < len(rest) && rest[n].Package == path; n++ {
			if rest[n].Run {
				tests = append(tests, rest[n].Test)
			}
		}
		rest = rest[n:]
		if len(tests) == 0 {
			continue
		}
		key := strings.Join(tests, "|")
		if len(tests) == n || len(key) > mostPattern {
			tests, key = nil, ""
		}
		if byPattern[key] == nil {
			byPattern[key] = &testGroup{tests: tests}
			list = append(list, byPattern[key])
		}
		byPattern[key].packages = append(byPattern[key].packages, path)
	}
	return list
}

// mostPattern is how long -run may be, bytes: the kernel takes arguments of 128 KB.
const mostPattern = 100 << 10

// testAffected runs the chosen tests, and notes what they depend on. goTest takes the user's packages
// for none.
func (a *app) testAffected(c *choice, dir string, goTest func(packages []string, flags gocmd.Flags) *exec.Cmd) (err error) {
	runs := make(map[string]affected.Run)
	failed := make(failures)
	for _, g := range c.groups() {
		var flags gocmd.Flags
		if g.tests != nil {
			flags = gocmd.Flags{"-run=^(" + strings.Join(g.tests, "|") + ")$"}
		}
		args := g.packages
		if g.asked {
			args = nil
		}
		cmd := goTest(args, flags)
		out := &outcomes{to: cmd.Stdout, passed: make(map[string]bool), failed: failed}
		cmd.Stdout = out
		cmd.Env = append(cmd.Env, "WAYMARKTESTLOG="+dir)
		err1 := await(cmd)
		if err1 != nil && !errors.As(err1, new(*exec.ExitError)) {
			return err1
		}
		if err == nil {
			err = err1
		}
		for _, path := range g.packages {
			runs[path] = affected.Run{Passed: out.passed[path], Tests: g.tests, Failed: failed.tests(path)}
		}
	}
	if addErr := c.tests.Add(c.now, dir, runs); addErr != nil {
		a.note(fmt.Sprintf("the map lacks tests, which run again next time: %v", addErr))
	}
	if writeErr := c.tests.Write(c.path); writeErr != nil {
		return errors.Join(testStatus(err), fmt.Errorf("--map: %w", writeErr))
	}
	if c.verify {
		if missed := c.missed(failed); missed != nil {
			return missed
		}
		a.note(fmt.Sprintf("of the tests that failed, all %d are among those that are chosen: %s", failed.count(), c.summary()))
	}
	return testStatus(err)
}

// missed returns an error about failed tests that were not chosen.
func (c *choice) missed(failed failures) error {
	var errs []error
	chosen := make(map[string]bool)
	for _, d := range c.decisions {
		chosen[d.Package] = chosen[d.Package] || d.Run
		if failed[[2]string{d.Package, d.Test}] && !d.Run {
			errs = append(errs, fmt.Errorf("missed: %s %s failed, and was not chosen", d.Package, d.Test))
		}
	}
	for f := range failed {
		if f[1] == "" && !chosen[f[0]] {
			errs = append(errs, fmt.Errorf("missed: %s failed, and none of its tests was chosen", f[0]))
		}
	}
	slices.SortFunc(errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errors.Join(errs...)
}
