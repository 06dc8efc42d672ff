package tui

import "strings"

// A Column is the head of a column. The last column holds names: it takes the room that is left, and
// of a name that is too long the beginning is cut.
type Column struct {
	Head  string
	Right bool // aligned
	Spare int  // columns are left out where names have no room: 1 first, 0 never
	Start bool // of what is too long the beginning is kept
}

// A Cell is a text in a row.
type Cell struct {
	Text   string
	Style  Style
	Indent string // before a name; is not cut
}

// Rows are what a List shows. It asks for the visible ones only.
type Rows interface {
	Len() int
	Row(i int) []Cell
}

// A List shows rows in columns, one of which is chosen.
type List struct {
	Columns []Column
	Source  Rows
	Sorted  int    // the column that the rows are sorted by, from 1 on; 0: none
	Empty   string // is shown if there are no rows

	at, top int
	page    int // rows that were visible
	roomy   int
	widths  []int // of columns: the widest cells so far, so that columns stand still
}

// At returns the index of the chosen row, -1 if there is none.
func (l *List) At() int {
	if n := l.Source.Len(); l.at >= n {
		l.at = n - 1
	}
	if l.at < 0 && l.Source.Len() > 0 {
		l.at = 0
	}
	return l.at
}

// Go chooses a row.
func (l *List) Go(i int) { l.at = max(min(i, l.Source.Len()-1), 0) }

// Press moves the choice, and reports whether the key does so.
func (l *List) Press(key string) bool {
	at, page := l.At(), max(l.page-1, 1)
	switch key {
	case "up", "k":
		l.Go(at - 1)
	case "down", "j":
		l.Go(at + 1)
	case "pgup", "ctrl+b":
		l.Go(at - page)
	case "pgdown", "ctrl+f":
		l.Go(at + page)
	case "home", "g":
		l.Go(0)
	case "end", "G":
		l.Go(l.Source.Len() - 1)
	default:
		return false
	}
	return true
}

// Room of names below which columns are left out. Those of trees are indented.
const roomy, treeRoomy = 20, 34

const gap = 2 // columns between two columns

// View returns the lines of the list: heads, and the rows around the chosen one.
func (l *List) View(columns, lines int) []string {
	n := l.Source.Len()
	l.page = max(lines-1, 1)
	at := l.At()
	if at < l.top {
		l.top = max(at, 0)
	}
	if at >= l.top+l.page {
		l.top = at - l.page + 1
	}
	l.top = max(min(l.top, n-l.page), 0)
	var rows [][]Cell
	for i := l.top; i < min(l.top+l.page, n); i++ {
		rows = append(rows, l.Source.Row(i))
	}
	shown := l.layout(rows, columns)
	out := []string{bold.Render(head(l.heads(shown), columns))}
	if n == 0 {
		for _, line := range Wrap(l.Empty, columns) {
			out = append(out, Paint(line, Dim))
		}
	}
	for i, row := range rows {
		out = append(out, l.line(row, shown, columns, l.top+i == at))
	}
	return fit(out, lines)
}

// layout measures the rows, and returns the indices of the columns that have room.
func (l *List) layout(rows [][]Cell, columns int) []int {
	if l.roomy == 0 {
		l.roomy = roomy
	}
	if len(l.widths) != len(l.Columns) {
		l.widths = make([]int, len(l.Columns))
		for i, c := range l.Columns {
			if l.widths[i] = width(c.Head); l.Sorted > 0 {
				l.widths[i]++ // for the mark of the sorted one
			}
		}
	}
	for _, row := range rows {
		for i := range min(len(row), len(l.widths)) {
			l.widths[i] = max(l.widths[i], width(row[i].Text))
		}
	}
	last := len(l.Columns) - 1
	out := make([]bool, len(l.Columns)) // left out
	most := 0
	for _, c := range l.Columns {
		most = max(most, c.Spare)
	}
	for spare := 0; l.room(out, columns) < l.roomy && spare <= most; spare++ {
		for i, c := range l.Columns[:last] {
			out[i] = out[i] || spare > 0 && c.Spare == spare
		}
	}
	for i := last - 1; i > 0 && l.room(out, columns) < l.roomy/2; i-- { // a tiny terminal
		out[i] = true
	}
	var shown []int
	for i := range l.Columns {
		if !out[i] {
			shown = append(shown, i)
		}
	}
	return shown
}

// room returns how many columns are left for names.
func (l *List) room(out []bool, columns int) int {
	for i, w := range l.widths[:len(l.widths)-1] {
		if !out[i] {
			columns -= w + gap
		}
	}
	return columns
}

func (l *List) heads(shown []int) string {
	var b strings.Builder
	for _, i := range shown {
		text := l.Columns[i].Head
		if i+1 == l.Sorted {
			text = "▾" + text
		}
		l.add(&b, i, text)
	}
	return strings.TrimRight(b.String(), " ")
}

// add adds a text in its column, which begins after a gap.
func (l *List) add(b *strings.Builder, column int, text string) {
	if b.Len() > 0 {
		b.WriteString(strings.Repeat(" ", gap))
	}
	if column == len(l.Columns)-1 {
		b.WriteString(text)
		return
	}
	b.WriteString(pad(text, l.widths[column], l.Columns[column].Right))
}

func (l *List) line(row []Cell, shown []int, columns int, chosen bool) string {
	var b strings.Builder
	for _, i := range shown {
		if i >= len(row) {
			continue
		}
		c := row[i]
		text := Clean(c.Text)
		if i == len(l.Columns)-1 {
			indent := head(c.Indent, columns/2)
			room := columns - width(b.String()) - width(indent)
			if b.Len() > 0 {
				room -= gap
			}
			if l.Columns[i].Start {
				text = indent + head(text, room)
			} else {
				text = indent + tail(text, room)
			}
		}
		if !chosen {
			// The blanks of a cell are not painted.
			at := strings.TrimLeft(text, " ")
			text = text[:len(text)-len(at)] + Paint(at, c.Style)
		}
		l.add(&b, i, text)
	}
	if chosen {
		return reverse.Render(pad(head(b.String(), columns), columns, false))
	}
	return head(b.String(), columns)
}
