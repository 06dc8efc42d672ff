package testtrace

import (
	"slices"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree"
	"github.com/waymark-go/waymark/tracefile"
)

// Lacking returns those of some tests whose calls or values were not all recorded, because of the budget,
// or because events were lost. What was given back to keep the disk free is no lack: a longer test is not
// recorded better another time.
func (r *Recording) Lacking(tests []*Test) ([]*Test, error) {
	valueless, err := r.valueless(tests)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(tests), func(t *Test) bool {
		return r.file.Info().Lost == 0 && !valueless[t] && len(r.counted(t).calls) == 0
	}), nil
}

// valueless returns which of the tests made calls that were recorded without the values that were asked
// for.
func (r *Recording) valueless(tests []*Test) (map[*Test]bool, error) {
	lacks := make(map[*Test]bool)
	if !slices.ContainsFunc(r.file.Demotions(), func(d tracefile.Demotion) bool { return d.Level == tracefile.Unvalued }) {
		return lacks, nil
	}
	events := r.Events(tests)
	var ev tracefile.Event
	b := calltree.New(calltree.Options{OnEnter: func(c *calltree.Call) {
		if f, _ := r.file.Func(c.Site); c.Args == nil && len(f.Args) > 0 {
			lacks[events.Test()] = true
		}
	}})
	for events.Next(&ev) {
		b.Add(&ev)
	}
	return lacks, events.Err()
}

// Leaves returns those of some tests of which no subtest is among them.
func Leaves(tests []*Test) []*Test {
	return slices.DeleteFunc(slices.Clone(tests), func(t *Test) bool { return slices.ContainsFunc(tests, t.above) })
}

// Within reports whether the test is a subtest of t, directly or not, or t itself.
func (o *Test) Within(t *Test) bool { return o == t || t.above(o) }

// Pattern returns what the flag -run selects the test by, and no other.
func (t *Test) Pattern() string { return t.pattern() }
