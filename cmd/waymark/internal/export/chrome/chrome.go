// Package chrome writes the trace events of Chrome, in JSON, which Perfetto reads too. Each
// goroutine is a thread, and each beginning and each end of a call is an event. A flow goes from
// the goroutine that starts another to the first call of that one.
package chrome

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"strconv"

	"github.com/waymark-go/waymark/cmd/waymark/internal/export/calls"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/internal/text/jsontext"
	"github.com/waymark-go/waymark/tracefile"
)

// Write writes the calls of a set that the filter shows.
func Write(w io.Writer, set *tracefile.Set, filter *recording.Filter, o calls.Options) ([]recording.Summary, error) {
	out := &writer{b: bufio.NewWriterSize(w, 1<<16), named: make(map[int]bool)}
	out.b.WriteString(`{"displayTimeUnit":"ns","traceEvents":[`)
	read, err := calls.Tell(set, filter, o, calls.Listener{Begin: out.begin, End: out.end})
	out.b.WriteString("\n]}\n")
	if flushErr := out.b.Flush(); err == nil {
		err = flushErr
	}
	return read, err
}

type writer struct {
	b         *bufio.Writer
	event     []byte
	some      bool         // an event has been written
	named     map[int]bool // processes that have their name
	functions [][]byte     // the members name and cat of each, by index
}

// open begins an event of a phase. at is its time in ns, process and thread are those of g.
func (w *writer) open(phase string, g *calls.Goroutine, thread uint64, at int64) []byte {
	b := w.event[:0]
	if w.some {
		b = append(b, ',')
	}
	w.some = true
	b = append(append(append(b, "\n{\"ph\":\""...), phase...), `","pid":`...)
	b = strconv.AppendInt(b, int64(process(g)), 10)
	b = strconv.AppendUint(append(b, `,"tid":`...), thread, 10)
	return jsontext.Micros(append(b, `,"ts":`...), at)
}

// process returns the number of g's process: ids of processes may come twice in a set.
func process(g *calls.Goroutine) int { return g.Process.Index + 1 }

func (w *writer) close(b []byte) error {
	w.event = append(b, '}')
	_, err := w.b.Write(w.event)
	return err
}

// function returns the members that tell of a function.
func (w *writer) function(f *calls.Function) []byte {
	for len(w.functions) <= f.Index {
		w.functions = append(w.functions, nil)
	}
	if w.functions[f.Index] == nil {
		b := jsontext.String([]byte(`,"name":`), f.Name)
		w.functions[f.Index] = jsontext.String(append(b, `,"cat":`...), f.Package)
	}
	return w.functions[f.Index]
}

func (w *writer) begin(c *calls.Call) error {
	if err := w.introduce(c); err != nil {
		return err
	}
	b := append(w.open("B", c.Goroutine, c.Goroutine.ID, c.Start), w.function(c.Function)...)
	a := arguments{b: append(b, `,"args":{`...)}
	a.common(c)
	a.values("", c.Args())
	return w.close(append(a.b, '}'))
}

// introduce names the process and the goroutine of a call that is the goroutine's first, and writes
// the flow to it.
func (w *writer) introduce(c *calls.Call) error {
	if !c.First {
		return nil
	}
	g := c.Goroutine
	name := func(what, text string) error {
		b := append(append(append(w.open("M", g, g.ID, 0), `,"name":"`...), what...), `","args":{"name":`...)
		return w.close(append(jsontext.String(b, text), '}'))
	}
	if !w.named[g.Process.Index] {
		w.named[g.Process.Index] = true
		if err := name("process_name", fmt.Sprintf("%s %s", g.Process.File.Info().Program, g.Process.Label)); err != nil {
			return err
		}
	}
	if err := name("thread_name", fmt.Sprintf("goroutine %d %s", g.ID, c.Function.Name)); err != nil || g.Parent == 0 {
		return err
	}
	for _, end := range []struct {
		phase  string
		thread uint64
		at     int64
	}{{"s", g.Parent, cmp.Or(g.Spawned, c.Start)}, {"f", g.ID, c.Start}} {
		b := append(w.open(end.phase, g, end.thread, end.at), `,"bp":"e","name":"go","cat":"go","id":"`...)
		b = strconv.AppendInt(b, int64(process(g)), 10)
		b = strconv.AppendUint(append(b, '/'), g.ID, 10)
		if err := w.close(append(b, '"')); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) end(c *calls.Call) error {
	var b []byte
	if c.Single() {
		if err := w.introduce(c); err != nil {
			return err
		}
		b = append(w.open("X", c.Goroutine, c.Goroutine.ID, c.Start), w.function(c.Function)...)
		b = jsontext.Micros(append(b, `,"dur":`...), c.End-c.Start)
	} else {
		b = w.open("E", c.Goroutine, c.Goroutine.ID, c.End)
	}
	a := arguments{b: append(b, `,"args":{`...)}
	if c.Single() {
		a.common(c)
		a.values("", c.Args())
	}
	for name, ns := range c.Measures {
		a.add("", name)
		a.b = strconv.AppendInt(a.b, ns, 10)
	}
	for _, m := range calls.Marks {
		if c.Flags&m.Flag != 0 {
			a.add("", m.Name)
			a.b = append(a.b, "true"...)
		}
	}
	a.values("= ", c.Results())
	if text := c.Panic(); text != "" {
		a.add("", "panic")
		a.b = jsontext.String(a.b, text)
	}
	return w.close(append(a.b, '}'))
}

// arguments appends members of an object.
type arguments struct {
	b    []byte
	some bool
}

func (a *arguments) add(prefix, name string) {
	if a.some {
		a.b = append(a.b, ',')
	}
	a.some = true
	if prefix != "" {
		name = prefix + name
	}
	a.b = append(jsontext.String(a.b, name), ':')
}

// common adds where the function is, and when the call began if that was before the window.
func (a *arguments) common(c *calls.Call) {
	if c.First {
		a.add("", "file")
		a.b = jsontext.String(a.b, fmt.Sprintf("%s:%d", c.Function.File, c.Function.Line))
	}
	if c.Began < c.Start {
		a.add("", "began_ns")
		a.b = strconv.AppendInt(a.b, c.Began, 10)
	}
}

func (a *arguments) values(prefix string, list []calls.Value) {
	for _, v := range list {
		a.add(prefix, v.Name)
		a.b = jsontext.String(a.b, v.Text)
	}
}
