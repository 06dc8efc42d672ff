// Package otel makes OpenTelemetry spans of calls that waymark traces. Import it under another name,
// beside the package otel of OpenTelemetry:
//
//	import (
//		"go.opentelemetry.io/otel"
//
//		waymarkotel "github.com/waymark-go/waymark/contrib/otel"
//		"github.com/waymark-go/waymark/monitor"
//	)
//
//	err := monitor.Register(store.IO, waymarkotel.New(otel.GetTracerProvider()))
//
// A call's span is a child of the span of the call around it, on the same goroutine. So functions
// need neither take contexts nor pass them on. The parent of an outermost call's span is the span in
// the first argument that is a context.Context. The same holds for an inner call if the program has
// begun that span itself since the calls around it.
package otel

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/waymark-go/waymark"
	"github.com/waymark-go/waymark/monitor"
)

// name is that of the tracer.
const name = "github.com/waymark-go/waymark/contrib/otel"

// New makes a factory of monitors that start and end spans of the provider's.
//
// A span's name is the function's, with the last part of its package's path. Its attributes are
// code.function.name and thread.id, the goroutine's id. An error among the results, or a panic, is
// recorded and sets the status. A call of an info function is an event with the arguments as text.
// runtime.Goexit is an event, too.
func New(p trace.TracerProvider) monitor.Factory { return &factory{tracer: p.Tracer(name)} }

type factory struct {
	tracer trace.Tracer
	open   sync.Map // *nest by goroutine
}

// A nest is the spans of a goroutine's calls, the innermost last. Only that goroutine touches it.
type nest struct {
	spans    []trace.Span
	contexts []context.Context // with the spans
	given    []trace.SpanID    // of the contexts that the calls got
}

// Kind is what monitor.KindOf returns.
func (f *factory) Kind() string { return "OpenTelemetry" }

// Create makes the monitor of a package.
func (f *factory) Create(pkg string) monitor.Monitor { return &watcher{f, pkg} }

type watcher struct {
	f   *factory
	pkg string
}

func (m *watcher) Package() string { return m.pkg }

func (m *watcher) function(id int) string {
	name, err := monitor.FunctionName(m.pkg, id)
	if err != nil {
		return fmt.Sprint("#", id)
	}
	return name
}

func (m *watcher) Enter(id int, args ...any) {
	goroutine := monitor.GoroutineID()
	v, _ := m.f.open.LoadOrStore(goroutine, new(nest))
	n := v.(*nest)
	ctx, given := n.parent(args)
	function := m.function(id)
	ctx, span := m.f.tracer.Start(ctx, m.pkg[strings.LastIndexByte(m.pkg, '/')+1:]+"."+function, trace.WithAttributes(
		attribute.String("code.function.name", m.pkg+"."+function), attribute.Int64("thread.id", int64(goroutine))))
	n.spans, n.contexts, n.given = append(n.spans, span), append(n.contexts, ctx), append(n.given, given)
}

// parent returns the context in which the span of a call with these arguments begins, and the span
// of the context among the arguments.
func (n *nest) parent(args []any) (ctx context.Context, given trace.SpanID) {
	ctx = context.Background()
	last := len(n.contexts) - 1
	if last >= 0 {
		ctx = n.contexts[last]
	}
	for _, arg := range args {
		if c, ok := arg.(context.Context); ok && !isNil(c) {
			given = trace.SpanContextFromContext(c).SpanID()
			if last < 0 || given.IsValid() && !slices.Contains(n.given, given) {
				ctx = c
			}
			break
		}
	}
	return ctx, given
}

// span returns the span of the innermost call, nil if there is none.
func (m *watcher) span() trace.Span {
	if v, ok := m.f.open.Load(monitor.GoroutineID()); ok {
		if n := v.(*nest); len(n.spans) > 0 {
			return n.spans[len(n.spans)-1]
		}
	}
	return nil
}

func (m *watcher) Info(args []any, caller, self int, point waymark.Point) {
	if span := m.span(); span != nil {
		attrs := []attribute.KeyValue{attribute.String("waymark.point", point.String())}
		for i, arg := range args {
			attrs = append(attrs, attribute.String(fmt.Sprint("waymark.arg.", i), waymark.Text(arg)))
		}
		span.AddEvent(m.function(self), trace.WithAttributes(attrs...))
	}
}

func (m *watcher) Exit(id int) { m.exit() }

func (m *watcher) ExitResults(id int, results ...any) {
	defer m.exit() // an error's own method may panic
	if span := m.span(); span != nil {
		for _, r := range results {
			if err, ok := r.(error); ok && !isNil(err) {
				span.RecordError(err)
				span.SetStatus(codes.Error, err.Error())
			}
		}
	}
}

// isNil reports whether v, which isn't nil itself, holds a nil pointer: as a result of such a type
// is no error.
func isNil(v any) bool {
	r := reflect.ValueOf(v)
	return r.Kind() == reflect.Pointer && r.IsNil()
}

func (m *watcher) exit() {
	goroutine := monitor.GoroutineID()
	v, ok := m.f.open.Load(goroutine)
	if !ok {
		return // cleared meanwhile
	}
	n := v.(*nest)
	last := len(n.spans) - 1
	n.spans[last].End()
	n.spans, n.contexts, n.given = n.spans[:last], n.contexts[:last], n.given[:last]
	if last == 0 {
		m.f.open.Delete(goroutine)
	}
}

func (m *watcher) Panic(id int, value any) {
	span := m.span()
	switch {
	case span == nil:
	case value == any(monitor.Goexit): // the end of the goroutine, not a failure
		span.AddEvent("goexit")
	default:
		text := waymark.Text(value)
		span.AddEvent("exception", trace.WithAttributes(attribute.String("exception.type", fmt.Sprintf("%T", value)), attribute.String("exception.message", text)))
		span.SetStatus(codes.Error, "panic: "+text)
	}
}

func (m *watcher) Clear() { m.f.open.Clear() }
