package format

import "testing"

// BenchmarkEncoder encodes the chunks of two programs: TestSize's, and one that only calls a leaf. Times
// are for one enter or exit. Instructions, of which callgrind counts those of the test binary:
//
//	go test -c -o /tmp/format.test ./internal/format
//	GODEBUG=asyncpreemptoff=1 GOGC=off valgrind --tool=callgrind --callgrind-out-file=/dev/null \
//		/tmp/format.test -test.run '^$' -test.cpu 1 -test.bench Encoder/leaf/outline -test.benchtime 420x
//
// Those of 420x less those of 20x are 400 times 4090 events.
func BenchmarkEncoder(b *testing.B) {
	most := (ChunkSize - ChunkHeader) / RecordSize
	programs := []struct {
		name string
		recs []Record
	}{{"parser", parserRecords(most)}, {"leaf", leafRecords(most)}}
	for _, p := range programs {
		b.Run(p.name, func(b *testing.B) {
			b.Run("plain", func(b *testing.B) { benchmarkEncoder(b, p.recs, &Encoder{}) })
			b.Run("outline", func(b *testing.B) { benchmarkEncoder(b, p.recs, &Encoder{Outliner: new(Outliner)}) })
			b.Run("tallies", func(b *testing.B) { benchmarkEncoder(b, p.recs, &Encoder{Tallies: []Tally{}}) })
			b.Run("both", func(b *testing.B) {
				benchmarkEncoder(b, p.recs, &Encoder{Outliner: new(Outliner), Tallies: []Tally{}})
			})
		})
	}
}

func benchmarkEncoder(b *testing.B, recs []Record, enc *Encoder) {
	var dst []byte
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		dst, _ = enc.Append(dst[:0], Chunk{Clock: recs[0].Clock, Goroutine: 1}, recs)
		if enc.Outliner != nil && !enc.Outliner.Outline().Whole {
			b.Fatal("no outline")
		}
	}
	report(b, len(recs), len(dst))
}

// leafRecords makes up to n records of a program that calls a function of 16 ns.
func leafRecords(n int) (recs []Record) {
	clock := uint64(1e12)
	for len(recs)+2 <= n {
		recs = append(recs, Record{clock, 7<<SiteShift | 96}, Record{clock + 36, ExitBit | 7<<SiteShift | 96})
		clock += 74 + uint64(len(recs)%5)
	}
	return recs
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
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(events), "ns/event")
	b.ReportMetric(float64(bytes)/float64(events), "bytes/event")
}
