package main

import (
	"bufio"
	"context"
	"os"
	"sync/atomic"

	"go.opentelemetry.io/otel/exporters/stdout/stdouttrace"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	api "go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/waymark-go/waymark/dev/benchmarks/measure"
)

// spanRungs are spans of OpenTelemetry's SDK, one for each call.
func spanRungs() []goRung {
	return []goRung{
		{"no provider", func(t measure.Turns, rung string) ([]measure.Result, error) {
			return spans(noop.NewTracerProvider(), 50).measure(context.Background(), t, rung), nil
		}},
		{"each exported, discarded", func(t measure.Turns, rung string) ([]measure.Result, error) {
			return export(t, rung, &counter{}, func(e sdk.SpanExporter) sdk.SpanProcessor { return sdk.NewSimpleSpanProcessor(e) })
		}},
		{"batched, JSON to file", func(t measure.Turns, rung string) ([]measure.Result, error) {
			f, err := os.CreateTemp("", "waymark-peers-")
			if err != nil {
				return nil, err
			}
			defer os.Remove(f.Name())
			defer f.Close()
			w := bufio.NewWriter(f)
			e, err := stdouttrace.New(stdouttrace.WithWriter(w))
			if err != nil {
				return nil, err
			}
			c := &counter{next: e}
			list, err := export(t, rung, c, func(e sdk.SpanExporter) sdk.SpanProcessor { return sdk.NewBatchSpanProcessor(e) })
			if err != nil {
				return nil, err
			}
			if err := w.Flush(); err != nil {
				return nil, err
			}
			info, err := f.Stat()
			if err != nil {
				return nil, err
			}
			// The file holds what wasn't lost.
			for i := range list {
				kept := list[i].Events - *list[i].Lost
				list[i].Bytes = uint64(float64(info.Size()) * float64(kept) / float64(max(2*c.spans.Load(), 1)))
			}
			return list, nil
		}},
	}
}

// export measures with a provider whose spans the counter exports, and counts those
// that never reached it.
func export(t measure.Turns, rung string, c *counter, processor func(sdk.SpanExporter) sdk.SpanProcessor) ([]measure.Result, error) {
	var list []measure.Result
	ctx := context.Background()
	provider := sdk.NewTracerProvider(sdk.WithSpanProcessor(processor(c)))
	for _, s := range spans(provider, 1000).shapes(ctx) {
		before := c.spans.Load()
		r := t.Round(rung, s)
		if err := provider.ForceFlush(ctx); err != nil {
			return nil, err
		}
		r.Lost = lost(r.Events, 2*(c.spans.Load()-before))
		list = append(list, r)
	}
	return list, provider.Shutdown(ctx)
}

// A counter counts spans and passes them on, if there is somewhere to.
type counter struct {
	spans atomic.Uint64
	next  sdk.SpanExporter
}

func (c *counter) ExportSpans(ctx context.Context, list []sdk.ReadOnlySpan) error {
	c.spans.Add(uint64(len(list)))
	if c.next == nil {
		return nil
	}
	return c.next.ExportSpans(ctx, list)
}

func (c *counter) Shutdown(ctx context.Context) error {
	if c.next == nil {
		return nil
	}
	return c.next.Shutdown(ctx)
}

func spans(p api.TracerProvider, ns float64) calls {
	t := p.Tracer("peers")
	return calls{
		ns:      ns,
		leaf:    func(ctx context.Context, a, n int) int { return spanLeaf(ctx, t, a, n) },
		recurse: func(ctx context.Context, n int) int { return spanRecurse(ctx, t, n) },
	}
}

//go:noinline
func spanLeaf(ctx context.Context, t api.Tracer, a, n int) int {
	_, span := t.Start(ctx, "leaf")
	defer span.End()
	return work(a, n)
}

//go:noinline
func spanRecurse(ctx context.Context, t api.Tracer, n int) int {
	ctx, span := t.Start(ctx, "recurse")
	defer span.End()
	if n == 0 {
		return 0
	}
	return spanRecurse(ctx, t, n-1) + 1
}
