package tracefile

import (
	"testing"

	"github.com/waymark-go/waymark/internal/wire/format"
)

// chunkRecords is how many records fill a chunk.
const chunkRecords = (format.ChunkSize - format.ChunkHeader) / format.RecordSize

// BenchmarkEvents reads files of as many streams, whose goroutines run at the
// same time, with an event every 50 ns on each.
func BenchmarkEvents(b *testing.B) {
	for _, bench := range []struct {
		name    string
		streams int
	}{{"streams=1", 1}, {"streams=2", 2}, {"streams=8", 8}, {"streams=64", 64}} {
		b.Run(bench.name, func(b *testing.B) {
			const chunks = 256
			w := newTrace()
			walkers := make([]*walker, bench.streams)
			for i := range walkers {
				walkers[i] = newWalker(int64(i), testStart)
			}
			var recs []format.Record
			for i := 0; i < chunks; i++ {
				s := i % bench.streams
				recs = walkers[s].walk(recs[:0], chunkRecords, 100)
				w.Chunk(uint32(s), uint64(1+s), recs)
			}
			w.End(walkers[0].clock, format.Trailer{Events: chunks * chunkRecords})
			f := openBytes(b, w.File)
			b.ReportAllocs()
			b.ResetTimer()
			var ev Event
			n := 0
			for i := 0; i < b.N; i++ {
				for e := f.Events(); e.Next(&ev); {
					n++
				}
			}
			if n != b.N*chunks*chunkRecords {
				b.Fatalf("%d events, not %d", n, b.N*chunks*chunkRecords)
			}
			b.ReportMetric(float64(n)/b.Elapsed().Seconds()/1e6, "Mevents/s")
			b.ReportMetric(float64(len(w.File))/(chunks*chunkRecords), "bytes/event")
		})
	}
}
