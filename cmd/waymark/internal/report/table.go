package report

import (
	"bufio"
	"io"
	"strings"
	"unicode/utf8"
)

// A table is text in columns, with a head that is underlined.
type table struct {
	columns []column
	rows    [][]cell
	stream  func(row func([]cell)) // instead of rows, where these would take too much memory; called twice
}

type column struct {
	head  string
	right bool // aligned
}

type cell struct {
	text   string
	colour colour
}

// A colour is an escape sequence of terminals, "" for none.
type colour string

const (
	plain  colour = ""
	bold   colour = "\x1b[1m"
	dim    colour = "\x1b[2m"
	red    colour = "\x1b[31m"
	green  colour = "\x1b[32m"
	yellow colour = "\x1b[33m"
	reset         = "\x1b[0m"
)

func (t *table) write(w io.Writer, coloured bool) error {
	each := t.stream
	if each == nil {
		each = func(row func([]cell)) {
			for _, r := range t.rows {
				row(r)
			}
		}
	}
	head, rule := make([]cell, len(t.columns)), make([]cell, len(t.columns))
	widths := make([]int, len(t.columns))
	for i, c := range t.columns {
		head[i] = cell{c.head, bold}
		widths[i] = utf8.RuneCountInString(c.head)
	}
	each(func(row []cell) {
		for i, c := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(c.text))
		}
	})
	for i, width := range widths {
		rule[i] = cell{strings.Repeat("-", width), plain}
	}
	b := bufio.NewWriter(w)
	t.line(b, head, widths, coloured)
	t.line(b, rule, widths, coloured)
	each(func(row []cell) { t.line(b, row, widths, coloured) })
	return b.Flush()
}

// line writes a row. Nothing follows the last column that has a text.
func (t *table) line(b *bufio.Writer, row []cell, widths []int, coloured bool) {
	for len(row) > 0 && row[len(row)-1].text == "" {
		row = row[:len(row)-1]
	}
	for i, c := range row {
		b.WriteString("  ")
		pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(c.text))
		if t.columns[i].right {
			b.WriteString(pad)
		}
		if coloured && c.colour != plain {
			b.WriteString(string(c.colour) + c.text + reset)
		} else {
			b.WriteString(c.text)
		}
		if !t.columns[i].right && i < len(row)-1 {
			b.WriteString(pad)
		}
	}
	b.WriteByte('\n')
}
