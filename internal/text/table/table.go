// Package table writes tables for people, on terminals and elsewhere.
//
//	t := table.Table{Columns: []table.Column{{Head: "Calls", Right: true}, {Head: "Function"}}}
//	t.Rows = append(t.Rows, []table.Cell{table.Count(7), {Text: "main.main"}})
//	t.Write(os.Stdout, table.Style{})
package table

import (
	"bufio"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Table is text in columns under an underlined head.
type Table struct {
	Columns []Column
	Rows    [][]Cell
	Stream  func(row func([]Cell)) // instead of Rows that would take much memory; called twice
	CutEnds bool                   // of names: they begin with what says most
}

// A Column is the head of a column. The last column holds names: where a line is too long, Write
// cuts the beginning of the name.
type Column struct {
	Head  string
	Right bool // aligned
	Spare int  // columns are left out where names have no room: 1 first, 0 never
}

// A Cell is a text in a row.
type Cell struct {
	Text   string
	Colour Colour
}

// A Style says how a table is written. The zero value is for files.
type Style struct {
	Colour bool
	Width  int // of lines at most; 0 is no limit
}

// A Colour is an escape sequence of terminals, "" for none.
type Colour string

const (
	Plain  Colour = ""
	Bold   Colour = "\x1b[1m"
	Dim    Colour = "\x1b[2m"
	Red    Colour = "\x1b[31m"
	Green  Colour = "\x1b[32m"
	Yellow Colour = "\x1b[33m"
	reset         = "\x1b[0m"
)

const (
	gap   = "  " // before each column
	roomy = 24   // room of names below which columns are left out
)

// Write writes the table, and the heads of columns that have no room in a line below it. It writes
// nothing if there are no columns.
func (t *Table) Write(w io.Writer, s Style) error {
	if len(t.Columns) == 0 {
		return nil
	}
	widths := t.widths()
	shown, left := t.fit(widths, s.Width)
	head, rule := make([]Cell, len(t.Columns)), make([]Cell, len(t.Columns))
	for i, c := range t.Columns {
		head[i] = Cell{c.Head, Bold}
		rule[i] = Cell{strings.Repeat("-", widths[i]), Plain}
	}
	b := bufio.NewWriter(w)
	line := func(row []Cell) {
		for len(row) > 0 && row[len(row)-1].Text == "" {
			row = row[:len(row)-1]
		}
		for _, i := range shown {
			if i >= len(row) {
				break // nothing follows the last column that has a text
			}
			b.WriteString(gap)
			t.cell(b, i, row[i], widths[i], i < len(row)-1, s.Colour)
		}
		b.WriteByte('\n')
	}
	line(head)
	line(rule)
	t.each(line)
	if len(left) > 0 {
		b.WriteString(gap + "(" + strconv.Itoa(s.Width) + " columns have no room: " + strings.Join(left, ", ") + ")\n")
	}
	return b.Flush()
}

// each calls f for the rows.
func (t *Table) each(f func(row []Cell)) {
	if t.Stream != nil {
		t.Stream(f)
		return
	}
	for _, row := range t.Rows {
		f(row)
	}
}

// widths returns the widths of the columns.
func (t *Table) widths() []int {
	widths := make([]int, len(t.Columns))
	for i, c := range t.Columns {
		widths[i] = width(c.Head)
	}
	t.each(func(row []Cell) {
		for i, c := range row {
			widths[i] = max(widths[i], width(c.Text))
		}
	})
	return widths
}

// fit returns the columns that are shown, and the heads of the others. Where the length of a line
// is limited, fit leaves out spare columns until names have room. Then names get the room that is
// left.
func (t *Table) fit(widths []int, limit int) (shown []int, left []string) {
	last := len(widths) - 1
	spares, room := 0, limit-len(gap)
	for i, c := range t.Columns[:last] {
		spares = max(spares, c.Spare)
		room -= widths[i] + len(gap)
	}
	dropped := make([]bool, len(widths))
	for spare := 1; limit > 0 && spare <= spares && room < min(widths[last], roomy); spare++ {
		for i, c := range t.Columns {
			if c.Spare == spare {
				dropped[i] = true
				room += widths[i] + len(gap)
				left = append(left, c.Head)
			}
		}
	}
	for i := range widths {
		if !dropped[i] {
			shown = append(shown, i)
		}
	}
	if limit > 0 { // a column is never narrower than its head
		widths[last] = min(widths[last], max(room, width(t.Columns[last].Head)))
	}
	return shown, left
}

// cut returns the end of a name, which says more than its beginning. It keeps indentation up to
// half of the room.
func cut(name string, room int) string {
	text := []rune(strings.TrimLeft(name, " "))
	indent := min(width(name)-len(text), max(room-len(text)-1, room/2))
	if n := room - indent - 1; len(text) > n {
		text = text[len(text)-max(n, 0):]
	}
	return strings.Repeat(" ", indent) + "…" + string(text)
}

func width(s string) int { return utf8.RuneCountInString(s) }

// cell writes a cell of the i-th column; padded says that other cells follow.
func (t *Table) cell(b *bufio.Writer, i int, c Cell, room int, padded, coloured bool) {
	switch { // in the last column
	case width(c.Text) <= room:
	case t.CutEnds:
		c.Text = string([]rune(c.Text)[:room-1]) + "…"
	default:
		c.Text = cut(c.Text, room)
	}
	pad := strings.Repeat(" ", room-width(c.Text))
	if t.Columns[i].Right {
		b.WriteString(pad)
	}
	if coloured && c.Colour != Plain {
		b.WriteString(string(c.Colour) + c.Text + reset)
	} else {
		b.WriteString(c.Text)
	}
	if !t.Columns[i].Right && padded {
		b.WriteString(pad)
	}
}
