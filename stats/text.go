package stats

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"text/tabwriter"
	"time"
)

// WriteText writes for people: the functions that took the most time, then those that were called most often, of each so many;
// 0 is all. Without times there are only the latter.
func (s *Snapshot) WriteText(w io.Writer, top int) error {
	var b bytes.Buffer
	if s.timed() {
		s.byTime(&b, top)
		b.WriteByte('\n')
	}
	s.byCalls(&b, top)
	_, err := w.Write(b.Bytes())
	return err
}

// timed tells whether there are times.
func (s *Snapshot) timed() bool {
	return slices.ContainsFunc(s.Functions, func(f Stat) bool { return f.Max > 0 || f.Open > 0 })
}

// first gives the first functions by an order, and a heading.
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

func (s *Snapshot) byTime(b *bytes.Buffer, top int) {
	list, title := s.first(top, func(a, b *Stat) int {
		if c := cmp.Compare(b.Total, a.Total); c != 0 {
			return c
		}
		return cmp.Compare(b.Self, a.Self)
	}, "time consuming functions")
	fmt.Fprintln(b, title)
	distributions := slices.ContainsFunc(list, func(f *Stat) bool { return f.Quantiles() != nil })
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "Total\tSelf\tCalls\tMin\tAvg\tMax\t")
	if distributions {
		fmt.Fprint(t, "p50\tp90\tp99\tp99.9\t")
	}
	fmt.Fprint(t, "Panics\t  Function\n")
	for _, f := range list {
		for _, d := range []time.Duration{f.Total, f.Self} {
			fmt.Fprintf(t, "%s\t", duration(d))
		}
		fmt.Fprintf(t, "%d\t", f.Calls)
		for _, d := range []time.Duration{f.Min, f.Avg, f.Max} {
			fmt.Fprintf(t, "%s\t", duration(d))
		}
		if distributions {
			if q := f.Quantiles(); q == nil {
				fmt.Fprint(t, "-\t-\t-\t-\t")
			} else {
				for _, d := range []time.Duration{q.P50, q.P90, q.P99, q.P999} {
					fmt.Fprintf(t, "%s\t", duration(d))
				}
			}
		}
		panics := "-"
		if f.Panics > 0 {
			panics = strconv.FormatUint(f.Panics, 10)
		}
		fmt.Fprintf(t, "%s\t  %s\n", panics, f.Name)
	}
	t.Flush()
}

func (s *Snapshot) byCalls(b *bytes.Buffer, top int) {
	list, title := s.first(top, func(a, b *Stat) int { return cmp.Compare(b.Calls, a.Calls) }, "called functions")
	fmt.Fprintln(b, title)
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, f := range list {
		fmt.Fprintf(t, "%d\t  %s\n", f.Calls, f.Name)
	}
	t.Flush()
}

// duration gives d with three or more significant digits.
func duration(d time.Duration) string {
	switch {
	case d >= time.Second:
		d = d.Round(time.Millisecond)
	case d >= time.Millisecond:
		d = d.Round(time.Microsecond)
	}
	return d.String()
}
