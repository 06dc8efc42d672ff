package dashboard

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/screen/tui"
	"github.com/waymark-go/waymark/internal/program/control"
	"github.com/waymark-go/waymark/internal/text/names"
)

// A column of the functions: what it shows and how rows are sorted by it.
type column struct {
	tui.Column
	name  string // of --sort
	key   string // sorts by it
	value func(f *function) int64
	text  func(value int64) tui.Cell
}

// A function is a row.
type function struct {
	control.Numbers
	perSecond int64 // calls
}

func duration(ns int64) tui.Cell { return tui.Cell{Text: tui.Duration(ns)} }
func count(n int64) tui.Cell     { return tui.Cell{Text: strconv.FormatInt(n, 10)} }

// some returns a cell of a number that is 0 mostly.
func some(style tui.Style) func(n int64) tui.Cell {
	return func(n int64) tui.Cell {
		if n == 0 {
			return tui.Cell{Text: "-", Style: tui.Dim}
		}
		return tui.Cell{Text: strconv.FormatInt(n, 10), Style: style}
	}
}

func part(of func(*control.Parts) int64) func(f *function) int64 {
	return func(f *function) int64 {
		if f.Parts == nil {
			return 0
		}
		return of(f.Parts)
	}
}

var columns = []column{
	{tui.Column{Head: "Total", Right: true}, "total", "T", func(f *function) int64 { return f.TotalNS }, duration},
	{tui.Column{Head: "Self", Right: true}, "self", "S", func(f *function) int64 { return f.SelfNS }, duration},
	{tui.Column{Head: "Running", Right: true}, "running", "R", part(func(p *control.Parts) int64 { return p.RunningNS }), duration},
	{tui.Column{Head: "Runnable", Right: true}, "runnable", "B", part(func(p *control.Parts) int64 { return p.RunnableNS }), duration},
	{tui.Column{Head: "Waiting", Right: true}, "waiting", "W", part(func(p *control.Parts) int64 { return p.WaitingNS }), duration},
	{tui.Column{Head: "Calls", Right: true}, "calls", "C", func(f *function) int64 { return int64(f.Calls) }, count},
	{tui.Column{Head: "Calls/s", Right: true, Spare: 5}, "rate", "P", func(f *function) int64 { return f.perSecond }, some(tui.Plain)},
	{tui.Column{Head: "Avg", Right: true, Spare: 4}, "avg", "A", func(f *function) int64 { return f.AvgNS }, duration},
	{tui.Column{Head: "Max", Right: true, Spare: 3}, "max", "M", func(f *function) int64 { return f.MaxNS }, duration},
	{tui.Column{Head: "Panics", Right: true, Spare: 1}, "panics", "N", func(f *function) int64 { return int64(f.Panics) }, some(tui.Red)},
	{tui.Column{Head: "Errors", Right: true, Spare: 2}, "errors", "E", func(f *function) int64 { return int64(f.Errors) }, some(tui.Yellow)},
}

// Sorts returns the names of columns that functions are sorted by.
func Sorts() (list []string) {
	for _, c := range columns {
		list = append(list, c.name)
	}
	return list
}

// functions are the functions that are or were on, with their numbers.
type functions struct {
	list   tui.List
	short  *names.Set
	rows   []*function
	shown  []*function // of rows
	filter string
	on     map[string]bool // which are on; nil if that is not known

	calls map[string]uint64 // the time before
	at    time.Time
}

func (f *functions) init(sort string, short *names.Set) {
	f.short, f.on = short, make(map[string]bool)
	f.list = tui.List{Source: f, Sorted: 1, Empty: "Nothing is on. 2 lists groups and packages: space switches one on; a switches all functions on."}
	for i, c := range columns {
		f.list.Columns = append(f.list.Columns, c.Column)
		if c.name == sort {
			f.list.Sorted = i + 1
		}
	}
	f.list.Columns = append(f.list.Columns, tui.Column{Head: "Function"})
}

// tell takes in numbers.
func (f *functions) tell(list []control.Numbers, at time.Time) {
	chosen := f.chosen()
	calls := make(map[string]uint64, len(list))
	f.rows = f.rows[:0]
	for _, n := range list {
		row := &function{Numbers: n}
		if took := at.Sub(f.at).Seconds(); f.calls != nil && took > 0 && n.Calls >= f.calls[n.Function] {
			row.perSecond = int64(float64(n.Calls-f.calls[n.Function])/took + 0.5)
		}
		f.short.Add(n.Function)
		calls[n.Function] = n.Calls
		f.rows = append(f.rows, row)
	}
	f.calls, f.at = calls, at
	f.sort(chosen)
}

// sort sorts the rows and leaves out those that the filter is against. The function chosen stays so,
// if a user has chosen it.
func (f *functions) sort(chosen string) {
	value := columns[f.list.Sorted-1].value
	slices.SortStableFunc(f.rows, func(a, b *function) int {
		return cmp.Or(cmp.Compare(value(b), value(a)), cmp.Compare(a.Function, b.Function))
	})
	f.shown = f.shown[:0]
	for _, row := range f.rows {
		if strings.Contains(strings.ToLower(row.Function), strings.ToLower(f.filter)) {
			f.shown = append(f.shown, row)
		}
	}
	if i := slices.IndexFunc(f.shown, func(row *function) bool { return row.Function == chosen }); i >= 0 && f.list.At() > 0 {
		f.list.Go(i)
	}
}

// choose sets the filter.
func (f *functions) choose(filter string) {
	chosen := f.chosen()
	f.filter = filter
	f.sort(chosen)
}

// sortBy sorts by the column of a key, or by the next one of what is sorted by now.
func (f *functions) sortBy(key string) bool {
	chosen := f.chosen()
	switch i := slices.IndexFunc(columns, func(c column) bool { return c.key == key }); {
	case i >= 0:
		f.list.Sorted = i + 1
	case key == ">":
		f.list.Sorted = f.list.Sorted%len(columns) + 1
	case key == "<":
		f.list.Sorted = (f.list.Sorted+len(columns)-2)%len(columns) + 1
	default:
		return false
	}
	f.sort(chosen)
	return true
}

// chosen returns the name of the chosen function, "" if there is none.
func (f *functions) chosen() string {
	if i := f.list.At(); i >= 0 && i < len(f.shown) {
		return f.shown[i].Function
	}
	return ""
}

func (f *functions) Len() int { return len(f.shown) }

func (f *functions) Row(i int) []tui.Cell {
	row := f.shown[i]
	cells := make([]tui.Cell, 0, len(columns)+1)
	for _, c := range columns {
		cell := c.text(c.value(row))
		about := row.Untimed > 0 // some calls came too fast to be timed
		if c.name == "calls" || c.name == "rate" {
			about = row.Gaps
		}
		if about && cell.Text != "-" {
			cell.Text = "≈" + strings.TrimLeft(cell.Text, " ")
		}
		cells = append(cells, cell)
	}
	name := tui.Cell{Text: f.short.Short(row.Function)}
	if row.Open > 0 {
		name.Text += " (" + strconv.FormatUint(row.Open, 10) + " open)"
	}
	if f.on != nil && !f.on[row.Function] {
		name.Text += " (off)"
		name.Style = tui.Dim
	}
	return append(cells, name)
}
