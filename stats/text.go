package stats

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/waymark-go/waymark/internal/names"
	texttable "github.com/waymark-go/waymark/internal/table"
)

// WriteText writes for people: the functions that took the most time, then those that were called
// most often, top of each; 0 is all. Without times there are only the latter. Names are as short as
// tells the functions of the snapshot apart, see [Snapshot.WriteFullText].
func (s *Snapshot) WriteText(w io.Writer, top int) error {
	short := names.NewSet()
	for i := range s.Functions {
		short.Add(s.Functions[i].Name)
	}
	return s.writeText(w, top, short)
}

// WriteFullText is WriteText with whole names.
func (s *Snapshot) WriteFullText(w io.Writer, top int) error { return s.writeText(w, top, nil) }

func (s *Snapshot) writeText(w io.Writer, top int, short *names.Set) error {
	var b bytes.Buffer
	if s.timed() {
		list, title := s.first(top, func(a, b *Stat) int {
			if c := cmp.Compare(b.Total, a.Total); c != 0 {
				return c
			}
			return cmp.Compare(b.Self, a.Self)
		}, "time consuming functions")
		fmt.Fprintln(&b, title)
		texttable.Timed("Function", rows(list, short)).Write(&b, texttable.Style{})
		b.WriteByte('\n')
	}
	list, title := s.first(top, func(a, b *Stat) int { return cmp.Compare(b.Calls, a.Calls) }, "called functions")
	fmt.Fprintln(&b, title)
	texttable.Counted(rows(list, short)).Write(&b, texttable.Style{})
	_, err := w.Write(b.Bytes())
	return err
}

// rows returns the numbers of functions for a table.
func rows(list []*Stat, short *names.Set) []texttable.Calls {
	out := make([]texttable.Calls, len(list))
	for i, f := range list {
		out[i] = texttable.Calls{
			Name: short.Short(f.Name), Calls: f.Calls, Open: f.Open, Panics: f.Panics, Errors: f.Errors,
			Total: f.Total, Self: f.Self, Min: f.Min, Avg: f.Avg, Max: f.Max,
		}
		if q := f.Quantiles(); q != nil {
			out[i].Quantiles = []time.Duration{q.P50, q.P90, q.P99, q.P999}
		}
	}
	return out
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
