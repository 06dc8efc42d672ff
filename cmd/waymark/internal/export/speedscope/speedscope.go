// Package speedscope writes the file format of speedscope: an evented profile for each goroutine.
// Calls of info functions have no place there, as they take no time.
package speedscope

import (
	"bufio"
	"fmt"
	"io"
	"path/filepath"
	"strconv"

	"github.com/waymark-go/waymark/cmd/waymark/internal/export/calls"
	"github.com/waymark-go/waymark/cmd/waymark/internal/export/spool"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/internal/text/jsontext"
	"github.com/waymark-go/waymark/tracefile"
)

// Write writes the calls of a set that the filter shows. Events of each goroutine come together in
// the format: until all have been read, they are in memory or in a temporary file.
func Write(w io.Writer, set *tracefile.Set, filter *recording.Filter, o calls.Options) ([]recording.Summary, error) {
	out := &writer{several: len(set.Processes) > 1}
	defer out.spool.Close()
	read, err := calls.Tell(set, filter, o, calls.Listener{Begin: out.begin, End: out.end})
	b := bufio.NewWriterSize(w, 1<<16)
	if writeErr := out.write(b, filepath.Base(set.Processes[0].Info().Program)); err == nil {
		err = writeErr
	}
	if flushErr := b.Flush(); err == nil {
		err = flushErr
	}
	return read, err
}

// A profile is what a goroutine does.
type profile struct {
	process    *calls.Process
	goroutine  uint64
	entry      *calls.Function // its first call's
	start, end int64
}

type writer struct {
	several  bool        // processes
	spool    spool.Spool // the events of each profile, each with a comma before it
	profiles []profile
	frames   []*calls.Function // by index
	line     []byte
}

func (w *writer) begin(c *calls.Call) error {
	g := c.Goroutine
	if g.Own == nil {
		g.Own = w.spool.Add()
		w.profiles = append(w.profiles, profile{process: g.Process, goroutine: g.ID, entry: c.Function, start: c.Start})
	}
	for len(w.frames) <= c.Function.Index {
		w.frames = append(w.frames, nil)
	}
	w.frames[c.Function.Index] = c.Function
	return w.event(c, 'O', c.Start)
}

func (w *writer) end(c *calls.Call) error {
	if c.Single() {
		return nil
	}
	return w.event(c, 'C', c.End)
}

// event adds an event to the profile of the call's goroutine.
func (w *writer) event(c *calls.Call, kind byte, at int64) error {
	n := c.Goroutine.Own.(int)
	w.profiles[n].end = at
	b := append(w.line[:0], ",\n{\"type\":\""...)
	b = strconv.AppendInt(append(append(b, kind), `","frame":`...), int64(c.Function.Index), 10)
	w.line = append(strconv.AppendInt(append(b, `,"at":`...), at, 10), '}')
	return w.spool.Write(n, w.line)
}

// write writes the file.
func (w *writer) write(b *bufio.Writer, program string) error {
	text := func(before, s string) { b.Write(jsontext.String([]byte(before), s)) }
	b.WriteString(`{"$schema":"https://www.speedscope.app/file-format-schema.json","exporter":"waymark"`)
	text(`,"name":`, program)
	b.WriteString(`,"shared":{"frames":[`)
	for i, f := range w.frames {
		if i > 0 {
			b.WriteByte(',')
		}
		if f == nil { // it was called, but not shown
			b.WriteString("\n{\"name\":\"\"}")
			continue
		}
		text("\n{\"name\":", f.Name)
		text(`,"file":`, f.File)
		fmt.Fprintf(b, `,"line":%d}`, f.Line)
	}
	b.WriteString("\n]},\"profiles\":[")
	for i := range w.profiles {
		p := &w.profiles[i]
		if i > 0 {
			b.WriteByte(',')
		}
		name := fmt.Sprintf("goroutine %d %s", p.goroutine, p.entry.Name)
		if w.several {
			name = fmt.Sprintf("process %s %s", p.process.Label, name)
		}
		text("\n{\"type\":\"evented\",\"name\":", name)
		fmt.Fprintf(b, `,"unit":"nanoseconds","startValue":%d,"endValue":%d,"events":[`, p.start, p.end)
		if err := w.spool.WriteTo(&without{w: b, n: 1}, i); err != nil {
			return err
		}
		b.WriteString("]}")
	}
	_, err := b.WriteString("\n]}\n")
	return err
}

// without leaves out the first n bytes that are written.
type without struct {
	w io.Writer
	n int
}

func (o *without) Write(b []byte) (int, error) {
	skip := min(o.n, len(b))
	o.n -= skip
	n, err := o.w.Write(b[skip:])
	return skip + n, err
}
