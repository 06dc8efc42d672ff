package timing

import (
	"bytes"
	"io"
	"time"

	"github.com/waymark-go/waymark/internal/table"
)

// WriteTo writes a table for people: a line for each timer. Columns of what never happened, nothing
// open and no exit without enter, are left out.
func (s Snapshot) WriteTo(w io.Writer) (int64, error) {
	var open, strays bool
	for _, r := range s.Timers {
		open, strays = open || r.Open > 0, strays || r.Strays > 0
	}
	t := &table.Table{Columns: []table.Column{{Head: "Count", Right: true}}}
	for i := range durations {
		t.Columns = append(t.Columns, table.Column{Head: durations[i].title, Right: true})
	}
	if open {
		t.Columns = append(t.Columns, table.Column{Head: "Open", Right: true})
	}
	if strays {
		t.Columns = append(t.Columns, table.Column{Head: "Strays", Right: true})
	}
	t.Columns = append(t.Columns, table.Column{Head: "Timer"})
	for i := range s.Timers {
		r := &s.Timers[i]
		row := []table.Cell{table.Count(r.Count)}
		for j := range durations {
			if r.Count == 0 {
				row = append(row, table.None)
			} else {
				row = append(row, table.Duration(durations[j].of(r)))
			}
		}
		if open {
			row = append(row, table.Count(uint64(r.Open)))
		}
		if strays {
			row = append(row, table.Count(r.Strays))
		}
		t.Rows = append(t.Rows, append(row, table.Cell{Text: r.Name}))
	}
	var b bytes.Buffer
	if err := t.Write(&b, table.Style{}); err != nil {
		return 0, err
	}
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
