package viewer

import (
	"slices"
	"strconv"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/screen/tui"
	"github.com/waymark-go/waymark/cmd/waymark/internal/show/report"
	"github.com/waymark-go/waymark/internal/text/units"
)

// A column of the functions: how its cells are made, and what sorts rows by it.
type column struct {
	tui.Column
	key  string
	sort report.Sort
	cell func(*report.Row) tui.Cell
}

func duration(ns int64) tui.Cell { return tui.Cell{Text: tui.Duration(ns)} }
func count(n uint64) tui.Cell    { return tui.Cell{Text: strconv.FormatUint(n, 10)} }

// none is in place of a number that is not known, or 0 as mostly.
var none = tui.Cell{Text: "-", Style: tui.Dim}

// about returns the cell of a number that is estimated.
func about(c tui.Cell) tui.Cell {
	c.Text = "≈" + c.Text
	return c
}

// some returns a cell of a number that is 0 mostly.
func some(n uint64, style tui.Style) tui.Cell {
	if n == 0 {
		return none
	}
	return tui.Cell{Text: strconv.FormatUint(n, 10), Style: style}
}

// timed returns a cell of a time of a row; a ≈ marks what is estimated.
func timed(of func(*report.Row) int64) func(*report.Row) tui.Cell {
	return func(r *report.Row) tui.Cell {
		switch {
		case r.Unknown():
			return none
		case r.Demoted:
			return about(duration(of(r)))
		}
		return duration(of(r))
	}
}

// selfOf returns the cell of a row's own time, which is estimated also where calls that it made are.
func selfOf(r *report.Row) tui.Cell {
	c := timed(func(r *report.Row) int64 { return r.Self })(r)
	if r.Estimate != nil && !r.Demoted {
		return about(c)
	}
	return c
}

// callsOf returns the cell of a row's number of calls, which a strict budget estimates.
func callsOf(r *report.Row) tui.Cell {
	if r.AboutCalls() {
		return about(count(r.Calls))
	}
	return count(r.Calls)
}

// columnsOf returns the columns that a report has numbers for.
func columnsOf(r *report.Report) []column {
	head := func(text string, spare int) tui.Column { return tui.Column{Head: text, Right: true, Spare: spare} }
	list := []column{
		{head("Total", 0), "T", report.SortTotal, timed(func(r *report.Row) int64 { return r.Total })},
		{head("Self", 0), "S", report.SortSelf, selfOf},
	}
	if r.Waits() {
		list = append(list,
			column{head("Running", 5), "R", report.SortRunning, timed(func(r *report.Row) int64 { return r.Off.Total.Running(r.Total) })},
			column{head("Runnable", 4), "B", report.SortRunnable, timed(func(r *report.Row) int64 { return r.Off.Total.Runnable })},
			column{head("Waiting", 5), "W", report.SortWaiting, timed(func(r *report.Row) int64 { return r.Off.Total.Waited() })})
	}
	list = append(list,
		column{head("Calls", 0), "C", report.SortCalls, callsOf},
		column{head("Avg", 3), "A", report.SortAvg, timed((*report.Row).Avg)},
		column{head("Max", 3), "M", report.SortMax, timed(func(r *report.Row) int64 { return r.Max })},
		column{head("Panics", 2), "P", report.SortPanics, func(r *report.Row) tui.Cell { return some(r.Panics, tui.Red) }},
		column{head("Errors", 2), "E", report.SortErrors, func(r *report.Row) tui.Cell { return some(r.Errors, tui.Yellow) }})
	if r.Makes() {
		list = append(list,
			column{head("Objects", 1), "O", report.SortObjects, func(r *report.Row) tui.Cell { return some(r.Objects, tui.Plain) }},
			column{head("Bytes", 1), "Y", report.SortBytes, func(r *report.Row) tui.Cell { return tui.Cell{Text: units.Bytes(int64(r.Bytes))} }})
	}
	return list
}

// functions are the table of functions.
type functions struct {
	list    tui.List
	report  *report.Report
	columns []column
	all     []*report.Row // sorted
	shown   []*report.Row // of all
	filter  string
}

func (f *functions) set(r *report.Report) {
	f.report, f.columns = r, columnsOf(r)
	f.list.Columns = nil
	for _, c := range f.columns {
		f.list.Columns = append(f.list.Columns, c.Column)
	}
	f.list.Columns = append(f.list.Columns, tui.Column{Head: "Function"})
	f.list.Sorted = 1
	f.list.Empty = "No call of an instrumented function is recorded."
	f.sort()
}

func (f *functions) sort() {
	f.report.Sort = f.columns[f.list.Sorted-1].sort
	f.all, _ = f.report.Rows()
	f.choose(f.filter)
}

// choose shows the functions whose names have a text.
func (f *functions) choose(filter string) {
	f.filter = filter
	f.shown = f.shown[:0]
	for _, row := range f.all {
		if strings.Contains(strings.ToLower(row.Name), strings.ToLower(filter)) {
			f.shown = append(f.shown, row)
		}
	}
}

// press sorts or moves the choice, and reports whether the key does so.
func (f *functions) press(key string) bool {
	switch i := slices.IndexFunc(f.columns, func(c column) bool { return c.key == key }); {
	case i >= 0:
		f.list.Sorted = i + 1
	case key == ">":
		f.list.Sorted = f.list.Sorted%len(f.columns) + 1
	case key == "<":
		f.list.Sorted = (f.list.Sorted+len(f.columns)-2)%len(f.columns) + 1
	case key == "esc" && f.filter != "":
		f.choose("")
		return true
	default:
		return f.list.Press(key)
	}
	f.sort()
	f.list.Go(0)
	return true
}

// chosen returns the chosen function, nil if there is none.
func (f *functions) chosen() *report.Row {
	if i := f.list.At(); i >= 0 && i < len(f.shown) {
		return f.shown[i]
	}
	return nil
}

func (f *functions) Len() int { return len(f.shown) }

func (f *functions) Row(i int) []tui.Cell {
	row := f.shown[i]
	cells := make([]tui.Cell, 0, len(f.columns)+1)
	for _, c := range f.columns {
		cells = append(cells, c.cell(row))
	}
	name := tui.Cell{Text: f.report.Short(row.Name)}
	if row.Open > 0 {
		name.Text += " (" + strconv.FormatUint(row.Open, 10) + " open)"
	}
	return append(cells, name)
}
