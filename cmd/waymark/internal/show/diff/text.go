package diff

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/waymark-go/waymark/internal/text/table"
	"github.com/waymark-go/waymark/internal/text/units"
)

// writeText prints tables for people.
func (d *Diff) writeText(w io.Writer) error {
	list, more := d.shown()
	if len(list) > 0 {
		t := newTable("Function")
		for _, f := range list {
			name := d.short.Short(f.Name)
			switch {
			case f.New():
				name += " (new)"
			case f.Gone():
				name += " (gone)"
			}
			t.Rows = append(t.Rows, row(&f.Calls, &f.Self, &f.Total, name))
		}
		if err := t.Write(w, d.Style); err != nil {
			return err
		}
	}
	b := bufio.NewWriter(w)
	left := func(more int, noun string) {
		if more > 0 {
			fmt.Fprintf(b, "  ... and %s more; --top N prints N, --top 0 all\n", units.Things(uint64(more), noun))
		}
	}
	left(more, "function")
	paths, follow := d.shownPaths()
	if paths, more := first(paths, d.Top); len(paths) > 0 {
		b.WriteByte('\n')
		b.Flush()
		t := newTable("Path")
		for _, p := range paths {
			t.Rows = append(t.Rows, row(&p.Calls, &p.Self, &p.Total, d.path(p, " > ")))
		}
		if err := t.Write(w, d.Style); err != nil {
			return err
		}
		left(more, "path")
	}
	if follow > 0 {
		fmt.Fprintf(b, "  %s left out whose calls have changed as their callers' have\n", units.Things(uint64(follow), "path"))
	}
	if len(list)+len(paths)+follow > 0 {
		b.WriteByte('\n')
	}
	for _, line := range append([]string{d.headline()}, d.notes()...) {
		fmt.Fprintf(b, "%s\n", line)
	}
	return b.Flush()
}

// newTable returns a table of changes without rows.
func newTable(of string) *table.Table {
	t := &table.Table{}
	for i, head := range []string{"Old calls", "Old self", "Old total"} {
		spare := [3]int{0, 2, 1}[i]
		t.Columns = append(t.Columns, table.Column{Head: head, Right: true, Spare: spare}, table.Column{Head: "New", Right: true, Spare: spare}, table.Column{Head: "Change", Right: true, Spare: spare})
	}
	t.Columns = append(t.Columns, table.Column{Head: of})
	return t
}

func row(calls, self, total *Change, name string) []table.Cell {
	count := func(n int64) table.Cell { return table.Count(uint64(n)) }
	cells := []table.Cell{count(calls.Before), count(calls.After), cell(calls, true)}
	for _, c := range []*Change{self, total} {
		before, after := table.Duration(c.Before), table.Duration(c.After)
		if c.Verdict == Partial {
			before, after = before.About(), after.About()
		}
		cells = append(cells, before, after, cell(c, false))
	}
	return append(cells, table.Cell{Text: name})
}

// cell says how a number has changed; more is red.
func cell(c *Change, calls bool) table.Cell {
	if c.Verdict == Noise || c.Verdict == Same || c.Verdict == Partial {
		return table.Cell{Text: c.words(calls), Colour: table.Dim}
	}
	colour := table.Plain
	if c.Verdict == Changed {
		if colour = table.Green; c.After > c.Before {
			colour = table.Red
		}
	}
	return table.Cell{Text: c.words(calls), Colour: colour}
}

// words says how a number has changed: calls by their difference, times by their share.
func (c *Change) words(calls bool) string {
	var text string
	share, ok := c.Share()
	switch {
	case c.Verdict == Same:
		return "="
	case c.Verdict == Noise:
		return "noise"
	case c.Verdict == Partial:
		return "~"
	case calls:
		text = strconv.FormatInt(c.After-c.Before, 10)
		if c.After > c.Before {
			text = "+" + text
		}
	case !ok && c.After > 0:
		text = "from 0"
	default:
		text = percent(share)
	}
	if c.Verdict == Unknown {
		text += " ?"
	}
	return text
}

// percent returns a share with its sign: "+12.5 %".
func percent(share float64) string {
	if share >= 10 {
		return fmt.Sprintf("x %.1f", 1+share)
	}
	return fmt.Sprintf("%+.1f %%", 100*share)
}

// mostNames is how many names of a path are shown.
const mostNames = 6

// path returns the names of a path, of a long one the first and the last.
func (d *Diff) path(p *Path, arrow string) string {
	var names []string
	for i, f := range p.Functions {
		if n := len(p.Functions); n > mostNames && i > 0 && i <= n-mostNames+1 {
			if i == 1 {
				names = append(names, "...")
			}
			continue
		}
		names = append(names, d.short.Short(f.Name))
	}
	return strings.Join(names, arrow)
}
