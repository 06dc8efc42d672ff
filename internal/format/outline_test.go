package format

import "testing"

func BenchmarkOutliner(b *testing.B) {
	recs := parserRecords((ChunkSize - ChunkHeader) / RecordSize)
	var o Outliner
	n := 0
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		out := o.Outline(Chunk{Clock: recs[0].Clock, Goroutine: 1}, recs)
		n = len(out.Records)
		if !out.Whole {
			b.Fatal("not whole")
		}
	}
	report(b, len(recs), n)
}
