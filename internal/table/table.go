// Package table writes tables for people, on terminals and elsewhere.
package table

import (
	"bufio"
	"io"
	"strings"
	"unicode/utf8"
)

// A Table is text in columns, with a head that is underlined.
type Table struct {
	Columns []Column
	Rows    [][]Cell
}

// A Column is the head of one. The last column holds names: where a line is too long, the name is
// cut at its beginning.
type Column struct {
	Head  string
	Right bool // aligned
	Spare int  // where names have no room, columns are left out from 1 on; 0 stays
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
	roomy = 32   // what names get before columns are left out for them
)

// Write writes the table, and the heads of columns that have no room in a line below it.
func (t *Table) Write(w io.Writer, s Style) error {
	widths := t.widths()
	var left []string
	if s.Width > 0 {
		t, widths, left = t.fit(widths, s.Width)
	}
	last := len(t.Columns) - 1
	head, rule := make([]Cell, len(t.Columns)), make([]Cell, len(t.Columns))
	for i, c := range t.Columns {
		head[i] = Cell{c.Head, Bold}
		rule[i] = Cell{strings.Repeat("-", widths[i]), Plain}
	}
	b := bufio.NewWriter(w)
	t.line(b, head, widths, s.Colour)
	t.line(b, rule, widths, s.Colour)
	for _, row := range t.Rows {
		if width(row[last].Text) > widths[last] {
			row = append([]Cell(nil), row...)
			row[last].Text = cut(row[last].Text, widths[last])
		}
		t.line(b, row, widths, s.Colour)
	}
	if len(left) > 0 {
		b.WriteString(gap + "(no room for " + strings.Join(left, ", ") + ")\n")
	}
	return b.Flush()
}

// widths returns those of the columns.
func (t *Table) widths() []int {
	widths := make([]int, len(t.Columns))
	for i, c := range t.Columns {
		widths[i] = width(c.Head)
		for _, row := range t.Rows {
			widths[i] = max(widths[i], width(row[i].Text))
		}
	}
	return widths
}

// fit leaves out spare columns until lines have room for names, and gives these what room there is.
func (t *Table) fit(widths []int, limit int) (fitting *Table, fittingWidths []int, left []string) {
	last := len(widths) - 1
	room := limit - len(gap)
	for _, w := range widths[:last] {
		room -= w + len(gap)
	}
	drop := make([]bool, len(widths))
	for spare := 1; room < min(widths[last], roomy); spare++ {
		found := false
		for i, c := range t.Columns {
			found = found || c.Spare > spare
			if c.Spare == spare {
				drop[i] = true
				room += widths[i] + len(gap)
				left = append(left, c.Head)
			}
		}
		if !found {
			break
		}
	}
	out := &Table{Rows: make([][]Cell, len(t.Rows))}
	for i, c := range t.Columns {
		if drop[i] {
			continue
		}
		out.Columns = append(out.Columns, c)
		fittingWidths = append(fittingWidths, widths[i])
		for j, row := range t.Rows {
			out.Rows[j] = append(out.Rows[j], row[i])
		}
	}
	// What is narrower than the head gains nothing.
	lastWidth := &fittingWidths[len(fittingWidths)-1]
	*lastWidth = min(*lastWidth, max(room, width(t.Columns[last].Head)))
	return out, fittingWidths, left
}

// cut leaves the end of a name, which tells more than its beginning. It keeps indentation, but not
// at the cost of more than half of the room.
func cut(name string, room int) string {
	text := []rune(strings.TrimLeft(name, " "))
	indent := min(width(name)-len(text), max(room-len(text)-1, room/2))
	if n := room - indent - 1; len(text) > n {
		text = text[len(text)-max(n, 0):]
	}
	return strings.Repeat(" ", indent) + "…" + string(text)
}

func width(s string) int { return utf8.RuneCountInString(s) }

// line writes a row. Nothing follows the last column that has a text.
func (t *Table) line(b *bufio.Writer, row []Cell, widths []int, coloured bool) {
	for len(row) > 0 && row[len(row)-1].Text == "" {
		row = row[:len(row)-1]
	}
	for i, c := range row {
		b.WriteString(gap)
		pad := strings.Repeat(" ", widths[i]-width(c.Text))
		if t.Columns[i].Right {
			b.WriteString(pad)
		}
		if coloured && c.Colour != Plain {
			b.WriteString(string(c.Colour) + c.Text + reset)
		} else {
			b.WriteString(c.Text)
		}
		if !t.Columns[i].Right && i < len(row)-1 {
			b.WriteString(pad)
		}
	}
	b.WriteByte('\n')
}
