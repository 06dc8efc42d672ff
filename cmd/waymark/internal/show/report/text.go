package report

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/internal/text/names"
	"github.com/waymark-go/waymark/internal/text/table"
	"github.com/waymark-go/waymark/internal/text/units"
	"github.com/waymark-go/waymark/tracefile"
)

// writeText prints the table, and under it where the numbers come from.
func (r *Report) writeText(w io.Writer) error {
	if r.By == ByType {
		if err := r.writeTypes(w); err != nil {
			return err
		}
		return r.writeFoot(w)
	}
	rows, more := r.Rows()
	var t *table.Table
	switch {
	case r.Waiting && r.waits():
		t = r.waitingTable(rows)
	case r.By == ByGoroutine:
		t = r.goroutineTable(rows)
	case r.counted():
		t = table.Counted(r.calls(rows))
	default:
		t = table.Timed(r.head(), r.calls(rows))
		t.CutEnds = r.By == ByValue
	}
	if err := t.Write(w, r.Style); err != nil {
		return err
	}
	if more > 0 {
		if _, err := fmt.Fprintf(w, "  ... and %s more; --top N prints N, --top 0 all\n", units.Things(uint64(more), r.By.String())); err != nil {
			return err
		}
	}
	if line := r.tinyLine(rows); line != "" {
		if _, err := fmt.Fprintf(w, "  %s\n", line); err != nil {
			return err
		}
	}
	if len(r.types) > 0 && (r.statistics() || r.Objects() != "") {
		if err := r.writeTypes(w); err != nil {
			return err
		}
	}
	return r.writeFoot(w)
}

// heads are those of the column of names.
var heads = map[By]string{ByFunction: "Function", ByPackage: "Package", ByGroup: "Group"}

// head returns that of the column of names.
func (r *Report) head() string {
	if r.By == ByValue {
		return r.Value.String()
	}
	return heads[r.By]
}

// writeFoot says where the numbers come from, and what they lack.
func (r *Report) writeFoot(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s\n", r.summary())
	if left := recording.Sum(r.Recordings).LeftOut.String(); r.LeftOut && left != "" {
		fmt.Fprintln(&b, left)
	}
	if r.By == ByGoroutine {
		if n := recording.Sum(r.Recordings).Counted.Sum; n > 0 {
			fmt.Fprintf(&b, "%s not in the table: their goroutines are not known\n", units.Things(n, "counted call"))
		}
	}
	for _, line := range recording.LacksBeside(r.Recordings) {
		fmt.Fprintf(&b, "%s\n", line)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// calls returns the numbers of rows for a table.
func (r *Report) calls(rows []*Row) []table.Calls {
	list := make([]table.Calls, len(rows))
	for i, row := range rows {
		name := row.Name
		if r.By == ByFunction {
			name = r.names.Short(name)
		}
		list[i] = table.Calls{
			Name: name, Calls: row.Calls, Open: row.Open, Panics: row.Panics, Errors: row.Errors,
			Total: time.Duration(row.Total), Self: time.Duration(row.Self),
			Min: time.Duration(row.Min), Avg: time.Duration(row.Avg()), Max: time.Duration(row.Max),
			Objects: row.Objects, Bytes: row.Bytes,
			About: row.Demoted, AboutSelf: row.Estimate != nil, Untimed: row.Unknown(),
			AboutCalls: row.AboutCalls(),
		}
		if q := row.Quantiles; q != nil {
			list[i].Quantiles = []time.Duration{q.P50, q.P90, q.P99, q.P999}
		}
	}
	return list
}

// counted reports whether calls were counted and not timed.
func (r *Report) counted() bool {
	return r.statistics() && len(r.rows) > 0 && !slices.ContainsFunc(r.rows, func(r *Row) bool { return r.Max > 0 })
}

// statistics reports whether nothing was recorded.
func (r *Report) statistics() bool { return len(r.Recordings) > 0 && r.Recordings[0].Statistics }

// goroutineTable names the processes of goroutines if there are several processes, because ids are
// unique in one process only.
func (r *Report) goroutineTable(rows []*Row) *table.Table {
	several := len(r.Recordings) > 1
	t := &table.Table{Columns: []table.Column{
		{Head: "Total time", Right: true}, {Head: "Lifetime", Right: true}, {Head: "Calls", Right: true},
		{Head: "Min", Right: true, Spare: 1}, {Head: "Avg", Right: true, Spare: 3}, {Head: "Max", Right: true, Spare: 2},
		{Head: "Panics", Right: true}, {Head: "Errors", Right: true}, {Head: "Goroutine", Right: true}, {Head: "Created by"},
	}}
	if several {
		t.Columns = slices.Insert(t.Columns, 8, table.Column{Head: "Process", Right: true})
	}
	for _, row := range rows {
		g := &row.Goroutine
		t.Rows = append(t.Rows, []table.Cell{
			table.Duration(row.Total), table.Duration(g.End - g.Start), table.Count(row.Calls),
			table.Duration(row.Min), table.Duration(row.Avg()), table.Duration(row.Max), table.Panics(row.Panics), table.Errors(row.Errors),
			table.Count(g.ID), {Text: g.creation(r.names)},
		})
		if several {
			last := &t.Rows[len(t.Rows)-1]
			*last = slices.Insert(*last, 8, table.Cell{Text: g.Process})
		}
	}
	return t
}

// creation says where a goroutine comes from: "main.serve in goroutine 1 at server.go:12".
// There is nothing to say of the main goroutine, which has no parent.
func (g *Goroutine) creation(short *names.Set) string {
	if g.Parent == 0 {
		return ""
	}
	s := fmt.Sprintf("goroutine %d", g.Parent)
	if o := &g.Origin; o.Func != "" {
		s = fmt.Sprintf("%s in %s at %s:%d", short.Short(o.Func), s, filepath.Base(o.File), o.Line)
	}
	return s
}

// summary is the line about the recording.
func (r *Report) summary() string {
	s := recording.Sum(r.Recordings)
	name := filepath.Base(s.Info.Program) + ": "
	if n := len(r.Recordings); n > 1 {
		name += fmt.Sprintf("%d processes, ", n)
	}
	if r.statistics() {
		line := fmt.Sprintf("%s%s, %s", name, units.Duration(s.Duration), units.Things(s.Calls, "call"))
		if s.Goroutines > 0 { // they are not told apart without the clock
			line += ", " + units.Things(s.Goroutines, "goroutine")
		}
		return line
	}
	line := fmt.Sprintf("%s%s, %s, %s", name, units.Duration(s.Duration), units.Things(s.Events, "event"), units.Things(s.Goroutines, "goroutine"))
	switch {
	case s.Info.Lost > 0:
		return line + ", " + units.Things(s.Info.Lost, "event") + " lost"
	case s.Info.Stopped == tracefile.NotStopped: // else nobody knows
		line += ", no events lost"
	}
	return line
}
