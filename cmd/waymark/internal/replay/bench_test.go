package replay

import (
	"fmt"
	"io"
	"runtime"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/calltree/calltreetest"
	"github.com/waymark-go/waymark/cmd/waymark/internal/recording"
	"github.com/waymark-go/waymark/cmd/waymark/internal/transcript"
	"github.com/waymark-go/waymark/tracefile"
)

// BenchmarkReplay prints recordings of several shapes, with one core and with all.
func BenchmarkReplay(b *testing.B) {
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
					if _, err := Write(io.Discard, set, &recording.Filter{}, transcript.Options{Width: transcript.DefaultWidth}); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(file.Info().Events)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mevents/s")
			})
		}
	}
}
