package otel_test

import (
	"context"
	"errors"
	"testing"

	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/waymark-go/waymark"
	"github.com/waymark-go/waymark/contrib/otel"
	"github.com/waymark-go/waymark/monitor"
)

// absent is an error and a context of which there is none.
type absent struct{ context.Context }

func (a *absent) Error() string { return "error " + a.Err().Error() }

func TestKind(t *testing.T) {
	if kind := monitor.KindOf(otel.New(sdk.NewTracerProvider())); kind != "OpenTelemetry" {
		t.Errorf("kind %s", kind)
	}
}

func TestSpans(t *testing.T) {
	rec := tracetest.NewSpanRecorder()
	provider := sdk.NewTracerProvider(sdk.WithSpanProcessor(rec))
	m := otel.New(provider).Create("example.com/m/store")
	ctx, outside := provider.Tracer("test").Start(context.Background(), "outside")

	m.Enter(1, "x", ctx)
	m.Enter(2)
	m.Info([]any{7, "odd"}, 2, 3, waymark.Begin)
	m.Panic(2, "boom")
	m.Exit(2)
	m.ExitResults(1, 5, errors.New("wrong"))
	m.Enter(7, (*absent)(nil))
	m.ExitResults(7, (*absent)(nil))
	m.Exit(1) // of a call whose beginning was cleared: nothing
	outside.End()
	m.Enter(4)
	m.Exit(4)

	ended := rec.Ended()
	if len(ended) != 5 {
		t.Fatalf("%d spans", len(ended))
	}
	inner, outer, fine, last := ended[0], ended[1], ended[2], ended[4]
	if inner.Name() != "store.#2" || outer.Name() != "store.#1" {
		t.Errorf("names %s, %s", inner.Name(), outer.Name())
	}
	if inner.Parent().SpanID() != outer.SpanContext().SpanID() || outer.Parent().SpanID() != outside.SpanContext().SpanID() {
		t.Error("the parents are others")
	}
	if last.Parent().IsValid() || last.SpanContext().TraceID() == outer.SpanContext().TraceID() {
		t.Error("a call on its own has a parent")
	}
	if s := fine.Status(); s.Code != codes.Unset {
		t.Errorf("status of a call that returned a nil pointer: %v", s)
	}
	if s := inner.Status(); s.Code != codes.Error || s.Description != `panic: "boom"` {
		t.Errorf("status of the panic: %v", s)
	}
	if s := outer.Status(); s.Code != codes.Error || s.Description != "wrong" || len(outer.Events()) != 1 {
		t.Errorf("status of the error: %v, events %v", s, outer.Events())
	}
	events := inner.Events()
	if len(events) != 2 || events[0].Name != "#3" || len(events[0].Attributes) != 3 || events[0].Attributes[2].Value.AsString() != `"odd"` {
		t.Errorf("events %+v", events)
	}
}

// runtime.Goexit, as T.FailNow and T.SkipNow call it, is no failure of the function.
func TestGoexit(t *testing.T) {
	rec := tracetest.NewSpanRecorder()
	m := otel.New(sdk.NewTracerProvider(sdk.WithSpanProcessor(rec))).Create("example.com/m/store")
	m.Enter(1)
	m.Panic(1, monitor.Goexit)
	m.Exit(1)
	span := rec.Ended()[0]
	if s := span.Status(); s.Code != codes.Unset {
		t.Errorf("status %v", s)
	}
	if events := span.Events(); len(events) != 1 || events[0].Name != "goexit" {
		t.Errorf("events %+v", events)
	}
}

// A span that the program begins itself in a traced call, and passes on, is the parent of
// the calls that get it. A span that the program merely passes through isn't.
func TestContexts(t *testing.T) {
	rec := tracetest.NewSpanRecorder()
	provider := sdk.NewTracerProvider(sdk.WithSpanProcessor(rec))
	m := otel.New(provider).Create("example.com/m/store")
	ctx, outside := provider.Tracer("test").Start(context.Background(), "outside")
	m.Enter(1, ctx)
	m.Enter(2, ctx)
	own, span := provider.Tracer("test").Start(ctx, "own")
	m.Enter(3, own)
	m.Enter(4, own)
	m.Exit(4)
	m.Exit(3)
	span.End()
	m.Enter(5, ctx)
	m.Exit(5)
	m.Exit(2)
	m.Exit(1)
	outside.End()

	names := make(map[string]string) // by span
	for _, s := range rec.Ended() {
		names[s.SpanContext().SpanID().String()] = s.Name()
	}
	want := map[string]string{"outside": "", "store.#1": "outside", "store.#2": "store.#1", "own": "outside", "store.#3": "own", "store.#4": "store.#3", "store.#5": "store.#2"}
	for _, s := range rec.Ended() {
		if got := names[s.Parent().SpanID().String()]; got != want[s.Name()] {
			t.Errorf("the parent of %s is %q, want %q", s.Name(), got, want[s.Name()])
		}
	}
	if len(rec.Ended()) != len(want) {
		t.Errorf("%d spans, want %d", len(rec.Ended()), len(want))
	}
}
