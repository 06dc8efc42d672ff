package otlp

import (
	"bytes"
	"encoding/hex"
	"strconv"

	"github.com/waymark-go/waymark/cmd/waymark/internal/export/jsontext"
)

// A request has at most so many spans, and not many more bytes.
const (
	maxSpans = 512
	maxBytes = 1 << 20
)

// A Resource is what spans are of: a process.
type Resource struct {
	attributes []byte // elements of a list
}

// NewResource returns the Resource of a service with a name.
func NewResource(service string) *Resource {
	var a attributes
	a.text("service.name", service)
	return &Resource{a.b}
}

// A Span is what a call or another operation is to OpenTelemetry. Times are ns since 1970.
type Span struct {
	Resource   *Resource
	Trace      [16]byte
	ID, Parent [8]byte // Parent is zero if the span has none
	Name       string
	Start, End int64
	Exception  string // text of an event at the end, unless ""
	Failed     bool   // the status is an error

	attributes attributes
}

// Clone returns a Span that shares no memory with s but its strings' and its Resource.
func (s *Span) Clone() Span {
	c := *s
	c.attributes.b = bytes.Clone(s.attributes.b)
	return c
}

// A Request is one of the protocol's, which is filled span by span.
type Request struct {
	Spans int // in it

	resource *Resource // of all of them
	b        []byte
}

// Takes reports whether there is room for a span of its resource. In an empty one there always is.
func (r *Request) Takes(s *Span) bool {
	return r.Spans == 0 || r.resource == s.Resource && r.Spans < maxSpans && len(r.b) < maxBytes
}

// Add adds a span that the request takes.
func (r *Request) Add(s *Span) {
	if r.Spans == 0 {
		r.resource = s.Resource
		r.b = append(append(r.b[:0], `{"resourceSpans":[{"resource":{"attributes":[`...), s.Resource.attributes...)
		r.b = append(r.b, `]},"scopeSpans":[{"scope":{"name":"github.com/waymark-go/waymark"},"spans":[`...)
	} else {
		r.b = append(r.b, ',')
	}
	r.Spans++
	r.b = s.appendTo(r.b)
}

// Take returns the request as a line, valid until the next Add, and empties it.
func (r *Request) Take() []byte {
	r.b = append(r.b, "]}]}]}\n"...)
	r.Spans = 0
	return r.b
}

func (s *Span) appendTo(b []byte) []byte {
	b = hex.AppendEncode(append(b, `{"traceId":"`...), s.Trace[:])
	b = hex.AppendEncode(append(b, `","spanId":"`...), s.ID[:])
	if s.Parent != [8]byte{} {
		b = hex.AppendEncode(append(b, `","parentSpanId":"`...), s.Parent[:])
	}
	b = jsontext.String(append(b, `","name":`...), s.Name)
	b = strconv.AppendInt(append(b, `,"kind":1,"startTimeUnixNano":"`...), s.Start, 10)
	b = strconv.AppendInt(append(b, `","endTimeUnixNano":"`...), s.End, 10)
	b = append(append(append(b, `","attributes":[`...), s.attributes.b...), ']')
	if s.Exception != "" {
		b = strconv.AppendInt(append(b, `,"events":[{"name":"exception","timeUnixNano":"`...), s.End, 10)
		a := attributes{b: append(b, `","attributes":[`...)}
		a.text("exception.message", s.Exception)
		b = append(a.b, "]}]"...)
	}
	if s.Failed {
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
