package calltreetest

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/waymark-go/waymark/tracefile"
)

// Benchmark measures how long read takes for recordings of all Shapes, with one core and with all.
func Benchmark(b *testing.B, read func(*tracefile.Set) error) {
	for _, shape := range Shapes {
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
					if err := read(set); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(file.Info().Events)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mevents/s")
			})
		}
	}
}
