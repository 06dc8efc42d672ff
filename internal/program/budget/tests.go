package budget

import "github.com/waymark-go/waymark/internal/wire/format"

// While tests run, the budget is each test's own. A test that begins is recorded in full: what tests
// before it have taken is not its debt. What is saved pays for that. When nothing is saved any more,
// such tests may take as much again as the budget of the whole suite.

// testsAhead is what tests that begin may take, in ns, before a suite has saved anything for them:
// short suites are recorded in full.
const testsAhead = 1e9

// Fresh returns the changes that give all sites the level full again. Call it when a test begins.
// There are no changes if the account is empty and nothing can be granted to the test. For a
// subtest there are none if too little is saved, too: there may be thousands of subtests before the
// next test. The slice is used again for the next decision.
func (c *Controller) Fresh(subtest bool) []Change {
	if !c.tests {
		if c.tests = true; !c.Strict {
			c.Saved += testsAhead
		}
	}
	if c.Saving() {
		return nil
	}
	if c.balance < 0 {
		if subtest && c.Saved <= leftBySubtests || c.Saved < leastAhead && c.granted > c.share*c.own {
			return nil
		}
		if !c.beginning {
			c.endPeriod() // the test's calls are not added to those of the tests before
		}
		c.beginning, c.ahead = true, leastFresh
		if c.Saved >= leastAhead {
			c.ahead = max(c.Saved*partOfSaved, leastAhead)
		}
		c.settle()
	}
	if c.demoted == 0 {
		return nil
	}
	changes := c.work.changes[:0]
	for i := range c.sites {
		if f := &c.sites[i]; f.level != format.LevelFull {
			f.level, f.promoted, f.wait = format.LevelFull, 0, 0
			changes = append(changes, Change{uint32(i), f.level})
		}
	}
	c.demoted = 0
	c.work.changes = changes
	return changes
}

// Saving reports whether tests that begin get nothing until there is more of a strict budget: Fresh needn't be called.
func (c *Controller) Saving() bool { return c.tests && c.Strict && c.Saved < leastAhead }

// settle pays the debts of the account from what is saved, and grants the rest.
func (c *Controller) settle() {
	saved := min(-c.balance, max(c.Saved, 0))
	c.Saved -= saved
	c.granted -= c.balance + saved
	c.balance = 0
}

// idle returns what comes in, besides, for ns of time, in which the process took cpu of CPU time.
// rest is the program's own part of that. All are in ns. While tests run, time in which the process
// does nothing counts like CPU time, unless the budget is strict. A test that sleeps can be recorded
// without making the suite slower.
func (c *Controller) idle(ns, cpu, rest float64) float64 {
	if !c.tests || c.Strict {
		return 0
	}
	idle := max(ns-cpu, 0)
	c.own += rest + idle
	return c.share * idle
}
