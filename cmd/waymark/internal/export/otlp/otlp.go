// Package otlp writes spans of OpenTelemetry: requests of its protocol in JSON, one on a line, as the
// protocol's file exporters do. Endpoint sends them over HTTP.
//
// Spans are the root calls of goroutines and the calls of functions in groups, unless a filter
// chooses calls. Calls of a trace, as `waymark traces` has them, have one trace id. The parent of a
// goroutine's first span is the span of the call that has started the goroutine.
package otlp

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"
	"strconv"

	"github.com/waymark-go/waymark/cmd/waymark/internal/calltree"
	"github.com/waymark-go/waymark/cmd/waymark/internal/export/calls"
	"github.com/waymark-go/waymark/cmd/waymark/internal/export/jsontext"
	"github.com/waymark-go/waymark/cmd/waymark/internal/recording"
	"github.com/waymark-go/waymark/tracefile"
)

// A request has at most so many spans, and not many more bytes.
const (
	maxSpans = 512
	maxBytes = 1 << 20
)

// Write writes the calls of a set that the filter shows. Each call of w.Write has a whole request.
func Write(w io.Writer, set *tracefile.Set, filter *recording.Filter, o calls.Options) ([]recording.Summary, error) {
	o.Whole = true
	out := &writer{w: w, all: filter.Show != nil || filter.Root != nil || filter.Callers != nil || filter.Min > 0 || filter.Depth > 0}
	read, err := calls.Tell(set, filter, o, calls.Listener{Begin: out.begin, End: out.end, Start: start})
	if sendErr := out.send(); err == nil {
		err = sendErr
	}
	return read, err
}

type writer struct {
	w         io.Writer
	all       bool       // each call is a span
	processes []*process // by index
	current   *process   // whose spans are in the request
	request   []byte
	spans     int // in the request
}

// A process has what all its spans have in common.
type process struct {
	head  []byte // of a request
	seed  [16]byte
	start int64 // of the set's first recording, since 1970 in ns
}

// A strand is what a goroutine does.
type strand struct {
	levels []level // of its open calls
	parent uint64  // of its root calls: the call whose span is around the go statement; 0 if unknown
}

func strandOf(g *calls.Goroutine) *strand {
	if g.Own == nil {
		g.Own = new(strand)
	}
	return g.Own.(*strand)
}

// start notes in which span a goroutine starts another.
func start(parent, child *calls.Goroutine) {
	s := strandOf(parent)
	if n := len(s.levels); n > 0 {
		strandOf(child).parent = s.levels[n-1].span
	}
}

// A level is an open call of a goroutine.
type level struct {
	parent uint64 // call whose span is the parent of this one's, 0 if there is none
	span   uint64 // the call itself, if it has a span, or its parent
}

// wants reports whether a call has a span.
func (w *writer) wants(c *calls.Call) bool {
	return w.all || c.Depth == 0 || len(c.Function.Groups) > 0
}

func (w *writer) begin(c *calls.Call) error {
	s := strandOf(c.Goroutine)
	var l level
	switch {
	case c.Depth > 0:
		l.parent = s.levels[c.Depth-1].span
	case c.Trace.ID != c.ID: // else it is the root of the trace
		l.parent = cmp.Or(s.parent, c.Trace.ID)
	}
	if l.span = l.parent; w.wants(c) {
		l.span = c.ID
	}
	s.levels = append(s.levels[:c.Depth], l)
	return nil
}

func (w *writer) end(c *calls.Call) error {
	if c.Single() {
		return nil // an info function's has no time, and a counted one's callees have ended
	}
	s := strandOf(c.Goroutine)
	l := s.levels[c.Depth]
	s.levels = s.levels[:c.Depth]
	if l.span != c.ID {
		return nil
	}
	p := w.process(c.Goroutine.Process)
	if w.current != p || w.spans == maxSpans || len(w.request) > maxBytes {
		if err := w.send(); err != nil {
			return err
		}
		w.current = p
		w.request = append(w.request[:0], p.head...)
	} else {
		w.request = append(w.request, ',')
	}
	w.spans++
	w.request = p.append(w.request, c, l.parent)
	return nil
}

// send writes the request.
func (w *writer) send() error {
	if w.spans == 0 {
		return nil
	}
	_, err := w.w.Write(append(w.request, "]}]}]}\n"...))
	w.spans, w.current = 0, nil
	return err
}

// process returns what is common to the spans of a process.
func (w *writer) process(of *calls.Process) *process {
	for len(w.processes) <= of.Index {
		w.processes = append(w.processes, nil)
	}
	if p := w.processes[of.Index]; p != nil {
		return p
	}
	info := of.File.Info()
	p := &process{start: info.Start.UnixNano() - int64(of.Since)}
	// The same recording has the same ids each time, and another one has others.
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%d\n%d\n%s", info.Host, info.PID, info.Start.UnixNano(), info.Program))
	copy(p.seed[:], sum[:])
	a := attributes{b: []byte(`{"resourceSpans":[{"resource":{"attributes":[`)}
	a.text("service.name", filepath.Base(info.Program))
	a.text("host.name", info.Host)
	a.number("process.pid", int64(info.PID))
	a.text("process.executable.path", info.Program)
	a.text("process.runtime.name", "go")
	a.text("process.runtime.version", info.Go)
	p.head = append(a.b, `]},"scopeSpans":[{"scope":{"name":"github.com/waymark-go/waymark"},"spans":[`...)
	w.processes[of.Index] = p
	return p
}

// id returns 16 bytes that belong to a call.
func (p *process) id(call uint64) [16]byte {
	var b [24]byte
	copy(b[:], p.seed[:])
	binary.BigEndian.PutUint64(b[16:], call)
	sum := sha256.Sum256(b[:])
	return [16]byte(sum[:16])
}

// appendSpanID appends the id of a call's span, as a JSON string.
func (p *process) appendSpanID(b []byte, call uint64) []byte {
	id := p.id(call)
	return append(hex.AppendEncode(append(b, '"'), id[8:]), '"')
}

// append appends the span of a call.
func (p *process) append(b []byte, c *calls.Call, parent uint64) []byte {
	trace := p.id(c.Trace.ID)
	b = hex.AppendEncode(append(b, `{"traceId":"`...), trace[:])
	b = p.appendSpanID(append(b, `","spanId":`...), c.ID)
	if parent != 0 {
		b = p.appendSpanID(append(b, `,"parentSpanId":`...), parent)
	}
	b = jsontext.String(append(b, `,"name":`...), c.Function.Name)
	b = strconv.AppendInt(append(b, `,"kind":1,"startTimeUnixNano":"`...), p.start+c.Start, 10)
	b = strconv.AppendInt(append(b, `","endTimeUnixNano":"`...), p.start+c.End, 10)
	a := attributes{b: append(b, `","attributes":[`...)}
	a.text("code.function.name", c.Function.Name)
	a.text("code.file.path", c.Function.File)
	a.number("code.line.number", int64(c.Function.Line))
	a.number("waymark.goroutine", int64(c.Goroutine.ID))
	if c.Trace.ID == c.ID {
		a.text("waymark.trace", c.Trace.Key())
	}
	for name, ns := range c.Measures {
		a.number("waymark."+name, ns)
	}
	for _, m := range calls.Marks {
		if c.Flags&m.Flag != 0 {
			a.flag("waymark." + m.Name)
		}
	}
	for _, v := range c.Args() {
		a.text("arg."+v.Name, v.Text)
	}
	for _, v := range c.Results() {
		a.text("result."+v.Name, v.Text)
	}
	b = append(a.b, ']')
	if text := c.Panic(); text != "" {
		b = strconv.AppendInt(append(b, `,"events":[{"name":"exception","timeUnixNano":"`...), p.start+c.End, 10)
		a = attributes{b: append(b, `","attributes":[`...)}
		a.text("exception.message", text)
		b = append(a.b, "]}]"...)
	}
	const panicked = calltree.Panicked | calltree.Recovered
	if c.Flags&calltree.Failed != 0 || c.Flags&panicked == calltree.Panicked {
		b = append(b, `,"status":{"code":2}`...)
	}
	return append(b, '}')
}

// attributes appends the elements of a list of attributes.
type attributes struct {
	b    []byte
	some bool
}

func (a *attributes) key(key, kind string) {
	if a.some {
		a.b = append(a.b, ',')
	}
	a.some = true
	a.b = jsontext.String(append(a.b, `{"key":`...), key)
	a.b = append(append(append(a.b, `,"value":{"`...), kind...), `":`...)
}

func (a *attributes) text(key, value string) {
	a.key(key, "stringValue")
	a.b = append(jsontext.String(a.b, value), "}}"...)
}

func (a *attributes) number(key string, n int64) {
	a.key(key, "intValue") // a string, as 64 bits are more than JSON's numbers hold everywhere
	a.b = append(strconv.AppendInt(append(a.b, '"'), n, 10), `"}}`...)
}

func (a *attributes) flag(key string) {
	a.key(key, "boolValue")
	a.b = append(a.b, "true}}"...)
}
