package format

import "testing"

func BenchmarkOutliner(b *testing.B) {
	recs := parserRecords((ChunkSize - ChunkHeader) / RecordSize)
	enc := Encoder{Outliner: new(Outliner)}
	var dst []byte
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		dst, _ = enc.Append(dst[:0], Chunk{Clock: recs[0].Clock, Goroutine: 1}, recs)
		if !enc.Outliner.Outline().Whole {
			b.Fatal("not whole")
		}
	}
	report(b, len(recs), len(dst))
}
