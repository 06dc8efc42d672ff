package report

import (
	"fmt"
	"io"
	"runtime"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/calltree/calltreetest"
	"github.com/waymark-go/waymark/tracefile"
)

// benchmarkRead measures the reading of recordings of several shapes, with one core
// and with all.
func benchmarkRead(b *testing.B, o Options, write func(*Report) error) {
	for _, shape := range calltreetest.Shapes {
		for _, cores := range []int{1, runtime.GOMAXPROCS(0)} {
			b.Run(fmt.Sprintf("%s/cores=%d", shape.Name, cores), func(b *testing.B) {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
				file, err := shape.Recording().Open()
				if err != nil {
					b.Fatal(err)
				}
				set, err := tracefile.Join([]*tracefile.File{file})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportAllocs()
				for b.Loop() {
					r := New(o)
					if err := r.Read(set); err != nil {
						b.Fatal(err)
					}
					if err := write(r); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(file.Info().Events)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mevents/s")
			})
		}
	}
}

func BenchmarkReport(b *testing.B) {
	benchmarkRead(b, Options{}, func(r *Report) error { return r.Write(io.Discard, JSON) })
}

func BenchmarkTree(b *testing.B) {
	benchmarkRead(b, Options{Tree: true}, func(r *Report) error { _, err := r.WriteTree(io.Discard, JSON); return err })
}
