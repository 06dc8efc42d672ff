package main

import (
	"context"
	"log/slog"
	"os"

	"github.com/waymark-go/waymark/dev/benchmarks/measure"
)

// lineRungs are lines of log/slog at enter and exit, as people add them to find a
// fault. A line is a write, so they are complete, and nothing is known of goroutines.
func lineRungs() []goRung {
	return []goRung{
		{"off", func(t measure.Turns, rung string) ([]measure.Result, error) {
			return lines(slog.New(slog.NewTextHandler(os.Stderr, nil)), 20).measure(context.Background(), t, rung), nil
		}},
		{"text to /dev/null", func(t measure.Turns, rung string) ([]measure.Result, error) {
			f, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
			if err != nil {
				return nil, err
			}
			defer f.Close()
			return lines(slog.New(slog.NewTextHandler(f, all)), 3000).measure(context.Background(), t, rung), nil
		}},
		{"JSON to file", func(t measure.Turns, rung string) ([]measure.Result, error) {
			f, err := os.CreateTemp("", "waymark-peers-")
			if err != nil {
				return nil, err
			}
			defer os.Remove(f.Name())
			defer f.Close()
			list := lines(slog.New(slog.NewJSONHandler(f, all)), 5000).measure(context.Background(), t, rung)
			for i := range list {
				list[i].Lost = new(uint64)
			}
			return shareBytes(list, f)
		}},
	}
}

// all are options by which debug lines are written, which are off by default.
var all = &slog.HandlerOptions{Level: slog.LevelDebug}

func lines(l *slog.Logger, ns float64) calls {
	return calls{
		ns:      ns,
		leaf:    func(ctx context.Context, a, n int) int { return lineLeaf(ctx, l, a, n) },
		recurse: func(ctx context.Context, n int) int { return lineRecurse(ctx, l, n) },
	}
}

//go:noinline
func lineLeaf(ctx context.Context, l *slog.Logger, a, n int) int {
	l.LogAttrs(ctx, slog.LevelDebug, "enter leaf")
	r := work(a, n)
	l.LogAttrs(ctx, slog.LevelDebug, "exit leaf")
	return r
}

//go:noinline
func lineRecurse(ctx context.Context, l *slog.Logger, n int) int {
	l.LogAttrs(ctx, slog.LevelDebug, "enter recurse")
	r := 0
	if n > 0 {
		r = lineRecurse(ctx, l, n-1) + 1
	}
	l.LogAttrs(ctx, slog.LevelDebug, "exit recurse")
	return r
}
