package otlp

import (
	"context"
	"net/http"
	"reflect"
	"strings"
	"sync/atomic"

	"github.com/waymark-go/waymark/internal/program/rt"
)

// find finds the span that arguments of a root call name: contexts, requests and messages. Each request waits for this,
// and most have one argument, of package net/http, with no other span than its header's.
func find(args []any, found *rt.Span) {
	if len(args) == 1 && atomic.LoadUint32(&without) != 0 { // methods of sync/atomic might be traced
		if r, ok := args[0].(*http.Request); ok && r != nil {
			name(found, r)
			parse(only(r.Header["Traceparent"]), found)
			return
		}
	}
	rt.Mute(true)
	defer rt.Mute(false)
	within(args, found)
}

// within finds the span that any arguments name. A span of OpenTelemetry in a context precedes headers, as it is below the
// span that these name.
func within(args []any, found *rt.Span) {
	var header string
	for _, arg := range args {
		of := look(arg)
		if of.request != nil {
			name(found, of.request)
		}
		if !known(found) && known(&of.span) {
			found.TraceID, found.SpanID, found.Sampled = of.span.TraceID, of.span.SpanID, of.span.Sampled
		}
		if header == "" {
			header = of.header
		}
	}
	if !known(found) {
		parse(header, found)
	}
}

// name says which request it is, as far as there is room.
func name(found *rt.Span, r *http.Request) {
	if r.URL == nil {
		return
	}
	room := found.Request[:len(found.Request)-1]
	for _, part := range [...]string{r.Method, " ", r.URL.Path} {
		room = room[copy(room, part):]
	}
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

func known(s *rt.Span) bool { return s.TraceID != [16]byte{} && s.SpanID != [8]byte{} }

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
func parse(text string, found *rt.Span) {
	const length = len("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	var version, flags [1]byte
	if len(text) < length || text[2] != '-' || text[35] != '-' || text[52] != '-' ||
		!unhex(version[:], text) || !unhex(found.TraceID[:], text[3:]) || !unhex(found.SpanID[:], text[36:]) || !unhex(flags[:], text[53:]) ||
		version[0] == 0xff || len(text) > length && (version[0] == 0 || text[length] != '-') || !known(found) {
		found.TraceID, found.SpanID = [16]byte{}, [8]byte{}
		return
	}
	found.Sampled = flags[0]&1 != 0
}

// unhex reads as many bytes as there is room for, and reports whether their digits are lower-case ones. Package hex
// takes others, too. Each request waits for this, and no processor foretells what digits come: there are no branches.
func unhex(to []byte, text string) bool {
	all := byte(0)
	for i := range to {
		high, low := digits[text[2*i]], digits[text[2*i+1]]
		all |= high | low
		to[i] = high<<4 | low
	}
	return all < 16
}

// digits are the values of lower-case hexadecimal digits, 255 of what is none.
var digits = func() (values [256]byte) {
	for c := range values {
		values[c] = 255
	}
	for value, c := range "0123456789abcdef" {
		values[c] = byte(value)
	}
	return values
}()
