package otlp

import (
	"encoding/hex"
	"encoding/json"

	"github.com/waymark-go/waymark/internal/wire/protobuf"
)

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

// A requestJSON is what requests in JSON have; see Request. Package json finds exact names quickest.
type requestJSON struct {
	ResourceSpans []struct {
		Resource struct {
			Attributes []attributeJSON `json:"attributes"`
		} `json:"resource"`
		ScopeSpans []struct {
			Scope struct {
				Name string `json:"name"`
			} `json:"scope"`
			Spans []spanJSON `json:"spans"`
		} `json:"scopeSpans"`
	} `json:"resourceSpans"`
}

type spanJSON struct {
	TraceID    string          `json:"traceId"`
	ID         string          `json:"spanId"`
	Parent     string          `json:"parentSpanId"`
	Name       string          `json:"name"`
	Kind       uint64          `json:"kind"`
	Start      int64           `json:"startTimeUnixNano,string"`
	End        int64           `json:"endTimeUnixNano,string"`
	Attributes []attributeJSON `json:"attributes"`
	Events     []struct {
		Time       int64           `json:"timeUnixNano,string"`
		Name       string          `json:"name"`
		Attributes []attributeJSON `json:"attributes"`
	} `json:"events"`
	Status struct {
		Code uint64 `json:"code"`
	} `json:"status"`
}

type attributeJSON struct {
	Key   string `json:"key"`
	Value struct {
		String *string `json:"stringValue"`
		Int    *int64  `json:"intValue,string"`
		Bool   *bool   `json:"boolValue"`
	} `json:"value"`
}

// toProtobuf returns the message that a request in JSON is. Requests are made in JSON, because a file of
// what was not sent has that.
func toProtobuf(request []byte) (protobuf.Message, error) {
	var r requestJSON
	if err := json.Unmarshal(request, &r); err != nil {
		return nil, err
	}
	var out, resourceSpans, scopeSpans, span, part protobuf.Message
	for _, ofResource := range r.ResourceSpans {
		part = appendAttributes(part[:0], resourceAttributes, ofResource.Resource.Attributes)
		resourceSpans = resourceSpans[:0]
		resourceSpans.Message(resourceSpansResource, part)
		for _, ofScope := range ofResource.ScopeSpans {
			part = part[:0]
			part.String(scopeName, ofScope.Scope.Name)
			scopeSpans = scopeSpans[:0]
			scopeSpans.Message(scopeSpansScope, part)
			for i := range ofScope.Spans {
				var err error
				if span, err = ofScope.Spans[i].appendTo(span[:0]); err != nil {
					return nil, err
				}
				scopeSpans.Message(scopeSpansSpans, span)
			}
			resourceSpans.Message(resourceSpansScopes, scopeSpans)
		}
		out.Message(requestResourceSpans, resourceSpans)
	}
	return out, nil
}

func (s *spanJSON) appendTo(m protobuf.Message) (protobuf.Message, error) {
	for _, id := range []struct {
		field protobuf.Number
		text  string
	}{{spanTrace, s.TraceID}, {spanID, s.ID}, {spanParent, s.Parent}} {
		b, err := hex.DecodeString(id.text)
		if err != nil {
			return m, err
		}
		if len(b) > 0 {
			m.Bytes(id.field, b)
		}
	}
	m.String(spanName, s.Name)
	m.Uint(spanKind, s.Kind)
	m.Fixed(spanStart, uint64(s.Start))
	m.Fixed(spanEnd, uint64(s.End))
	m = appendAttributes(m, spanAttributes, s.Attributes)
	for _, e := range s.Events {
		var event protobuf.Message
		event.Fixed(eventTime, uint64(e.Time))
		event.String(eventName, e.Name)
		m.Message(spanEvents, appendAttributes(event, eventAttributes, e.Attributes))
	}
	if s.Status.Code != 0 {
		var status protobuf.Message
		status.Uint(statusCode, s.Status.Code)
		m.Message(spanStatus, status)
	}
	return m, nil
}

// appendAttributes appends a list of attributes as a field of a message.
func appendAttributes(m protobuf.Message, field protobuf.Number, list []attributeJSON) protobuf.Message {
	var attribute, value protobuf.Message
	for _, a := range list {
		value = value[:0]
		switch v := &a.Value; {
		case v.String != nil:
			value.Text(valueString, *v.String)
		case v.Int != nil:
			value.Member(valueInt, uint64(*v.Int))
		case v.Bool != nil && *v.Bool:
			value.Member(valueBool, 1)
		}
		attribute = attribute[:0]
		attribute.String(attributeKey, a.Key)
		attribute.Message(attributeValue, value)
		m.Message(field, attribute)
	}
	return m
}
