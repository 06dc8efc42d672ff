package report

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/waymark-go/waymark/stats"
	"github.com/waymark-go/waymark/tracefile"
)

// writeText prints the table, and under it where the numbers come from.
func (r *Report) writeText(w io.Writer) error {
	rows, more := r.Rows()
	var t *table
	switch {
	case r.By == ByGoroutine:
		t = goroutineTable(rows, len(r.Recordings) > 1)
	case r.counted():
		t = countTable(rows)
	default:
		t = functionTable(rows, r.By)
	}
	if err := t.write(w, r.Colour); err != nil {
		return err
	}
	if more > 0 {
		if _, err := fmt.Fprintf(w, "  ... and %s more\n", Things(uint64(more), r.By.String())); err != nil {
			return err
		}
	}
	return r.writeFoot(w)
}

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

func functionTable(rows []*Row, by By) *table {
	name := map[By]string{ByFunction: "Function", ByPackage: "Package", ByGroup: "Group"}[by]
	t := &table{columns: []column{
		{"Total time", true}, {"Self time", true}, {"Calls", true},
		{"Min", true}, {"Avg", true}, {"Max", true}, {"Panics", true}, {name, false},
	}}
	quantiles := slices.ContainsFunc(rows, func(r *Row) bool { return r.Quantiles != nil })
	if quantiles {
		t.columns = slices.Insert(t.columns, 6, column{"p50", true}, column{"p90", true}, column{"p99", true}, column{"p99.9", true})
	}
	for _, r := range rows {
		row := []cell{
			durationCell(r.Total), durationCell(r.Self), {strconv.FormatUint(r.Calls, 10), plain},
			durationCell(r.Min), durationCell(r.Avg()), durationCell(r.Max), panicsCell(r.Panics), {r.Name, plain},
		}
		if quantiles {
			row = slices.Insert(row, 6, quantileCells(r.Quantiles)...)
		}
		t.rows = append(t.rows, row)
	}
	return t
}

// counted tells whether calls were counted and not timed.
func (r *Report) counted() bool {
	return r.statistics() && len(r.rows) > 0 && !slices.ContainsFunc(r.rows, func(r *Row) bool { return r.Max > 0 })
}

// statistics tells whether nothing was recorded.
func (r *Report) statistics() bool { return len(r.Recordings) > 0 && r.Recordings[0].Statistics }

func countTable(rows []*Row) *table {
	t := &table{columns: []column{{"Calls", true}, {"Function", false}}}
	for _, r := range rows {
		t.rows = append(t.rows, []cell{{strconv.FormatUint(r.Calls, 10), plain}, {r.Name, plain}})
	}
	return t
}

func quantileCells(q *stats.Quantiles) []cell {
	if q == nil {
		return []cell{{"-", dim}, {"-", dim}, {"-", dim}, {"-", dim}}
	}
	return []cell{durationCell(int64(q.P50)), durationCell(int64(q.P90)), durationCell(int64(q.P99)), durationCell(int64(q.P999))}
}

// goroutineTable names the processes of goroutines if there are several, as ids
// are unique in one only.
func goroutineTable(rows []*Row, several bool) *table {
	t := &table{columns: []column{
		{"Total time", true}, {"Lifetime", true}, {"Calls", true},
		{"Min", true}, {"Avg", true}, {"Max", true}, {"Panics", true}, {"Goroutine", true}, {"Created by", false},
	}}
	if several {
		t.columns = slices.Insert(t.columns, 7, column{"Process", true})
	}
	for _, r := range rows {
		g := &r.Goroutine
		t.rows = append(t.rows, []cell{
			durationCell(r.Total), durationCell(g.End - g.Start), {strconv.FormatUint(r.Calls, 10), plain},
			durationCell(r.Min), durationCell(r.Avg()), durationCell(r.Max), panicsCell(r.Panics),
			{strconv.FormatUint(g.ID, 10), plain}, {g.creation(), plain},
		})
		if several {
			last := &t.rows[len(t.rows)-1]
			*last = slices.Insert(*last, 7, cell{g.Process, plain})
		}
	}
	return t
}

// creation says where a goroutine comes from: "main.serve in goroutine 1 at server.go:12".
// There is nothing to say of the main goroutine, which has no parent.
func (g *Goroutine) creation() string {
	if g.Parent == 0 {
		return ""
	}
	s := fmt.Sprintf("goroutine %d", g.Parent)
	if o := &g.Origin; o.Func != "" {
		s = fmt.Sprintf("%s in %s at %s:%d", o.Func, s, filepath.Base(o.File), o.Line)
	}
	return s
}

// durationCell pads the unit, so that numbers are aligned, and colours what is long.
func durationCell(ns int64) cell {
	number, unit := splitDuration(ns)
	c := plain
	switch unit {
	case "ms":
		c = green
	case "s":
		c = yellow
	case "m", "h":
		c = red
	}
	return cell{fmt.Sprintf("%s %2s", number, unit), c}
}

// panicsCell makes the rows with panics stand out.
func panicsCell(n uint64) cell {
	if n == 0 {
		return cell{"-", dim}
	}
	return cell{strconv.FormatUint(n, 10), red}
}

// summary is the line about the recording.
func (r *Report) summary() string {
	s := r.sum()
	name := filepath.Base(s.Info.Program) + ": "
	if n := len(r.Recordings); n > 1 {
		name += fmt.Sprintf("%d processes, ", n)
	}
	if r.statistics() {
		line := fmt.Sprintf("%s%s, %s", name, Duration(s.Duration), Things(s.Calls, "call"))
		if s.Goroutines > 0 { // they are not told apart without the clock
			line += ", " + Things(s.Goroutines, "goroutine")
		}
		return line
	}
	line := fmt.Sprintf("%s%s, %s, %s", name, Duration(s.Duration), Things(s.Events, "event"), Things(s.Goroutines, "goroutine"))
	switch {
	case s.Info.Lost > 0:
		return line + ", " + Things(s.Info.Lost, "event") + " lost"
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
		lines = append([]string{Things(lost, "event") + " lost: calls are missing"}, lines...)
	}
	return lines
}

// lacks says what makes the numbers incomplete, lost events apart.
func (r *Report) lacks() []string {
	var lines []string
	for _, rec := range r.Recordings {
		if rec.Statistics {
			if rec.Killed {
				lines = append(lines, fmt.Sprintf("process %s was killed or crashed: its numbers are of its first %s", rec.Process, Duration(rec.Duration)))
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
			lines = append(lines, fmt.Sprintf("%s: %s of the recording missing", name, Things(uint64(n), "part")))
		}
	}
	say := func(n uint64, noun, text string) {
		if n > 0 {
			lines = append(lines, Things(n, noun)+" "+text)
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
	missing := fmt.Sprintf("what the program did after %s is not in it", Duration(int64(i.Duration)))
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
		return fmt.Sprintf("the program was killed or crashed; %s recovered from its buffers", Things(i.Recovered, "event"))
	}
	return ""
}

// beginning says why the recording begins after its program did, "" if it does not.
func beginning(i tracefile.Info) string {
	switch {
	case i.From == 0:
		return ""
	case i.Ring:
		return fmt.Sprintf("a window: what happened before %s was overwritten", Duration(int64(i.From)))
	}
	return fmt.Sprintf("part %d: what happened before %s is in earlier parts", i.Part, Duration(int64(i.From)))
}
