package spans

import "github.com/waymark-go/waymark/internal/wire/protobuf"

// Numbers of the fields of OpenTelemetry's messages.
const (
	requestResourceSpans = 1

	resourceSpansResource = 1
	resourceSpansScopes   = 2
	resourceAttributes    = 1

	scopeSpansScope = 1
	scopeSpansSpans = 2
	scopeName       = 1

	spanTrace      = 1
	spanID         = 2
	spanParent     = 4
	spanName       = 5
	spanKind       = 6
	spanStart      = 7
	spanEnd        = 8
	spanAttributes = 9
	spanEvents     = 11
	spanStatus     = 15
	statusCode     = 3

	eventTime       = 1
	eventName       = 2
	eventAttributes = 3

	attributeKey   = 1
	attributeValue = 2
	valueString    = 1
	valueBool      = 2
	valueInt       = 3
)

// Protobuf returns a request that has spans as a message, valid until its next encoding.
func (r *Request) Protobuf() []byte {
	out := protobuf.Message(r.b[:0])
	var ofResource, ofScope, span, part protobuf.Message
	ofResource.Message(resourceSpansResource, r.spans[0].Resource.Attributes.appendTo(nil, resourceAttributes))
	part.String(scopeName, scope)
	ofScope.Message(scopeSpansScope, part)
	for i := range r.spans {
		span = r.spans[i].appendTo(span[:0])
		ofScope.Message(scopeSpansSpans, span)
	}
	ofResource.Message(resourceSpansScopes, ofScope)
	out.Message(requestResourceSpans, ofResource)
	r.b = out
	return out
}

func (s *Span) appendTo(m protobuf.Message) protobuf.Message {
	m.Bytes(spanTrace, s.Trace[:])
	m.Bytes(spanID, s.ID[:])
	if s.Parent != [8]byte{} {
		m.Bytes(spanParent, s.Parent[:])
	}
	m.String(spanName, s.Name)
	m.Uint(spanKind, kindInternal)
	m.Fixed(spanStart, uint64(s.Start))
	m.Fixed(spanEnd, uint64(s.End))
	m = s.Attributes.appendTo(m, spanAttributes)
	if s.Exception != "" {
		var event protobuf.Message
		event.Fixed(eventTime, uint64(s.End))
		event.String(eventName, exceptionEvent)
		m.Message(spanEvents, s.exception().appendTo(event, eventAttributes))
	}
	if s.Failed {
		var status protobuf.Message
		status.Uint(statusCode, statusError)
		m.Message(spanStatus, status)
	}
	return m
}

// appendTo appends the attributes as a field of a message.
func (list Attributes) appendTo(m protobuf.Message, field protobuf.Number) protobuf.Message {
	var one, value protobuf.Message
	for i := range list {
		a := &list[i]
		value = value[:0]
		switch a.kind {
		case text:
			value.Text(valueString, a.text)
		case number:
			value.Member(valueInt, uint64(a.number))
		case flag:
			value.Member(valueBool, 1)
		}
		one = one[:0]
		one.String(attributeKey, a.key)
		one.Message(attributeValue, value)
		m.Message(field, one)
	}
	return m
}
