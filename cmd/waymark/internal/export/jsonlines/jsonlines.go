// Package jsonlines writes a JSON object for each call, on a line of its own, in the order in which
// the calls ended.
package jsonlines

import (
	"bufio"
	"io"
	"strconv"

	"github.com/waymark-go/waymark/cmd/waymark/internal/export/calls"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/internal/text/jsontext"
	"github.com/waymark-go/waymark/tracefile"
)

// Write writes the calls of a set that the filter shows.
func Write(w io.Writer, set *tracefile.Set, filter *recording.Filter, o calls.Options) ([]recording.Summary, error) {
	out := &writer{b: bufio.NewWriterSize(w, 1<<16)}
	o.Whole = true
	read, err := calls.Tell(set, filter, o, calls.Listener{End: out.end})
	if flushErr := out.b.Flush(); err == nil {
		err = flushErr
	}
	return read, err
}

type writer struct {
	b         *bufio.Writer
	line      []byte
	functions [][]byte // members about each function, by index
}

// function returns the members that tell of a function.
func (w *writer) function(f *calls.Function) []byte {
	for len(w.functions) <= f.Index {
		w.functions = append(w.functions, nil)
	}
	if w.functions[f.Index] == nil {
		b := jsontext.String([]byte(`,"function":`), f.Name)
		b = jsontext.String(append(b, `,"package":`...), f.Package)
		b = jsontext.String(append(b, `,"file":`...), f.File)
		w.functions[f.Index] = strconv.AppendInt(append(b, `,"line":`...), int64(f.Line), 10)
	}
	return w.functions[f.Index]
}

func (w *writer) end(c *calls.Call) error {
	b := w.line[:0]
	number := func(name string, n uint64) {
		b = append(append(append(b, `,"`...), name...), `":`...)
		b = strconv.AppendUint(b, n, 10)
	}
	b = strconv.AppendUint(append(b, `{"id":`...), c.ID, 10)
	number("caller", c.Caller)
	number("pid", uint64(c.Goroutine.Process.PID))
	number("goroutine", c.Goroutine.ID)
	if c.Caller == 0 && c.Goroutine.Parent != 0 {
		number("parent_goroutine", c.Goroutine.Parent)
	}
	b = append(b, w.function(c.Function)...)
	number("depth", uint64(c.Depth))
	b = strconv.AppendInt(append(b, `,"start_ns":`...), c.Start, 10)
	if c.Began < c.Start {
		b = strconv.AppendInt(append(b, `,"began_ns":`...), c.Began, 10)
	}
	for name, ns := range c.Measures {
		b = append(append(append(b, `,"`...), name...), `":`...)
		b = strconv.AppendInt(b, ns, 10)
	}
	if c.Recursive {
		b = append(b, `,"recursive":true`...)
	}
	for _, m := range calls.Marks {
		if c.Flags&m.Flag != 0 {
			b = append(append(append(b, `,"`...), m.Name...), `":true`...)
		}
	}
	b = values(b, "args", c.Args())
	b = values(b, "results", c.Results())
	if text := c.Panic(); text != "" {
		b = jsontext.String(append(b, `,"panic":`...), text)
	}
	w.line = append(b, "}\n"...)
	_, err := w.b.Write(w.line)
	return err
}

// values appends a member with an object of values, if there are any.
func values(b []byte, name string, list []calls.Value) []byte {
	if len(list) == 0 {
		return b
	}
	return calls.AppendObject(append(append(append(b, `,"`...), name...), `":`...), list)
}
