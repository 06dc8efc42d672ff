package otlp

import (
	"encoding/hex"
	"io"
	"strconv"

	"github.com/waymark-go/waymark/cmd/waymark/internal/export/jsontext"
)

// Lines is a Sink that writes requests in JSON, one on a line, as the protocol's file exporters do.
type Lines struct{ io.Writer }

// Send implements Sink, in one call of Write.
func (l Lines) Send(r *Request) error {
	_, err := l.Write(r.JSON())
	return err
}

// JSON returns a request that has spans as a line, valid until its next encoding.
func (r *Request) JSON() []byte {
	b := append(r.b[:0], `{"resourceSpans":[{"resource":{"attributes":`...)
	b = r.spans[0].Resource.attributes.appendJSON(b)
	b = append(b, `},"scopeSpans":[{"scope":{"name":"`+scope+`"},"spans":`...)
	for i := range r.spans {
		b = r.spans[i].appendJSON(append(b, "[,"[min(i, 1)]))
	}
	r.b = append(b, "]}]}]}\n"...)
	return r.b
}

func (s *Span) appendJSON(b []byte) []byte {
	b = hex.AppendEncode(append(b, `{"traceId":"`...), s.Trace[:])
	b = hex.AppendEncode(append(b, `","spanId":"`...), s.ID[:])
	if s.Parent != [8]byte{} {
		b = hex.AppendEncode(append(b, `","parentSpanId":"`...), s.Parent[:])
	}
	b = jsontext.String(append(b, `","name":`...), s.Name)
	b = strconv.AppendInt(append(b, `,"kind":`...), kindInternal, 10)
	b = strconv.AppendInt(append(b, `,"startTimeUnixNano":"`...), s.Start, 10)
	b = strconv.AppendInt(append(b, `","endTimeUnixNano":"`...), s.End, 10)
	b = s.attributes.appendJSON(append(b, `","attributes":`...))
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
func (s *Span) exception() attributes {
	return attributes{{key: exceptionMessage, text: s.Exception}}
}

func (list attributes) appendJSON(b []byte) []byte {
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
