package testtrace

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree"
	"github.com/waymark-go/waymark/internal/text/units"
	"github.com/waymark-go/waymark/tracefile"
)

// counted are the calls of a test that the program counted instead of recording them, to keep to
// its budget. The program recorded only those that took long.
type counted struct {
	calls map[uint32]uint64 // by function
	whose string            // of which other tests some are
}

// counted returns how many calls were counted while a test was running.
func (r *Recording) counted(t *Test) counted {
	ran := tracefile.Range{From: t.Begin, To: min(t.End, never-1)}
	read := r.file.Readings(ran)
	c := counted{calls: r.file.Counted(read)}
	if len(c.calls) == 0 {
		return c
	}
	beside, sub := false, false
	for _, o := range r.Tests {
		switch {
		case o == t || !o.overlaps(t) || o.above(t):
		case t.above(o):
			sub = true
		default:
			beside = true
		}
	}
	switch {
	case beside:
		c.whose = ", with those of tests that ran at the same time"
	case sub:
		c.whose = ", with those of its subtests"
	}
	c.whose += r.beyond(read, ran, c.whose != "")
	return c
}

// beyond says how much longer the time between two readings of the counters is than that in which a
// test ran. Where tests follow each other at once, the counters are not read for each of them.
func (r *Recording) beyond(read, ran tracefile.Range, more bool) string {
	var of []string
	add := func(from, to uint64, where string) {
		if ns := r.file.Nanos(to) - r.file.Nanos(from); ns > 0 {
			of = append(of, fmt.Sprintf("the %s %s it", units.Duration(ns), where))
		}
	}
	if read.From > 0 {
		add(read.From, ran.From, "before")
	}
	add(ran.To, read.To, "after")
	switch {
	case len(of) == 0:
		return ""
	case more:
		return " and of " + strings.Join(of, " and ")
	}
	return ", with those of " + strings.Join(of, " and ")
}

// above reports whether o is a subtest of t, directly or not.
func (t *Test) above(o *Test) bool {
	for o = o.parent; o != nil && o != t; o = o.parent {
	}
	return o != nil
}

// overlaps reports whether the tests ran at the same time. A test that waits for its turn does not run.
func (t *Test) overlaps(o *Test) bool {
	meet := func(from, to uint64) bool {
		return from <= o.End && to >= o.Begin && !(from >= o.waitFrom && to <= o.waitTo && o.waitFrom < o.waitTo)
	}
	if t.waitFrom < t.waitTo {
		return meet(t.Begin, t.waitFrom) || t.waitTo != never && meet(t.waitTo, t.End)
	}
	return meet(t.Begin, t.End)
}

// seen takes note of a counted call that is in the tree: it took long.
func (c *counted) seen(call *calltree.Call) {
	if call.Flags&(calltree.Long|calltree.Unfolded) != 0 && c.calls[call.Site] > 0 {
		c.calls[call.Site]--
	}
}

// left reports whether there are calls that are not in the tree.
func (c *counted) left() bool {
	for _, calls := range c.calls {
		if calls > 0 {
			return true
		}
	}
	return false
}

// mostCounted is how many functions are listed whose calls were counted.
const mostCounted = 5

// writeTo writes how many calls are not in the tree, those of the functions with most calls first.
func (c *counted) writeTo(w io.Writer, name func(site uint32) string) error {
	type row struct {
		name  string
		calls uint64
	}
	var rows []row
	for site, calls := range c.calls {
		if calls > 0 {
			rows = append(rows, row{name(site), calls})
		}
	}
	slices.SortFunc(rows, func(a, b row) int { return cmp.Or(cmp.Compare(b.calls, a.calls), cmp.Compare(a.name, b.name)) })
	for i, r := range rows {
		if i == mostCounted && len(rows) > mostCounted+1 {
			rest := uint64(0)
			for _, r := range rows[i:] {
				rest += r.calls
			}
			_, err := fmt.Fprintf(w, "    %s more: %s more, not recorded%s\n", units.Things(uint64(len(rows)-i), "function"), units.Things(rest, "call"), c.whose)
			return err
		}
		if _, err := fmt.Fprintf(w, "    %s: %s more, not recorded%s\n", r.name, units.Things(r.calls, "call"), c.whose); err != nil {
			return err
		}
	}
	return nil
}
