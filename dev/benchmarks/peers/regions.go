package main

import (
	"context"
	"io"
	"os"
	"runtime/trace"

	"github.com/waymark-go/waymark/dev/benchmarks/measure"
)

// regionRungs are regions of Go's execution tracer, which knows goroutines. Its file
// has the scheduler's events, too.
func regionRungs() []goRung {
	return []goRung{
		{"off", func(t measure.Turns, rung string) ([]measure.Result, error) {
			return regions(30).measure(context.Background(), t, rung), nil
		}},
		{"on, discarded", func(t measure.Turns, rung string) ([]measure.Result, error) {
			return traceRegions(t, rung, io.Discard)
		}},
		{"to file", func(t measure.Turns, rung string) ([]measure.Result, error) {
			f, err := os.CreateTemp("", "waymark-peers-")
			if err != nil {
				return nil, err
			}
			defer os.Remove(f.Name())
			defer f.Close()
			list, err := traceRegions(t, rung, f)
			if err != nil {
				return nil, err
			}
			return shareBytes(list, f)
		}},
	}
}

func traceRegions(t measure.Turns, rung string, w io.Writer) ([]measure.Result, error) {
	if err := trace.Start(w); err != nil {
		return nil, err
	}
	defer trace.Stop()
	return regions(300).measure(context.Background(), t, rung), nil
}

func regions(ns float64) calls { return calls{ns: ns, leaf: regionLeaf, recurse: regionRecurse} }

//go:noinline
func regionLeaf(ctx context.Context, a, n int) int {
	defer trace.StartRegion(ctx, "leaf").End()
	return work(a, n)
}

//go:noinline
func regionRecurse(ctx context.Context, n int) int {
	defer trace.StartRegion(ctx, "recurse").End()
	if n == 0 {
		return 0
	}
	return regionRecurse(ctx, n-1) + 1
}
