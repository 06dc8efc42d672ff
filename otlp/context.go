package otlp

import (
	"context"
	"reflect"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/waymark-go/waymark/internal/program/rt"
)

// without is 1 if the program has no OpenTelemetry.
var without uint32

// spanKey is under what OpenTelemetry puts spans into contexts, nil until a context has one. Its type is not
// exported, and this package must not import OpenTelemetry.
var spanKey atomic.Pointer[any]

// spanIn returns the span of OpenTelemetry in a context.
func spanIn(ctx context.Context) rt.Span {
	if ctx == nil || atomic.LoadUint32(&without) != 0 || reflect.ValueOf(ctx).Kind() == reflect.Pointer && reflect.ValueOf(ctx).IsNil() {
		return rt.Span{}
	}
	key := spanKey.Load()
	if key == nil {
		found := findKey(ctx)
		if found == nil {
			return rt.Span{}
		}
		key = &found
		spanKey.Store(key)
	}
	span := reflect.ValueOf(ctx.Value(*key))
	if !span.IsValid() {
		return rt.Span{}
	}
	return describe(span)
}

// describe asks a span of OpenTelemetry for its ids.
func describe(span reflect.Value) (p rt.Span) {
	sc := span.MethodByName("SpanContext").Call(nil)[0]
	flags, ok := sc.Interface().(interface{ IsSampled() bool })
	if !ok {
		return rt.Span{}
	}
	reflect.Copy(reflect.ValueOf(p.TraceID[:]), addressable(sc.MethodByName("TraceID").Call(nil)[0]))
	reflect.Copy(reflect.ValueOf(p.SpanID[:]), addressable(sc.MethodByName("SpanID").Call(nil)[0]))
	p.Sampled = flags.IsSampled()
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
		l := layoutOf(reflect.TypeOf(ctx))
		at := (*[2]unsafe.Pointer)(unsafe.Pointer(&ctx))[1] // all of them are pointers, or values that an interface points to
		if l.key != none {
			key := *(*any)(unsafe.Add(at, l.key))
			if t := reflect.TypeOf(key); t != nil && t.PkgPath() == keyPackage && t.Name() == keyType {
				return key
			}
		}
		if l.above == none {
			return nil
		}
		ctx = *(*context.Context)(unsafe.Add(at, l.above))
	}
	return nil
}

// A layout says where a context of package context has its key and the context that it was made from, in bytes from
// its beginning, or none.
type layout struct{ key, above uintptr }

const none = ^uintptr(0)

var layouts sync.Map // of layout, by reflect.Type

func layoutOf(t reflect.Type) layout {
	if l, ok := layouts.Load(t); ok {
		return l.(layout)
	}
	l, of := layout{none, none}, t
	if t.Kind() == reflect.Pointer {
		of = t.Elem()
	}
	if of.Kind() == reflect.Struct && of.PkgPath() == "context" {
		l.key = offsetOf(of, "key", reflect.TypeOf((*any)(nil)).Elem())
		for _, name := range []string{"Context", "c"} { // c is that of WithoutCancel
			if l.above == none {
				l.above = offsetOf(of, name, reflect.TypeOf((*context.Context)(nil)).Elem())
			}
		}
	}
	layouts.Store(t, l)
	return l
}

// offsetOf returns where a struct has a field of that type, perhaps in structs that it embeds, or none.
func offsetOf(of reflect.Type, name string, want reflect.Type) (at uintptr) {
	f, ok := of.FieldByName(name)
	if !ok || f.Type != want {
		return none
	}
	for _, i := range f.Index {
		if of.Kind() != reflect.Struct { // a pointer is embedded
			return none
		}
		at += of.Field(i).Offset
		of = of.Field(i).Type
	}
	return at
}
