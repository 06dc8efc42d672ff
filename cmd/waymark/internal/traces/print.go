package traces

import (
	"io"

	"github.com/waymark-go/waymark/internal/names"
	"github.com/waymark-go/waymark/internal/table"
	"github.com/waymark-go/waymark/internal/tracetext"
)

// text returns what is printed of a trace as a whole.
func (t *Trace) text() tracetext.Trace {
	return tracetext.Trace{
		Key: t.Key.String(), Root: t.Root.Name, Goroutine: t.Goroutine.String(), Start: t.Start, Duration: t.Duration, Open: t.Open,
		Calls: t.Calls, Panics: t.Panics, Errors: t.Errors, Goroutines: 1 + t.Goroutines,
	}
}

// WriteList prints traces as a table. short, unless nil, shortens names of functions.
func WriteList(w io.Writer, list []*Trace, short *names.Set, s table.Style) error {
	texts := make([]tracetext.Trace, len(list))
	for i, t := range list {
		texts[i] = t.text()
	}
	return tracetext.WriteList(w, texts, short, s)
}

// WriteTree prints a tree, depth levels of it; 0 is all.
func WriteTree(out io.Writer, t *Tree, short *names.Set, depth int) error {
	node := func(i int) *tracetext.Node { return &t.Nodes[i].Node }
	return tracetext.WriteTree(out, t.Trace.text(), len(t.Nodes), node, short, depth, t.Left, "deeper than --depth, or more different ones than a tree holds")
}
