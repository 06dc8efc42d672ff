package report

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/waymark-go/waymark/internal/names"
	"github.com/waymark-go/waymark/internal/table"
	"github.com/waymark-go/waymark/internal/units"
	"github.com/waymark-go/waymark/tracefile"
)

// writeText prints the table, and under it where the numbers come from.
func (r *Report) writeText(w io.Writer) error {
	rows, more := r.Rows()
	var t *table.Table
	switch {
	case r.By == ByGoroutine:
		t = r.goroutineTable(rows)
	case r.counted():
		t = table.Counted(r.calls(rows))
	default:
		t = table.Timed(heads[r.By], r.calls(rows))
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
	return r.writeFoot(w)
}

// heads are those of the column of names.
var heads = map[By]string{ByFunction: "Function", ByPackage: "Package", ByGroup: "Group"}

// writeFoot says where the numbers come from, and what they lack.
func (r *Report) writeFoot(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s\n", r.summary())
	for _, line := range r.lacks() {
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
		}
		if q := row.Quantiles; q != nil {
			list[i].Quantiles = []time.Duration{q.P50, q.P90, q.P99, q.P999}
		}
	}
	return list
}

// counted tells whether calls were counted and not timed.
func (r *Report) counted() bool {
	return r.statistics() && len(r.rows) > 0 && !slices.ContainsFunc(r.rows, func(r *Row) bool { return r.Max > 0 })
}

// statistics tells whether nothing was recorded.
func (r *Report) statistics() bool { return len(r.Recordings) > 0 && r.Recordings[0].Statistics }

// goroutineTable names the processes of goroutines if there are several, as ids
// are unique in one only.
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
	s := r.sum()
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

// Lacks says what is missing in recordings, in lines, for what is printed without saying so. Calls
// that had not ended are not missing.
func Lacks(recordings []Recording) []string {
	r := Report{Recordings: slices.Clone(recordings)}
	for i := range r.Recordings {
		r.Recordings[i].Open = 0
	}
	lines := r.lacks()
	if lost := r.sum().Info.Lost; lost > 0 {
		lines = append([]string{units.Things(lost, "event") + " lost: calls are missing"}, lines...)
	}
	return lines
}

// lacks says what makes the numbers incomplete, lost events apart.
func (r *Report) lacks() []string {
	var lines []string
	for _, rec := range r.Recordings {
		if rec.Statistics {
			if rec.Killed {
				lines = append(lines, fmt.Sprintf("process %s was killed or crashed: its numbers are of its first %s", rec.Process, units.Duration(rec.Duration)))
			}
			continue
		}
		name := filepath.Base(rec.Files[0])
		for _, state := range []string{completeness(rec.Info), beginning(rec.Info)} {
			if state != "" {
				lines = append(lines, name+": "+state)
			}
		}
		if n := rec.Info.Missing; n > 0 {
			lines = append(lines, fmt.Sprintf("%s: %s of the recording missing", name, units.Things(uint64(n), "part")))
		}
	}
	say := func(n uint64, noun, text string) {
		if n > 0 {
			lines = append(lines, units.Things(n, noun)+" "+text)
		}
	}
	s := r.sum()
	say(uint64(s.Info.Damaged), "byte", "damaged and left out")
	if s.Past {
		say(s.Open, "call", "not ended in the window, counted until it ends")
	} else {
		say(s.Open, "call", "not ended, counted until the end")
	}
	p := s.Problems
	say(p.Cut, "call", "without a recorded end, counted until an event shows that it is over")
	say(p.Unmatched, "call", "without a recorded beginning, left out")
	say(p.Unknown, "event", "of no known goroutine or function, left out")
	say(p.Backward, "event", "earlier than the one before, taken as simultaneous")
	return lines
}

// Stopped says why recording ended before the program did, "" if it did not.
func Stopped(i tracefile.Info) string {
	missing := fmt.Sprintf("what the program did after %s is not in it", units.Duration(int64(i.Duration)))
	switch i.Stopped {
	case tracefile.StoppedFull:
		return "recording stopped when the file had the size of --max-size; " + missing
	case tracefile.StoppedFailed:
		return "recording stopped when the file could not be written; " + missing
	}
	return ""
}

// completeness says why the recording ends before its program did, "" if it does not.
func completeness(i tracefile.Info) string {
	switch {
	case i.Stopped != tracefile.NotStopped:
		return Stopped(i)
	case i.RecoveryErr != nil:
		return fmt.Sprintf("the program was killed or crashed, and its last events are missing: %v", i.RecoveryErr)
	case i.Live:
		return "still being recorded"
	case !i.Complete && i.Recovered == 0: // as where buffers don't survive the program
		return "the program was killed or crashed; its last events may be missing"
	case !i.Complete:
		return fmt.Sprintf("the program was killed or crashed; %s recovered from its buffers", units.Things(i.Recovered, "event"))
	}
	return ""
}

// beginning says why the recording begins after its program did, "" if it does not.
func beginning(i tracefile.Info) string {
	switch {
	case i.From == 0:
		return ""
	case i.Ring:
		return fmt.Sprintf("a window: what happened before %s was overwritten", units.Duration(int64(i.From)))
	}
	return fmt.Sprintf("part %d: what happened before %s is in earlier parts", i.Part, units.Duration(int64(i.From)))
}
