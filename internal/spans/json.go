package spans

import (
	"strconv"

	"github.com/waymark-go/waymark/internal/text/jsontext"
)

// JSON returns a request that has spans as a line, valid until its next encoding.
func (r *Request) JSON() []byte {
	b := append(r.b[:0], `{"resourceSpans":[{"resource":{"attributes":`...)
	b = r.spans[0].Resource.Attributes.appendJSON(b)
	b = append(b, `},"scopeSpans":[{"scope":{"name":"`+scope+`"},"spans":`...)
	for i := range r.spans {
		b = r.spans[i].appendJSON(append(b, "[,"[min(i, 1)]))
	}
	r.b = append(b, "]}]}]}\n"...)
	return r.b
}

func appendHex(b, id []byte) []byte {
	const digits = "0123456789abcdef"
	for _, c := range id {
		b = append(b, digits[c>>4], digits[c&15])
	}
	return b
}

func (s *Span) appendJSON(b []byte) []byte {
	b = appendHex(append(b, `{"traceId":"`...), s.Trace[:])
	b = appendHex(append(b, `","spanId":"`...), s.ID[:])
	if s.Parent != [8]byte{} {
		b = appendHex(append(b, `","parentSpanId":"`...), s.Parent[:])
	}
	b = jsontext.String(append(b, `","name":`...), s.Name)
	b = strconv.AppendInt(append(b, `,"kind":`...), kindInternal, 10)
	b = strconv.AppendInt(append(b, `,"startTimeUnixNano":"`...), s.Start, 10)
	b = strconv.AppendInt(append(b, `","endTimeUnixNano":"`...), s.End, 10)
	b = s.Attributes.appendJSON(append(b, `","attributes":`...))
	if s.Exception != "" {
		b = strconv.AppendInt(append(b, `,"events":[{"name":"`+exceptionEvent+`","timeUnixNano":"`...), s.End, 10)
		b = s.exception().appendJSON(append(b, `","attributes":`...))
		b = append(b, "}]"...)
	}
	if s.Failed {
		b = strconv.AppendInt(append(b, `,"status":{"code":`...), statusError, 10)
		b = append(b, '}')
	}
	return append(b, '}')
}

// exception returns the attributes of the event that a panic is.
func (s *Span) exception() Attributes {
	return Attributes{{key: exceptionMessage, text: s.Exception}}
}

func (list Attributes) appendJSON(b []byte) []byte {
	b = append(b, '[')
	for i := range list {
		if i > 0 {
			b = append(b, ',')
		}
		a := &list[i]
		b = append(jsontext.String(append(b, `{"key":`...), a.key), `,"value":{"`...)
		switch a.kind {
		case text:
			b = jsontext.String(append(b, `stringValue":`...), a.text)
		case number: // a string, as 64 bits are more than JSON's numbers hold everywhere
			b = append(strconv.AppendInt(append(b, `intValue":"`...), a.number, 10), '"')
		case flag:
			b = append(b, `boolValue":true`...)
		}
		b = append(b, "}}"...)
	}
	return append(b, ']')
}
