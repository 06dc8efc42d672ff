package traces

import (
	"io"

	"github.com/waymark-go/waymark/internal/text/names"
	"github.com/waymark-go/waymark/internal/text/table"
	"github.com/waymark-go/waymark/internal/text/tracetext"
)

// text returns what is printed of a trace as a whole; with waiting also when its goroutine ran, with
// objects what was made.
func (t *Trace) text(waiting, objects bool) tracetext.Trace {
	out := tracetext.Trace{
		Key: t.Key.String(), Root: t.Root.Name, Args: t.Args, Goroutine: t.Goroutine.String(), Start: t.Start, Duration: t.Duration, Open: t.Open,
		Calls: t.Calls, Panics: t.Panics, Errors: t.Errors, Goroutines: 1 + t.Goroutines,
	}
	if objects {
		out.Objects, out.Bytes = t.Objects, t.Bytes
	}
	if waiting {
		out.Parts = t.Off.Total.Parts(int64(t.Duration))
	}
	return out
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
	return tracetext.WriteTree(out, t.Of.text(waiting, false), &t.Trace, short, depth, t.Left, "deeper than --depth, or more different ones than a tree holds")
}
