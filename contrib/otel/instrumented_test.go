//go:build waymark

package otel_test

import (
	"context"
	"errors"
	"testing"

	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/waymark-go/waymark"
	"github.com/waymark-go/waymark/contrib/otel"
	"github.com/waymark-go/waymark/monitor"
)

var Spans = waymark.NewGroup("otel.Spans")

//waymark:group Spans
func outer(ctx context.Context) error { return inner(3) }

//waymark:group Spans
func inner(n int) error {
	if n > 2 {
		tooMuch(n)
		return errors.New("wrong")
	}
	return nil
}

//waymark:info
func tooMuch(n int) {}

// TestInstrumented is for `waymark test`: calls of functions in a group become spans.
func TestInstrumented(t *testing.T) {
	rec := tracetest.NewSpanRecorder()
	provider := sdk.NewTracerProvider(sdk.WithSpanProcessor(rec))
	if err := monitor.Register(Spans, otel.New(provider)); err != nil {
		t.Fatal(err)
	}
	defer monitor.Clear(Spans)
	ctx, span := provider.Tracer("test").Start(context.Background(), "test")
	outer(ctx)
	ended := rec.Ended()
	if len(ended) != 2 || ended[0].Name() != "otel_test.inner" || ended[1].Name() != "otel_test.outer" {
		t.Fatalf("spans %v", ended)
	}
	if ended[0].Parent().SpanID() != ended[1].SpanContext().SpanID() || ended[1].Parent().SpanID() != span.SpanContext().SpanID() {
		t.Error("the parents are others")
	}
	events := ended[0].Events()
	if len(events) != 2 || events[0].Name != "tooMuch" || events[1].Name != "exception" {
		t.Errorf("events %+v", events)
	}
}
