package table

import (
	"strconv"
	"strings"
	"time"

	"github.com/waymark-go/waymark/internal/text/units"
)

// Calls are the numbers of a row: of the calls of a function, a package or a group.
type Calls struct {
	Name                       string
	Calls, Open                uint64 // Open calls have not ended
	Panics, Errors             uint64
	Objects, Bytes             uint64 // of the heap
	Total, Self, Min, Avg, Max time.Duration
	About                      bool            // all but Calls is estimated
	AboutCalls                 bool            // Calls is
	AboutSelf, AboutTotal      bool            // Self or Total is estimated
	Untimed                    bool            // nothing but Calls is known
	Quantiles                  []time.Duration // in the order of quantiles; nil if they are not known
	Parts                      []time.Duration // of Total, in the order of Parts; nil if they are not known
}

// Parts are the columns of times in which goroutines ran, were ready and waited.
var Parts = []Column{{Head: "Running", Right: true}, {Head: "Runnable", Right: true}, {Head: "Waiting", Right: true}}

var quantiles = []string{"p50", "p90", "p99", "p99.9"}

// Timed returns a table of calls with their times. head is the head of the column of names.
func Timed(head string, rows []Calls) *Table {
	panics, errors := Column{"Panics", true, 1}, Column{"Errors", true, 1}
	distributed, makes, waits := false, false, false
	for i := range rows {
		if rows[i].Panics > 0 {
			panics.Spare = 0
		}
		if rows[i].Errors > 0 {
			errors.Spare = 0
		}
		distributed = distributed || rows[i].Quantiles != nil
		waits = waits || rows[i].Parts != nil
		makes = makes || rows[i].Objects > 0
	}
	t := &Table{Columns: []Column{{"Total time", true, 0}}}
	if waits {
		t.Columns = append(t.Columns, Parts...)
	}
	t.Columns = append(t.Columns,
		Column{"Self time", true, 0}, Column{"Calls", true, 0}, Column{"Min", true, 2}, Column{"Avg", true, 4}, Column{"Max", true, 3})
	if distributed {
		for _, q := range quantiles {
			t.Columns = append(t.Columns, Column{q, true, 5})
		}
	}
	t.Columns = append(t.Columns, panics, errors)
	if makes {
		t.Columns = append(t.Columns, Column{"Objects", true, 0}, Column{"Bytes", true, 0})
	}
	t.Columns = append(t.Columns, Column{Head: head})
	for i := range rows {
		r := &rows[i]
		row := []Cell{r.total()}
		for j := 0; waits && j < len(Parts); j++ {
			if r.Parts == nil {
				row = append(row, None)
			} else {
				row = append(row, r.duration(r.Parts[j]))
			}
		}
		row = append(row, r.self(), r.count())
		for _, d := range []time.Duration{r.Min, r.Avg, r.Max} {
			if r.allOpen() {
				row = append(row, Cell{"open", Dim}) // no call has ended, so no duration is known
			} else {
				row = append(row, r.duration(d))
			}
		}
		for j := 0; distributed && j < len(quantiles); j++ {
			if r.Quantiles == nil {
				row = append(row, None)
			} else {
				row = append(row, Duration(r.Quantiles[j]))
			}
		}
		row = append(row, r.some(Panics(r.Panics)), r.some(Errors(r.Errors)))
		if makes {
			row = append(row, Count(r.Objects), Cell{Text: units.Bytes(int64(r.Bytes))})
		}
		t.Rows = append(t.Rows, append(row, Cell{r.Name + r.mark(), Plain}))
	}
	return t
}

// PathColumns are the columns of a call tree before those of names.
var PathColumns = []Column{
	{Head: "Total time", Right: true}, {Head: "Self time", Right: true}, {Head: "%", Right: true},
	{Head: "Calls", Right: true}, {Head: "Panics", Right: true}, {Head: "Errors", Right: true},
}

// Path returns the cells of PathColumns for calls on one path, as a share of all time. How many of a
// function's counted calls were on the path is estimated, too.
func (c *Calls) Path(all time.Duration) []Cell {
	on := *c
	on.AboutCalls = c.AboutCalls || c.About && !c.Untimed
	percent := 100 * float64(c.Total) / float64(max(all, 1))
	return []Cell{
		c.total(), c.self(), {Text: strconv.FormatFloat(percent, 'f', 1, 64)},
		on.count(), c.some(Panics(c.Panics)), c.some(Errors(c.Errors)),
	}
}

// Counted returns a table of the numbers of calls.
func Counted(rows []Calls) *Table {
	t := &Table{Columns: []Column{{"Calls", true, 0}, {Head: "Function"}}}
	for i := range rows {
		t.Rows = append(t.Rows, []Cell{rows[i].count(), {rows[i].Name, Plain}})
	}
	return t
}

// count returns the cell of the number of calls.
func (c *Calls) count() Cell {
	if c.AboutCalls {
		return Count(c.Calls).About()
	}
	return Count(c.Calls)
}

// duration returns a cell of a time of the calls.
func (c *Calls) duration(d time.Duration) Cell {
	switch {
	case c.Untimed:
		return None
	case c.About:
		return Duration(d).About()
	}
	return Duration(d)
}

func (c *Calls) total() Cell { return c.durationIf(c.AboutTotal, c.Total) }
func (c *Calls) self() Cell  { return c.durationIf(c.AboutSelf, c.Self) }

// durationIf returns a cell of a time that may be estimated where others are not.
func (c *Calls) durationIf(about bool, d time.Duration) Cell {
	of := *c
	of.About = of.About || about
	return of.duration(d)
}

// some returns a cell of the number of calls of a kind.
func (c *Calls) some(n Cell) Cell {
	switch {
	case c.Untimed:
		return None
	case c.About && n != None:
		return n.About()
	}
	return n
}

func (c *Calls) allOpen() bool { return c.Open > 0 && c.Open == c.Calls }

// mark returns what stands behind the name: how many of the calls are open.
func (c *Calls) mark() string {
	switch {
	case c.Open == 0:
		return ""
	case c.allOpen():
		return AllOpen
	}
	return " (" + units.Count(c.Open) + " open)"
}

// AllOpen stands behind the name of a function none of whose calls has ended.
const AllOpen = " (open)"

// None is a cell for a number that does not exist.
var None = Cell{"-", Dim}

// Count returns a cell with a number.
func Count(n uint64) Cell { return Cell{strconv.FormatUint(n, 10), Plain} }

// Duration returns a cell with a duration, whose colour shows its magnitude.
func Duration[T ~int64](ns T) Cell {
	c := Plain
	switch d := time.Duration(ns); {
	case d >= time.Minute:
		c = Red
	case d >= time.Second:
		c = Yellow
	case d >= time.Millisecond:
		c = Green
	}
	return Cell{units.Aligned(ns), c}
}

// About returns the cell of a number that is estimated.
func (c Cell) About() Cell {
	c.Text = "≈" + strings.TrimLeft(c.Text, " ")
	return c
}

// Panics returns a cell that makes rows with panics stand out.
func Panics(n uint64) Cell { return marked(n, Red) }

// Errors returns a cell that makes rows with errors stand out.
func Errors(n uint64) Cell { return marked(n, Yellow) }

func marked(n uint64, c Colour) Cell {
	if n == 0 {
		return None
	}
	return Cell{strconv.FormatUint(n, 10), c}
}
