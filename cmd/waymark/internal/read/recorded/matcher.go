package recorded

import (
	"errors"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree"
	"github.com/waymark-go/waymark/internal/program/condition"
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/tracefile"
	"github.com/waymark-go/waymark/value"
)

// A Matcher decides a Condition on the calls of a file.
type Matcher struct {
	c     *Condition
	file  *tracefile.File
	nanos func(ticks uint64) int64
	sites map[uint32]*called
}

// A called is a function that is called.
type called struct {
	name          string
	filter        *condition.Filter // nil: it can hold for no call
	args, results []int             // where paths begin
}

// Matcher returns a matcher for calls of a file. nanos returns the length of a number of ticks in ns.
func (c *Condition) Matcher(file *tracefile.File, nanos func(ticks uint64) int64) *Matcher {
	return &Matcher{c, file, nanos, make(map[uint32]*called)}
}

// site returns the function of a site.
func (m *Matcher) site(site uint32) *called {
	to := m.sites[site]
	if to != nil {
		return to
	}
	to = new(called)
	m.sites[site] = to
	f, ok := m.file.Func(site)
	if to.name = f.Name; !ok || m.c.fits(&f) != nil {
		return to
	}
	to.filter = condition.NewFilter(m.c.flat, condition.Function{
		Name: f.Name, Args: m.c.names[condition.Arg], Results: m.c.names[condition.Result],
		Report: func(err error) { m.c.reject(f.Name, errors.Unwrap(err).Error()) }, // without what Notes say
	})
	for i := range m.c.args {
		to.args = append(to.args, m.c.args[i].index(&f))
	}
	for i := range m.c.results {
		to.results = append(to.results, m.c.results[i].index(&f))
	}
	return to
}

// Enter reports whether a call that begins may be chosen. slots are for Exit.
func (m *Matcher) Enter(c *calltree.Call) (slots uint64, ok bool) {
	f := m.site(c.Site)
	if f.filter == nil {
		return 0, false
	}
	values, why := m.values(c, m.c.args, f.args, c.Args)
	slots, ok = f.filter.Enter(values)
	if !ok || condition.SlotRefused(slots) {
		m.reject(f, why)
	}
	return slots, ok
}

// reject notes why a call of f is rejected.
func (m *Matcher) reject(f *called, why []error) {
	for _, err := range why {
		m.c.reject(f.name, err.Error())
	}
}

// Exit reports whether a call that ended is chosen.
func (m *Matcher) Exit(c *calltree.Call, slots uint64) bool {
	f := m.site(c.Site)
	if f.filter == nil {
		return false
	}
	facts := condition.Facts{Duration: m.nanos(c.End - c.Began), Panicked: c.Flags&calltree.Panicked != 0, Slots: slots}
	values, why := m.values(c, m.c.results, f.results, Results(c))
	if !f.filter.Exit(values, facts, true) {
		m.reject(f, why)
		return false
	}
	return true
}

// Results returns the results of a call that has ended, nil if it did not return or they were not
// recorded.
func Results(c *calltree.Call) []byte {
	if c.Flags&(calltree.Panicked|calltree.Exited) != 0 && c.Flags&calltree.Recovered == 0 {
		return nil
	}
	return c.Results
}

// values returns what the condition reads: the paths, which begin at the indices at in what data has. why
// says what was not recorded or does not exist.
func (m *Matcher) values(c *calltree.Call, paths []Path, at []int, data []byte) (_ condition.Values, why []error) {
	var list []value.Value
	if len(paths) > 0 && data != nil {
		list, _ = value.Decode(data, m.file.Type)
	}
	leaves := make([]any, len(paths))
	for i := range paths {
		p := &paths[i]
		if p.failed {
			leaves[i] = c.Flags&calltree.Failed != 0
			continue
		}
		v, err := p.find(list, at[i])
		switch {
		case err == nil:
			leaves[i] = p.leaf(v)
			continue
		case err != errUnreached:
			why = append(why, err)
		}
		leaves[i] = unread
	}
	ev := rt.EventOf(leaves)
	ev.Goroutine = c.Goroutine
	return condition.Values{Event: ev}, why
}
