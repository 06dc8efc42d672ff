package otlp

import "slices"

// A request has at most so many spans, and not many more bytes.
const (
	maxSpans = 512
	maxBytes = 1 << 20
)

// A Resource is what spans are of: a process.
type Resource struct{ attributes attributes }

// NewResource returns the Resource of a service with a name.
func NewResource(service string) *Resource {
	r := new(Resource)
	r.attributes.text("service.name", service)
	return r
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
	c.attributes = slices.Clone(s.attributes)
	return c
}

// size is how many bytes a span has, more or less, in whatever encoding.
func (s *Span) size() int {
	const ids, each = 100, 40
	n := ids + len(s.Name) + len(s.Exception)
	for i := range s.attributes {
		n += each + len(s.attributes[i].key) + len(s.attributes[i].text)
	}
	return n
}

// Numbers of OpenTelemetry that spans have.
const (
	kindInternal = 1
	statusError  = 2
)

// What is written of all spans alike.
const (
	scope            = "github.com/waymark-go/waymark"
	exceptionEvent   = "exception"
	exceptionMessage = "exception.message"
)

// attributes say more of a span or a resource.
type attributes []attribute

// An attribute has one value: a text, a number or true.
type attribute struct {
	key    string
	kind   kind
	text   string
	number int64
}

type kind uint8

const (
	text kind = iota
	number
	flag
)

func (a *attributes) text(key, value string) { *a = append(*a, attribute{key: key, text: value}) }

func (a *attributes) number(key string, n int64) {
	*a = append(*a, attribute{key: key, kind: number, number: n})
}

func (a *attributes) flag(key string) { *a = append(*a, attribute{key: key, kind: flag}) }

// A Request is one of the protocol's, which is filled span by span. It has two encodings: JSON and
// Protobuf.
type Request struct {
	spans []Span // of one resource; there are more behind, whose memory is used again
	bytes int    // of them, see Span.size
	b     []byte // the encoding
}

// Spans returns how many spans are in the request.
func (r *Request) Spans() int { return len(r.spans) }

// Takes reports whether there is room for a span of its resource. In an empty one there always is.
func (r *Request) Takes(s *Span) bool {
	return len(r.spans) == 0 || r.spans[0].Resource == s.Resource && len(r.spans) < maxSpans && r.bytes < maxBytes
}

// Add adds a span that the request takes. It may change afterwards.
func (r *Request) Add(s *Span) {
	n := len(r.spans)
	r.spans = slices.Grow(r.spans, 1)[:n+1]
	own := &r.spans[n]
	list := append(own.attributes[:0], s.attributes...)
	*own = *s
	own.attributes = list
	r.bytes += s.size()
}

// Reset empties the request.
func (r *Request) Reset() { r.spans, r.bytes = r.spans[:0], 0 }

// A Sink takes requests. They are its own until Send returns.
type Sink interface{ Send(*Request) error }
