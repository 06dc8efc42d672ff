package report

import (
	"io"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree/calltreetest"
	"github.com/waymark-go/waymark/tracefile"
)

func benchmarkRead(b *testing.B, o Options, write func(*Report) error) {
	calltreetest.Benchmark(b, func(set *tracefile.Set) error {
		r := New(o)
		if err := r.Read(set); err != nil {
			return err
		}
		return write(r)
	})
}

func BenchmarkReport(b *testing.B) {
	benchmarkRead(b, Options{}, func(r *Report) error { return r.Write(io.Discard, JSON) })
}

func BenchmarkTree(b *testing.B) {
	benchmarkRead(b, Options{Tree: true}, func(r *Report) error { _, err := r.WriteTree(io.Discard, JSON); return err })
}
