package replay

import (
	"io"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/calltree/calltreetest"
	"github.com/waymark-go/waymark/cmd/waymark/internal/recording"
	"github.com/waymark-go/waymark/cmd/waymark/internal/transcript"
	"github.com/waymark-go/waymark/tracefile"
)

func BenchmarkReplay(b *testing.B) {
	calltreetest.Benchmark(b, func(set *tracefile.Set) error {
		_, err := Write(io.Discard, set, &recording.Filter{}, transcript.Options{Width: transcript.DefaultWidth})
		return err
	})
}
