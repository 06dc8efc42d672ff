package spans

import "slices"

// A request has at most so many spans, and not many more bytes.
const (
	MaxSpans = 512
	MaxBytes = 1 << 20
)

// A Resource is what spans are of: a process.
type Resource struct{ Attributes Attributes }

// NewResource returns the Resource of a service with a name.
func NewResource(service string) *Resource {
	r := new(Resource)
	r.Attributes.Text("service.name", service)
	return r
}

// A Process is what spans come from.
type Process struct {
	Service, Host string
	PID           int
	Path, Go      string // of the executable, and the version of Go
}

// Resource returns the Resource of a process.
func (p *Process) Resource() *Resource {
	r := NewResource(p.Service)
	a := &r.Attributes
	a.Text("host.name", p.Host)
	a.Number("process.pid", int64(p.PID))
	a.Text("process.executable.path", p.Path)
	a.Text("process.runtime.name", "go")
	a.Text("process.runtime.version", p.Go)
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

	Attributes Attributes
}

// Call appends the attributes that spans of calls have: the function with its place, and the id of the
// goroutine.
func (a *Attributes) Call(function, file string, line int, goroutine uint64) {
	a.Text("code.function.name", function)
	a.Text("code.file.path", file)
	a.Number("code.line.number", int64(line))
	a.Number("thread.id", int64(goroutine))
}

// Keys of attributes of spans, with Measure and Mark.
const (
	TraceKey = prefix + "trace" // of a root call: what the trace is called
	prefix   = "waymark."
)

// Measure appends a number of waymark, such as self_ns.
func (a *Attributes) Measure(name string, n int64) { a.Number(prefix+name, n) }

// Say appends a text of waymark, such as args.
func (a *Attributes) Say(name, text string) { a.Text(prefix+name, text) }

// Mark appends what is true of a call, such as panicked.
func (a *Attributes) Mark(name string) { a.Flag(prefix + name) }

// Clone returns a Span that shares no memory with s but its strings' and its Resource.
func (s *Span) Clone() Span {
	c := *s
	c.Attributes = slices.Clone(s.Attributes)
	return c
}

// Size is how many bytes a span has, more or less, in whatever encoding.
func (s *Span) Size() int {
	const ids, each = 100, 40
	n := ids + len(s.Name) + len(s.Exception)
	for i := range s.Attributes {
		n += each + len(s.Attributes[i].key) + len(s.Attributes[i].text)
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

// Attributes say more of a span or a resource. The methods append one.
type Attributes []attribute

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

// Set sets a text, which takes the place of what has the same key.
func (a *Attributes) Set(key, value string) {
	for i := range *a {
		if (*a)[i].key == key {
			(*a)[i] = attribute{key: key, text: value}
			return
		}
	}
	a.Text(key, value)
}

// Text appends a text.
func (a *Attributes) Text(key, value string) { *a = append(*a, attribute{key: key, text: value}) }

// Number appends a number.
func (a *Attributes) Number(key string, n int64) {
	*a = append(*a, attribute{key: key, kind: number, number: n})
}

// Flag appends a value that is true.
func (a *Attributes) Flag(key string) { *a = append(*a, attribute{key: key, kind: flag}) }

// A Request is one of the protocol's, which is filled span by span. It has two encodings: JSON and
// Protobuf.
type Request struct {
	spans []Span // of one resource; there are more behind, whose memory is used again
	bytes int    // of them, see Span.Size
	b     []byte // the encoding
}

// Of returns the request of some spans of one resource, which the request refers to.
func Of(list []Span) *Request {
	r := &Request{spans: list}
	for i := range list {
		r.bytes += list[i].Size()
	}
	return r
}

// Spans returns how many spans are in the request.
func (r *Request) Spans() int { return len(r.spans) }

// Takes reports whether there is room for a span of its resource. In an empty one there always is.
func (r *Request) Takes(s *Span) bool {
	return len(r.spans) == 0 || r.spans[0].Resource == s.Resource && len(r.spans) < MaxSpans && r.bytes < MaxBytes
}

// Add adds a span that the request takes. It may change afterwards.
func (r *Request) Add(s *Span) {
	n := len(r.spans)
	r.spans = slices.Grow(r.spans, 1)[:n+1]
	own := &r.spans[n]
	list := append(own.Attributes[:0], s.Attributes...)
	*own = *s
	own.Attributes = list
	r.bytes += s.Size()
}

// Reset empties the request.
func (r *Request) Reset() { r.spans, r.bytes = r.spans[:0], 0 }
