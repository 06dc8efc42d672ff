package capture

import (
	"encoding/hex"

	"github.com/waymark-go/waymark/internal/wire/format"
)

// A context in another one begins with that: an interface. context.valueCtx has its key behind
// that, and its value. So the contexts around are copied whatever they are, and only the type of a
// key says where a span is.
const (
	ContextNext = word     // of a context: the address of the one around
	ContextKey  = 2 * word // the type of its key
	ContextSpan = 5 * word // the address of its value

	contextValue = 4 * word // the type of its value

	ContextSize  = 6 * word
	MostContexts = 8 // that are looked at
	// SpanSize is how much of a span is copied, bytes.
	SpanSize = 256
)

// spanKey is the type of the key by which contexts have spans of OpenTelemetry.
const spanKey = "go.opentelemetry.io/otel/trace.traceContextKeyType"

// A Span is a span of OpenTelemetry, in hexadecimal digits.
type Span struct{ Trace, ID string }

// contexts adds the contexts of a variable, if the program has spans.
func (ts *Types) contexts(v *Variable, list *[]Follow) {
	if ts.spanKey != 0 && !v.Heap && v.Type.Kind == format.KindInterface && v.Type.Name == "context.Context" {
		*list = append(*list, Follow{At: v.at, Kind: Contexts, Bytes: SpanSize, Key: ts.spanKey})
	}
}

// contexts returns the span that contexts have which were copied, with the type of the value; nil:
// there is none.
func (d *decoder) contexts(f *Follow) *block {
	for range MostContexts {
		if len(d.rest) < word {
			break
		}
		b, _ := d.piece()
		if len(b) < ContextSize {
			break
		}
		one := &block{bytes: b}
		if one.word(ContextKey) != f.Key+d.memory.Bias() {
			continue
		}
		if len(d.rest) < word {
			break
		}
		span, ok := d.piece()
		one.blocks = map[int]*block{ContextSpan: {bytes: span, read: ok}}
		return one
	}
	return nil
}

// Span returns the span in a context among the variables of a copy; it is empty if there is none.
func (p *Plan) Span(copied []byte, m Memory) (s Span) {
	if p == nil || p.types.spanKey == 0 || len(copied) < p.Size {
		return s
	}
	d := decoder{rest: copied[p.Size:], plan: p, memory: m}
	b := d.variables(copied[:p.Size])
	for i := range p.Variables {
		one := b.blocks[^p.Variables[i].at]
		if one == nil {
			continue
		}
		t := p.types.running(one.word(contextValue), m)
		if t != nil && t.Kind == format.KindPointer {
			t = t.Elem()
		}
		for _, name := range []string{"spanContext", "sc"} {
			of := t.field(name)
			if of == nil || of.Type.Name != "trace.SpanContext" {
				continue
			}
			trace, id := of.Type.field("traceID"), of.Type.field("spanID")
			span := one.blocks[ContextSpan].bytes
			if trace == nil || id == nil || of.Offset+max(trace.Offset+trace.Type.Size, id.Offset+id.Type.Size) > len(span) {
				continue
			}
			text := func(f *Field) string { return hex.EncodeToString(span[of.Offset+f.Offset:][:f.Type.Size]) }
			return Span{text(trace), text(id)}
		}
	}
	return s
}
