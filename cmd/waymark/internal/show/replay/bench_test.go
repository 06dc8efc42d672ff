package replay

import (
	"io"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree/calltreetest"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/tracefile"
)

func BenchmarkReplay(b *testing.B) {
	calltreetest.Benchmark(b, func(set *tracefile.Set) error {
		_, err := Write(io.Discard, set, &recording.Filter{}, Options{Width: DefaultWidth})
		return err
	})
}
