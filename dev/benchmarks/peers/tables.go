package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/waymark-go/waymark/dev/benchmarks/measure"
	"github.com/waymark-go/waymark/dev/benchmarks/table"
)

// writeTables writes everything as Markdown.
func (s *summary) writeTables(w io.Writer) error {
	floor := s.floor()
	fmt.Fprintf(w, "%s\n%d rounds. The floor, two reads of the time stamp counter: p50 %.1f ns, p99 %.1f ns.\n\n",
		table.Machine(), s.rounds, measure.Median(floor), measure.Percentile(floor, 99))
	for _, write := range []func(io.Writer) error{s.writeBars, s.writeShapes, s.writePeers, s.writeReaders, s.writeAbsent} {
		if err := write(w); err != nil {
			return err
		}
	}
	return nil
}

func (s *summary) writeBars(w io.Writer) error {
	var rows [][]string
	for _, b := range bars() {
		rows = append(rows, b.cells(s))
	}
	fmt.Fprint(w, "### What is to be reached\n\n")
	return table.Write(w, []string{"Figure", "Bar", "Measured", "Reached"}, rows)
}

// writeShapes writes what waymark adds to each shape of calls, a table for each rung.
func (s *summary) writeShapes(w io.Writer) error {
	var rungs []string
	rows := map[string][][]string{}
	for _, r := range s.rows {
		if r.peer != waymarkName || r.shape == sustained {
			continue
		}
		if rows[r.rung] == nil {
			rungs = append(rungs, r.rung)
		}
		o := r.values(overNS)
		rows[r.rung] = append(rows[r.rung], []string{
			r.shape, nanoseconds(r.median(plainNS)), signed(measure.Median(o)), signed(measure.Percentile(o, 99)),
			fmt.Sprintf("%.2f", r.median(ratio)), r.allocsCell(), r.bytesCell(), r.lostCell(),
		})
	}
	for _, rung := range rungs {
		fmt.Fprintf(w, "### waymark, %s\n\n", rung)
		err := table.Write(w, []string{"Calls", "Plain, ns", "Adds p50, ns", "p99, ns", "x floor", "Allocations", "Bytes/event", "Lost"}, rows[rung])
		if err != nil {
			return err
		}
	}
	return nil
}

// writePeers writes a row for each rung of each tracer, waymark's too.
func (s *summary) writePeers(w io.Writer) error {
	var rows [][]string
	for _, r := range s.rows {
		if r.shape != "leaf" {
			continue
		}
		o := r.values(overNS)
		level := "-"
		if rec := s.find(r.peer, r.rung, "recursion 10"); rec != nil {
			level = signed(rec.median(overNS))
		}
		rows = append(rows, []string{
			r.peer, r.rung, signed(measure.Median(o)), signed(measure.Percentile(o, 99)), level,
			fmt.Sprintf("%.2f", r.median(ratio)), r.allocsCell(),
			s.whole(r).bytesCell(), s.whole(r).lostCell(), s.whole(r).rateCell(), s.against(r),
		})
	}
	if len(rows) == 0 {
		return nil
	}
	fmt.Fprint(w, "### Side by side\n\n")
	return table.Write(w, []string{"Tracer", "Rung", "Leaf p50, ns", "p99, ns", "Recursion level, ns", "x floor",
		"Allocations", "Bytes/event", "Lost", "M events/s", "x waymark"}, rows)
}

// whole returns the row about all that the rung records when nothing but traced calls
// is made, where that is measured apart.
func (s *summary) whole(r *row) *row {
	for _, shape := range []string{cCalls, sustained} {
		if all := s.find(r.peer, r.rung, shape); all != nil {
			return all
		}
	}
	return r
}

// against says how many times as much as waymark's rung a tracer's rung costs. It
// compares off with off, to a file with to a file, and all else with memory.
func (s *summary) against(r *row) string {
	rung := rungMemory
	switch {
	case strings.Contains(r.rung, "off") || r.rung == "no provider":
		rung = rungOff
	case strings.Contains(r.rung, "to file"):
		rung = rungFile
	}
	ours := s.find(waymarkName, rung, "leaf")
	if ours == nil || r.peer == waymarkName || ours.median(overNS) <= 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f", r.median(overNS)/ours.median(overNS))
}

func (s *summary) writeReaders(w io.Writer) error {
	var rows [][]string
	for _, r := range s.rows {
		if r.peer == readingName {
			rows = append(rows, []string{r.rung, fmt.Sprintf("%.1f", float64(r.results[0].Events)/1e6),
				fmt.Sprintf("%.1f", r.median(million(rate))), fmt.Sprintf("%.0f", r.median(million(memory)))})
		}
	}
	if len(rows) == 0 {
		return nil
	}
	fmt.Fprint(w, "### Reading\n\n")
	return table.Write(w, []string{"Reader", "M events", "M events/s", "Memory, MB"}, rows)
}

func (s *summary) writeAbsent(w io.Writer) error {
	var rows [][]string
	for _, a := range s.absent {
		rows = append(rows, []string{a.peer, a.why})
	}
	if len(rows) == 0 {
		return nil
	}
	fmt.Fprint(w, "### Absent\n\n")
	return table.Write(w, []string{"Tracer", "Why"}, rows)
}

// Cells. What isn't known is a dash.

func (r *row) allocsCell() string {
	if r.results[0].Allocs == nil {
		return "-"
	}
	return fmt.Sprintf("%.2g", r.median(allocs))
}

func (r *row) bytesCell() string {
	if r.results[0].Bytes == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", r.median(bytesPerEvent))
}

func (r *row) lostCell() string {
	if r.results[0].Lost == nil {
		return "-"
	}
	return fmt.Sprintf("%.4g %%", 100*r.median(lostShare))
}

// rateCell: where nothing but traced calls isn't measured apart, the rate is that of
// the loop that makes them.
func (r *row) rateCell() string {
	if r.results[0].PerSecond > 0 {
		return fmt.Sprintf("%.3g", r.median(million(rate)))
	}
	if !strings.Contains(r.rung, "to file") {
		return "-"
	}
	return fmt.Sprintf("%.3g", 2e3/r.median(tracedNS))
}

func nanoseconds(v float64) string { return strings.TrimPrefix(signed(v), "+") }

// signed prints as many digits as mean something.
func signed(v float64) string {
	switch {
	case v > -10 && v < 10:
		return fmt.Sprintf("%+.2f", v)
	case v > -1000 && v < 1000:
		return fmt.Sprintf("%+.1f", v)
	default:
		return fmt.Sprintf("%+.0f", v)
	}
}
