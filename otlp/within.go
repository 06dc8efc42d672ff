package otlp

import (
	"context"
	"encoding/hex"
	"net/http"
	"reflect"
	"strings"

	"github.com/waymark-go/waymark/internal/program/rt"
)

// within returns the span that arguments of a root call name: contexts, requests and messages. A span of
// OpenTelemetry in a context precedes headers, as it is below the span that these name.
func within(args []any) (found rt.Span) {
	var header string
	var request [len(found.Request)]byte
	for _, arg := range args {
		of := look(arg)
		if r := of.request; r != nil && r.URL != nil {
			copy(request[:len(request)-1], r.Method+" "+r.URL.Path)
		}
		if !known(found) {
			found = of.span
		}
		if header == "" {
			header = of.header
		}
	}
	if !known(found) {
		found = parse(header)
	}
	found.Request = request
	return found
}

// A carried is what an argument of a root call carries.
type carried struct {
	ctx     context.Context
	header  string        // traceparent
	request *http.Request // of a server
	span    rt.Span       // in ctx
}

// look returns what a value carries, with the span.
func look(of any) (c carried) {
	defer func() { _ = recover() }() // methods of the program's contexts and spans may panic
	c = carry(of)
	c.span = spanIn(c.ctx)
	return c
}

func known(s rt.Span) bool { return s.TraceID != [16]byte{} && s.SpanID != [8]byte{} }

// carry returns what a value carries, but for the span.
func carry(of any) (c carried) {
	switch of := of.(type) {
	case *http.Request:
		if of != nil {
			c = carried{ctx: of.Context(), header: only(of.Header["Traceparent"]), request: of}
		}
		return c
	case interface{ Request() *http.Request }: // echo
		return carry(of.Request())
	case interface{ UserContext() context.Context }: // fiber
		c.ctx = of.UserContext()
		return c
	case interface{ Context() context.Context }: // a stream of gRPC
		c.ctx = of.Context()
		return c
	}
	c.ctx, _ = of.(context.Context)
	v := reflect.Indirect(reflect.ValueOf(of))
	if v.Kind() != reflect.Struct {
		return c
	}
	if f := v.FieldByName("Request"); f.IsValid() && f.Type() == reflect.TypeOf((*http.Request)(nil)) && !f.IsNil() && f.CanInterface() { // gin
		return carry(f.Interface())
	}
	for _, name := range []string{"Headers", "Header"} { // messages of queues
		if f := v.FieldByName(name); f.IsValid() {
			c.header = headerIn(f)
			break
		}
	}
	return c
}

// only returns the one value of a header. One that is there twice is invalid.
func only(values []string) string {
	if len(values) != 1 {
		return ""
	}
	return values[0]
}

// mostHeaders is how many headers of a message are looked at.
const mostHeaders = 64

// headerIn returns traceparent in the headers of a message: a map, or structs with a key and a value.
func headerIn(list reflect.Value) string {
	switch {
	case list.Kind() == reflect.Map && list.Type().Key().Kind() == reflect.String:
		for _, name := range []string{"traceparent", "Traceparent"} {
			if v := list.MapIndex(reflect.ValueOf(name).Convert(list.Type().Key())); v.IsValid() {
				return text(v)
			}
		}
	case list.Kind() == reflect.Slice:
		for i := 0; i < list.Len() && i < mostHeaders; i++ {
			one := reflect.Indirect(list.Index(i))
			if one.Kind() != reflect.Struct {
				return ""
			}
			key, value := one.FieldByName("Key"), one.FieldByName("Value")
			if key.IsValid() && value.IsValid() && strings.EqualFold(text(key), "traceparent") {
				return text(value)
			}
		}
	}
	return ""
}

// text returns a string, or bytes, or the only one of several strings.
func text(v reflect.Value) string {
	if v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	switch {
	case v.Kind() == reflect.String:
		return v.String()
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8:
		return string(v.Bytes())
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.String && v.Len() == 1:
		return v.Index(0).String()
	}
	return ""
}

// parse reads the header traceparent of W3C's Trace Context, whose later versions may be longer.
func parse(text string) (p rt.Span) {
	version, rest, _ := strings.Cut(text, "-")
	const ids = len("0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	if len(version) != 2 || version == "ff" || len(rest) < ids || strings.ToLower(text) != text ||
		len(rest) > ids && (version == "00" || rest[ids] != '-') || rest[32] != '-' || rest[49] != '-' {
		return rt.Span{}
	}
	var flags, number [1]byte
	for _, part := range []struct {
		to   []byte
		text string
	}{{number[:], version}, {p.TraceID[:], rest[:32]}, {p.SpanID[:], rest[33:49]}, {flags[:], rest[50:ids]}} {
		if _, err := hex.Decode(part.to, []byte(part.text)); err != nil {
			return rt.Span{}
		}
	}
	if p.Sampled = flags[0]&1 != 0; !known(p) {
		return rt.Span{}
	}
	return p
}
