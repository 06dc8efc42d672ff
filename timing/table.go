package timing

import (
	"bytes"
	"io"
	"time"

	"github.com/waymark-go/waymark/internal/text/table"
)

// WriteTo implements io.WriterTo: it writes a table for people, with a line for each timer. The
// columns Open and Strays are left out if they hold nothing but zeros.
func (s *Snapshot) WriteTo(w io.Writer) (int64, error) {
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

// String returns what WriteTo writes.
func (s *Snapshot) String() string {
	var b bytes.Buffer
	s.WriteTo(&b)
	return b.String()
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
