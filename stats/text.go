package stats

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/waymark-go/waymark/internal/text/names"
	texttable "github.com/waymark-go/waymark/internal/text/table"
)

// A Text writes a snapshot for people: the functions that took the most time, then the functions
// that were called most often. Without times there are only the latter. The types of which the most
// objects were made follow, and paths as a tree, if there are any.
//
//	stats.Text{Snapshot: g.Snapshot(), Top: 10}.WriteTo(os.Stderr)
type Text struct {
	Snapshot *Snapshot

	// Top is the number of functions or types in each list; 0 means all. Unless it is 0, paths with
	// less than 1 % of the time are left out.
	Top int

	// FullNames writes whole names. Without FullNames, names are as short as they stay unique in
	// the snapshot.
	FullNames bool
}

// WriteTo implements io.WriterTo. The error is that of w.
func (t Text) WriteTo(w io.Writer) (int64, error) {
	s := t.Snapshot
	var short *names.Set
	if !t.FullNames {
		short = names.NewSet()
		for i := range s.Functions {
			short.Add(s.Functions[i].Name)
		}
	}
	var b bytes.Buffer
	if s.timed() {
		list, title := s.first(t.Top, func(a, b *Stat) int {
			if c := cmp.Compare(b.Total, a.Total); c != 0 {
				return c
			}
			return cmp.Compare(b.Self, a.Self)
		}, "time consuming functions")
		fmt.Fprintln(&b, title)
		texttable.Timed("Function", s.rows(list, short)).Write(&b, texttable.Style{})
		b.WriteByte('\n')
	}
	byCalls := func(a, b *Stat) int { return cmp.Compare(b.Calls, a.Calls) }
	list, title := s.first(t.Top, byCalls, "called functions")
	fmt.Fprintln(&b, title)
	texttable.Counted(s.rows(list, short)).Write(&b, texttable.Style{})
	if len(s.Objects) > 0 {
		t.writeObjects(&b)
	}
	if len(s.Paths) > 0 {
		t.writePaths(&b, short)
	}
	return b.WriteTo(w)
}

// WriteTo implements io.WriterTo: it writes the Text of s, with all functions and short names.
func (s *Snapshot) WriteTo(w io.Writer) (int64, error) { return Text{Snapshot: s}.WriteTo(w) }

// String returns what WriteTo writes.
func (s *Snapshot) String() string {
	var b bytes.Buffer
	s.WriteTo(&b)
	return b.String()
}

// rows returns the numbers of functions for a table.
func (s *Snapshot) rows(list []*Stat, short *names.Set) []texttable.Calls {
	out := make([]texttable.Calls, len(list))
	for i, f := range list {
		out[i] = texttable.Calls{
			Name: short.Short(f.Name), Calls: f.Calls, Open: f.Open, Panics: f.Panics, Errors: f.Errors,
			Total: f.Total, Self: f.Self, Min: f.Min, Avg: f.Mean, Max: f.Max,
			Objects: f.Objects, Bytes: f.Bytes,
			About: f.Estimate != nil && f.Untimed > 0, AboutSelf: f.Estimate != nil, Untimed: f.unknown(),
			AboutCalls: f.Estimate != nil && f.Estimate.Calls != nil,
		}
		if s.waits && f.Untimed == 0 {
			out[i].Parts = []time.Duration{f.Total - f.Runnable - f.Waiting, f.Runnable, f.Waiting}
		}
		if q := f.Quantiles(); q != nil && f.Untimed == 0 {
			out[i].Quantiles = []time.Duration{q.P50, q.P90, q.P99, q.P999}
		}
	}
	return out
}

// unknown reports whether calls of the function were counted and nothing is known of their times.
func (n *Numbers) unknown() bool {
	return n.Untimed > 0 && (n.Estimate == nil || n.Estimate.Unknown)
}

// timed reports whether there are times.
func (s *Snapshot) timed() bool {
	return slices.ContainsFunc(s.Functions, func(f Stat) bool { return f.Max > 0 || f.Open > 0 })
}

// first returns the first functions by an order, and a heading.
func (s *Snapshot) first(top int, before func(a, b *Stat) int, heading string) (list []*Stat, title string) {
	for i := range s.Functions {
		list = append(list, &s.Functions[i])
	}
	slices.SortStableFunc(list, before)
	if top > 0 && len(list) > top {
		return list[:top], fmt.Sprintf("Top %d %s:", top, heading)
	}
	return list, "All " + heading + ":"
}
