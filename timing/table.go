package timing

import (
	"bytes"
	"fmt"
	"io"
	"text/tabwriter"
	"time"
)

// WriteTo writes a table for people: a line for each timer, with durations in three digits. Columns of what never happened, nothing
// open and no exit without enter, are left out.
func (s Snapshot) WriteTo(w io.Writer) (int64, error) {
	var open, strays bool
	for _, r := range s.Timers {
		open, strays = open || r.Open > 0, strays || r.Strays > 0
	}
	var b bytes.Buffer
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	line := func(name, count string, d func(i int) string, openText, strayText string) {
		fmt.Fprintf(t, "%s\t", count)
		for i := range durations {
			fmt.Fprintf(t, "%s\t", d(i))
		}
		if open {
			fmt.Fprintf(t, "%s\t", openText)
		}
		if strays {
			fmt.Fprintf(t, "%s\t", strayText)
		}
		fmt.Fprintf(t, "  %s\n", name) // behind the last cell, and so not aligned
	}
	line("Timer", "Count", func(i int) string { return durations[i].title }, "Open", "Strays")
	for i := range s.Timers {
		r := &s.Timers[i]
		line(r.Name, fmt.Sprint(r.Count), func(i int) string {
			if r.Count == 0 {
				return "-"
			}
			return short(durations[i].of(r)).String()
		}, fmt.Sprint(r.Open), fmt.Sprint(r.Strays))
	}
	t.Flush()
	return b.WriteTo(w)
}

// durations are the columns of durations.
var durations = []struct {
	title string
	of    func(*Row) time.Duration
}{
	{"Total", func(r *Row) time.Duration { return r.Total }},
	{"Min", func(r *Row) time.Duration { return r.Min }},
	{"Mean", func(r *Row) time.Duration { return r.Mean }},
	{"StdDev", func(r *Row) time.Duration { return r.StdDev }},
	{"50%", func(r *Row) time.Duration { return r.P50 }},
	{"90%", func(r *Row) time.Duration { return r.P90 }},
	{"99%", func(r *Row) time.Duration { return r.P99 }},
	{"99.9%", func(r *Row) time.Duration { return r.P999 }},
	{"Max", func(r *Row) time.Duration { return r.Max }},
}
