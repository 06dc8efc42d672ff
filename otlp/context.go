package otlp

import (
	"context"
	"encoding/hex"
	"net/http"
	"reflect"
	"strings"
	"sync/atomic"
	"unsafe"
)

// A parent is the span that a root call is in. The zero parent is none.
type parent struct {
	trace   [16]byte
	span    [8]byte
	sampled bool
}

func (p parent) valid() bool { return p.trace != [16]byte{} && p.span != [8]byte{} }

// parentOf returns the parent that the arguments of a root call name. A span of OpenTelemetry in a context
// precedes the header of the request, as it is below the span of the header.
func parentOf(args []any) (p parent) {
	defer func() {
		if recover() != nil { // methods of the program's contexts and spans may panic
			p = parent{}
		}
	}()
	var header []string
	for _, arg := range args {
		ctx, _ := arg.(context.Context)
		if r, ok := arg.(*http.Request); ok && r != nil {
			ctx, header = r.Context(), r.Header["Traceparent"]
		}
		if p = spanIn(ctx); p.valid() {
			return p
		}
	}
	if len(header) == 1 {
		p = parse(header[0])
	}
	return p
}

// parse reads the header traceparent of W3C's Trace Context, whose later versions may be longer.
func parse(text string) (p parent) {
	version, rest, _ := strings.Cut(text, "-")
	const ids = len("0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	if len(version) != 2 || version == "ff" || len(rest) < ids || strings.ToLower(text) != text ||
		len(rest) > ids && (version == "00" || rest[ids] != '-') || rest[32] != '-' || rest[49] != '-' {
		return parent{}
	}
	var flags, number [1]byte
	for _, part := range []struct {
		to   []byte
		text string
	}{{number[:], version}, {p.trace[:], rest[:32]}, {p.span[:], rest[33:49]}, {flags[:], rest[50:ids]}} {
		if _, err := hex.Decode(part.to, []byte(part.text)); err != nil {
			return parent{}
		}
	}
	if p.sampled = flags[0]&1 != 0; !p.valid() {
		return parent{}
	}
	return p
}

// spanKey is under what OpenTelemetry puts spans into contexts, nil until a context has one. Its type is not
// exported, and this package must not import OpenTelemetry.
var spanKey atomic.Pointer[any]

// spanIn returns the span of OpenTelemetry in a context.
func spanIn(ctx context.Context) parent {
	if ctx == nil || reflect.ValueOf(ctx).Kind() == reflect.Pointer && reflect.ValueOf(ctx).IsNil() {
		return parent{}
	}
	key := spanKey.Load()
	if key == nil {
		found := findKey(ctx)
		if found == nil {
			return parent{}
		}
		key = &found
		spanKey.Store(key)
	}
	span := reflect.ValueOf(ctx.Value(*key))
	if !span.IsValid() {
		return parent{}
	}
	return describe(span)
}

// describe asks a span of OpenTelemetry for its ids.
func describe(span reflect.Value) (p parent) {
	sc := span.MethodByName("SpanContext").Call(nil)[0]
	flags, ok := sc.Interface().(interface{ IsSampled() bool })
	if !ok {
		return parent{}
	}
	reflect.Copy(reflect.ValueOf(p.trace[:]), addressable(sc.MethodByName("TraceID").Call(nil)[0]))
	reflect.Copy(reflect.ValueOf(p.span[:]), addressable(sc.MethodByName("SpanID").Call(nil)[0]))
	p.sampled = flags.IsSampled()
	return p
}

// addressable returns a copy that has an address.
func addressable(v reflect.Value) reflect.Value {
	p := reflect.New(v.Type()).Elem()
	p.Set(v)
	return p
}

// The type of OpenTelemetry's key.
const (
	keyPackage = "go.opentelemetry.io/otel/trace"
	keyType    = "traceContextKeyType"
)

// findKey looks for OpenTelemetry's key in a context. It goes through the contexts of package context,
// which never change; those of others may.
func findKey(ctx context.Context) any {
	for ctx != nil {
		v := reflect.ValueOf(ctx)
		if v.Kind() == reflect.Pointer {
			v = v.Elem()
		} else {
			v = addressable(v)
		}
		if v.Kind() != reflect.Struct || v.Type().PkgPath() != "context" {
			return nil
		}
		if f := v.FieldByName("key"); f.IsValid() && f.Kind() == reflect.Interface && !f.IsNil() {
			if t := f.Elem().Type(); t.PkgPath() == keyPackage && t.Name() == keyType {
				return *(*any)(unsafe.Pointer(f.UnsafeAddr()))
			}
		}
		ctx = above(v)
	}
	return nil
}

// above returns the context that one of package context was made from, nil if there is none.
func above(v reflect.Value) context.Context {
	for _, name := range []string{"Context", "c"} { // c is that of WithoutCancel
		if f := v.FieldByName(name); f.IsValid() && f.Type() == reflect.TypeOf((*context.Context)(nil)).Elem() {
			return *(*context.Context)(unsafe.Pointer(f.UnsafeAddr()))
		}
	}
	return nil
}
