package traces

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/waymark-go/waymark/internal/text/names"
	"github.com/waymark-go/waymark/internal/text/table"
	"github.com/waymark-go/waymark/internal/text/units"
	"github.com/waymark-go/waymark/tracefile"
)

// what says what the goroutine does: "running", "waiting for channel".
func (s *Segment) what() string {
	if s.State == Waiting {
		return "waiting for " + s.Reason.String()
	}
	return s.State.String()
}

// noCall is the name of time in no recorded call.
const noCall = "(no recorded call)"

// name returns the name of the function, with the arguments if they are known.
func (p *Part) name(short *names.Set) string {
	if p.Func == nil {
		return noCall
	}
	return short.Short(p.Func.Name) + p.Args
}

// where says in which function most of the time of a segment was, and how much.
func (s *Segment) where(short *names.Set) string {
	p := &s.Parts[0]
	if len(s.Parts) == 1 {
		return p.name(short)
	}
	return fmt.Sprintf("%s %.1f %%", p.name(short), 100*float64(p.Duration)/float64(s.Duration))
}

// by says which goroutine has woken or started this one, or ends its wait.
func (s *Segment) by() string {
	switch {
	case s.Ender != 0 && s.Reason == tracefile.WaitLock:
		return "held by " + units.Count(s.Ender) + " at the end"
	case s.Ender != 0:
		return "until woken by " + units.Count(s.Ender)
	case s.Waker == 0:
		return ""
	case s.Started:
		return "started by " + units.Count(s.Waker)
	}
	return "woken by " + units.Count(s.Waker)
}

// A share is the time that segments have in common.
type share struct {
	what, name string
	segments   uint64
	time       time.Duration
}

// shares adds up the time of segments by what they are and in which functions it was, the longest time first.
func (c *Critical) shares(short *names.Set) []*share {
	type key struct{ what, name string }
	index := make(map[key]*share)
	var list []*share
	for i := range c.Segments {
		s := &c.Segments[i]
		for j := range s.Parts {
			k := key{s.what(), s.Parts[j].name(short)}
			to := index[k]
			if to == nil {
				to = &share{what: k.what, name: k.name}
				index[k] = to
				list = append(list, to)
			}
			to.segments++
			to.time += s.Parts[j].Duration
		}
	}
	slices.SortStableFunc(list, func(a, b *share) int { return cmp.Compare(b.time, a.time) })
	return list
}

// WriteCritical prints a critical path: what it consists of, and its segments that take as long as
// least. short, unless nil, shortens names of functions.
func WriteCritical(w io.Writer, c *Critical, short *names.Set, style table.Style, least time.Duration) error {
	t := c.Trace
	if _, err := fmt.Fprintf(w, "%v: critical path of %s on goroutine %v, %s: %s\n\n", t.Key, short.Short(t.Root.Name), t.Goroutine,
		units.Duration(t.Duration), units.Things(uint64(len(c.Segments)), "segment")); err != nil {
		return err
	}
	shares := &table.Table{Columns: []table.Column{{Head: "Time", Right: true}, {Head: "%", Right: true}, {Head: "Segments", Right: true}, {Head: "State"}, {Head: "Function"}}}
	unknown := false
	for _, s := range c.shares(short) {
		unknown = unknown || s.name == noCall
		percent := fmt.Sprintf("%.1f", 100*float64(s.time)/float64(max(t.Duration, 1)))
		shares.Rows = append(shares.Rows, []table.Cell{table.Duration(s.time), {Text: percent}, table.Count(s.segments), {Text: s.what}, {Text: s.name}})
	}
	if err := shares.Write(w, style); err != nil {
		return err
	}
	if _, err := io.WriteString(w, "\n"); err != nil {
		return err
	}
	list := &table.Table{Columns: []table.Column{
		{Head: "Start", Right: true}, {Head: "Duration", Right: true}, {Head: "Goroutine", Right: true}, {Head: "State"}, {Head: "Function"}, {Head: "By"},
	}}
	for i := range c.Segments {
		if s := &c.Segments[i]; s.Duration >= least {
			list.Rows = append(list.Rows, []table.Cell{
				table.Duration(s.Start), table.Duration(s.Duration), table.Count(s.Goroutine), {Text: s.what()}, {Text: s.where(short)}, {Text: s.by()},
			})
		}
	}
	if err := list.Write(w, style); err != nil {
		return err
	}
	if unknown {
		if _, err := io.WriteString(w, "\n"+noCall+": in code that is not instrumented, such as function literals without --closures\n"); err != nil {
			return err
		}
	}
	if hidden := len(c.Segments) - len(list.Rows); hidden > 0 {
		_, err := fmt.Fprintf(w, "\n%s not shown: shorter than --min %v\n", units.Things(uint64(hidden), "segment"), least)
		return err
	}
	return nil
}
