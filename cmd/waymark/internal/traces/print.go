package traces

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/recording"
	"github.com/waymark-go/waymark/internal/names"
	"github.com/waymark-go/waymark/internal/table"
	"github.com/waymark-go/waymark/internal/units"
)

// WriteList prints traces as a table. short, unless nil, shortens names of functions.
func WriteList(w io.Writer, list []*Trace, short *names.Set, s table.Style) error {
	t := &table.Table{Columns: []table.Column{
		{Head: "Key"}, {Head: "Start", Right: true}, {Head: "Duration", Right: true}, {Head: "Calls", Right: true},
		{Head: "Panics", Right: true, Spare: 2}, {Head: "Errors", Right: true, Spare: 3}, {Head: "Goroutines", Right: true, Spare: 1}, {Head: "Root"}}}
	for _, tr := range list {
		root := shorten(tr.Root.Name, short)
		if tr.Open {
			root += " (open)"
		}
		t.Rows = append(t.Rows, []table.Cell{
			{Text: tr.Key.String()}, table.Duration(tr.Start), table.Duration(tr.Duration), table.Count(tr.Calls),
			table.Panics(tr.Panics), table.Errors(tr.Errors), table.Count(1 + tr.Goroutines), {Text: root}})
	}
	return t.Write(w, s)
}

func shorten(name string, short *names.Set) string {
	if short == nil {
		return name
	}
	return short.Short(name)
}

// WriteTree prints a tree, depth levels of it; 0 is all.
func WriteTree(out io.Writer, t *Tree, short *names.Set, depth int) error {
	w := bufio.NewWriter(out)
	tr := t.Trace
	ended := "took " + units.Duration(tr.Duration)
	if tr.Open {
		ended = "has not ended, after " + units.Duration(tr.Duration)
	}
	fmt.Fprintf(w, "%v: %s on goroutine %v at %s, %s: %s", tr.Key, shorten(tr.Root.Name, short), tr.Goroutine, units.Duration(tr.Start), ended, units.Things(tr.Calls, "call"))
	if tr.Goroutines > 0 {
		fmt.Fprintf(w, " on %s", units.Things(1+tr.Goroutines, "goroutine"))
	}
	fmt.Fprint(w, "\n\n     Total        Self  Function [calls, min, avg, max, total]\n")
	hidden := uint64(0)
	for i := range t.Nodes {
		n := &t.Nodes[i]
		if depth > 0 && n.Depth >= depth {
			hidden += n.Calls
			continue
		}
		fmt.Fprintf(w, "%s  %s  %s%s\n", right(units.Aligned(n.Total)), right(units.Aligned(n.Self)), recording.Indent(n.Depth), n.text(short))
	}
	if n := hidden + t.Left; n > 0 {
		fmt.Fprintf(w, "\n%s not shown: deeper than --depth, or more different ones than a tree holds\n", units.Things(n, "call"))
	}
	return w.Flush()
}

// right aligns a duration in its column.
func right(text string) string {
	const width = 10
	return strings.Repeat(" ", max(width-len(text), 0)) + text
}

func (n *Node) text(short *names.Set) string {
	text := shorten(n.Func.Name, short)
	if n.Goroutine {
		text = "go " + text
	}
	if n.Calls > 1 {
		text += fmt.Sprintf(" [%d, %s, %s, %s, %s]", n.Calls, units.Duration(n.Min), units.Duration(n.Avg()), units.Duration(n.Max), units.Duration(n.Total))
	}
	for _, mark := range []struct {
		n    uint64
		word string
	}{{n.Panics, "panicked"}, {n.Errors, "failed"}, {n.Detached, "detached"}, {n.Open, "open"}} {
		switch {
		case mark.n == 0:
		case n.Calls == 1:
			text += ", " + mark.word
		default:
			text += ", " + strconv.FormatUint(mark.n, 10) + " " + mark.word
		}
	}
	return text
}
