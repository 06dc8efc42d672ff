package trace

import (
	"bytes"
	"io"
	"strconv"

	"github.com/waymark-go/waymark/internal/text/names"
	"github.com/waymark-go/waymark/internal/text/table"
	"github.com/waymark-go/waymark/internal/text/tracetext"
)

func (t *Trace) text() tracetext.Trace {
	return tracetext.Trace{
		Key: t.Key, Root: t.Root.Name, Goroutine: strconv.FormatUint(t.Goroutine, 10), Start: t.after, Duration: t.Duration,
		Calls: t.Calls, Panics: t.Panics, Errors: t.Errors, Goroutines: uint64(t.Goroutines),
	}
}

// WriteTo implements io.WriterTo. It writes the trace's calls as `waymark traces FILE KEY` does,
// each below its caller with its cumulative and exclusive time. Calls of the same function with
// the same callers are one line. The error is that of w.
func (t *Trace) WriteTo(w io.Writer) (int64, error) {
	nodes := t.nodes()
	short := names.NewSet()
	for i := 1; i < len(nodes.Nodes); i++ {
		short.Add(nodes.Nodes[i].Sum.Name)
	}
	var b bytes.Buffer
	tracetext.WriteTree(&b, t.text(), nodes, short, 0, t.Lost, "the trace was full")
	return b.WriteTo(w)
}

// String returns what WriteTo writes.
func (t *Trace) String() string {
	var b bytes.Buffer
	t.WriteTo(&b)
	return b.String()
}

// WriteList writes a table of traces, as `waymark traces` does. The error is that of w.
func WriteList(w io.Writer, list []*Trace) error {
	texts, short := make([]tracetext.Trace, len(list)), names.NewSet()
	for i, t := range list {
		texts[i] = t.text()
		short.Add(t.Root.Name)
	}
	return tracetext.WriteList(w, texts, short, table.Style{})
}
