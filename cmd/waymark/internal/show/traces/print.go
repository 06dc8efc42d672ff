package traces

import (
	"io"
	"time"

	"github.com/waymark-go/waymark/internal/calls"
	"github.com/waymark-go/waymark/internal/text/names"
	"github.com/waymark-go/waymark/internal/text/table"
	"github.com/waymark-go/waymark/internal/text/tracetext"
	"github.com/waymark-go/waymark/internal/text/units"
)

// text returns what is printed of a trace as a whole; with waiting also when its goroutine ran, with
// objects what was made.
func (t *Trace) text(waiting, objects bool) tracetext.Trace {
	out := tracetext.Trace{
		Key: t.Key.String(), Root: t.Root.Name, Goroutine: t.Goroutine.String(), Start: t.Start, Duration: t.Duration, Open: t.Open,
		Calls: t.Calls, Panics: t.Panics, Errors: t.Errors, Goroutines: 1 + t.Goroutines,
	}
	if objects {
		out.Objects, out.Bytes = t.Objects, t.Bytes
	}
	if waiting {
		out.Parts = parts(&t.Off.Total, int64(t.Duration))
	}
	return out
}

// parts are the columns of --waiting.
func parts(o *calls.Off, of int64) []time.Duration {
	return []time.Duration{time.Duration(o.Running(of)), time.Duration(o.Runnable), time.Duration(o.Waited())}
}

// note says what most of the waiting was for, and how long goroutines were ready before they made these calls.
func (n *Node) note() string {
	note := n.off.Total.Longest()
	if n.ready == 0 {
		return note
	}
	if note != "" {
		note += ", "
	}
	return note + "ready for " + units.Duration(n.ready) + " before"
}

// WriteList prints traces as a table. short, unless nil, shortens names of functions. waiting adds
// when the goroutines of the root calls ran, objects what was made.
func WriteList(w io.Writer, list []*Trace, short *names.Set, s table.Style, waiting, objects bool) error {
	texts := make([]tracetext.Trace, len(list))
	for i, t := range list {
		texts[i] = t.text(waiting, objects)
	}
	return tracetext.WriteList(w, texts, short, s)
}

// WriteTree prints a tree, depth levels of it; 0 is all. waiting adds when goroutines
// ran.
func WriteTree(out io.Writer, t *Tree, short *names.Set, depth int, waiting bool) error {
	node := func(i int) *tracetext.Node {
		n := &t.Nodes[i]
		if waiting {
			n.Parts, n.Note = parts(&n.off.Total, n.Total), n.note()
		}
		return &n.Node
	}
	return tracetext.WriteTree(out, t.Trace.text(waiting, false), len(t.Nodes), node, short, depth, t.Left, "deeper than --depth, or more different ones than a tree holds")
}
