package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"

	"github.com/waymark-go/waymark/dev/benchmarks/measure"
	"github.com/waymark-go/waymark/dev/benchmarks/plain"
	"github.com/waymark-go/waymark/dev/benchmarks/traced"
)

// A goRung is a way of tracing in a Go program, by code that stands in its functions.
type goRung struct {
	name string
	// run switches the tracer on, has calls made and measured, and switches it off. It adds
	// to each result what it knows of the recording.
	run func(t measure.Turns, rung string) ([]measure.Result, error)
}

// Calls are what a tracer for Go programs has instrumented by hand.
type calls struct {
	ns      float64 // about what a call takes
	leaf    func(ctx context.Context, a, n int) int
	recurse func(ctx context.Context, n int) int
}

const (
	factor = 0x9E37
	depth  = 10
)

// goPeer measures each rung in a process of its own.
func goPeer(name string, rungs []goRung) peer {
	return peer{
		name:   name,
		absent: func(*bench) string { return "" },
		round: func(b *bench) ([]measure.Result, error) {
			var list []measure.Result
			for _, r := range rungs {
				results, _, err := b.run(nil, b.self, "-child", childName(name, r.name),
					"-turn", b.turns.Length.String(), "-turns", strconv.Itoa(b.turns.Count))
				if err != nil {
					return nil, err
				}
				list = append(list, results...)
			}
			return list, nil
		},
	}
}

// runChild measures the rung that goPeer asks for.
func runChild(name string, t measure.Turns, w io.Writer) error {
	rungs := map[string][]goRung{
		"runtime/trace": regionRungs(), "OpenTelemetry": spanRungs(), "time.Now pair": pairRungs(), "log/slog": lineRungs(),
		untraced: {{untraced, runUntraced}},
	}
	for peer, list := range rungs {
		for _, r := range list {
			if childName(peer, r.name) != name {
				continue
			}
			results, err := r.run(t, r.name)
			if err != nil {
				return err
			}
			return measure.Print(w, results...)
		}
	}
	return fmt.Errorf("-child %q: no such rung", name)
}

func childName(peer, rung string) string {
	if peer == rung {
		return peer
	}
	return peer + ": " + rung
}

// shapes returns the two shapes that are measured of all tracers.
func (c calls) shapes(ctx context.Context) []measure.Shape {
	return []measure.Shape{
		{Name: "leaf", NS: c.ns,
			Plain: func(n int) {
				s := 0
				for i := range n {
					s += plain.Leaf(i, factor)
				}
				runtime.KeepAlive(s)
			},
			Traced: func(n int) {
				s := 0
				for i := range n {
					s += c.leaf(ctx, i, factor)
				}
				runtime.KeepAlive(s)
			}},
		{Name: "recursion 10", NS: c.ns, Per: depth,
			Plain: func(n int) {
				s := 0
				for range n / depth {
					s += plain.Recurse(depth - 1)
				}
				runtime.KeepAlive(s)
			},
			Traced: func(n int) {
				s := 0
				for range n / depth {
					s += c.recurse(ctx, depth-1)
				}
				runtime.KeepAlive(s)
			}},
	}
}

// measure measures both shapes.
func (c calls) measure(ctx context.Context, t measure.Turns, rung string) []measure.Result {
	var list []measure.Result
	for _, s := range c.shapes(ctx) {
		list = append(list, t.Round(rung, s))
	}
	return list
}

// work is what plain.Leaf does.
func work(a, n int) int {
	s := a * n
	s ^= s >> 7
	s += s << 3
	s ^= s >> 11
	return s ^ n
}

// shareBytes spreads the size of the file that all results are in over them, by their
// events.
func shareBytes(list []measure.Result, f *os.File) ([]measure.Result, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	shareSize(list, uint64(info.Size()))
	return list, nil
}

func shareSize(list []measure.Result, size uint64) {
	var events uint64
	for _, r := range list {
		events += r.Events
	}
	for i := range list {
		list[i].Bytes = size * list[i].Events / events
	}
}

// untraced names the rung that debuggers and probes watch from outside: package traced
// in a program that waymark didn't build.
const untraced = "untraced"

// untracedNS is what runUntraced takes a call for: a turn of 1 us is one call.
const untracedNS = 1000

func runUntraced(t measure.Turns, rung string) ([]measure.Result, error) {
	s := calls{leaf: func(_ context.Context, a, n int) int { return traced.Leaf(a, n) }}.shapes(context.Background())[0]
	s.NS = untracedNS
	return []measure.Result{t.Round(rung, s)}, nil
}
