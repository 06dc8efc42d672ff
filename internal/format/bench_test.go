package format

import "testing"

// Both take the chunks of TestSize's program.

func BenchmarkEncoder(b *testing.B) { benchmarkEncoder(b, Encoder{}) }

func BenchmarkEncoderTallies(b *testing.B) { benchmarkEncoder(b, Encoder{Tallies: []Tally{}}) }

func benchmarkEncoder(b *testing.B, enc Encoder) {
	recs := parserRecords((ChunkSize - ChunkHeader) / RecordSize)
	var dst []byte
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		dst, _ = enc.Append(dst[:0], Chunk{Clock: recs[0].Clock, Goroutine: 1}, recs)
	}
	report(b, len(recs), len(dst))
}

func BenchmarkDecoder(b *testing.B) {
	recs := parserRecords((ChunkSize - ChunkHeader) / RecordSize)
	var enc Encoder
	payload, _ := enc.Append(nil, Chunk{Clock: recs[0].Clock, Goroutine: 1}, recs)
	var dec Decoder
	var evs [64]Event
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		if _, err := dec.Reset(payload); err != nil {
			b.Fatal(err)
		}
		for dec.Read(evs[:]) > 0 {
		}
	}
	report(b, len(recs), len(payload))
}

func report(b *testing.B, events, bytes int) {
	b.ReportMetric(float64(events)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mevents/s")
	b.ReportMetric(float64(bytes)/float64(events), "bytes/event")
}
