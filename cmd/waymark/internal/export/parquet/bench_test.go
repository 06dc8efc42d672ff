package parquet

import (
	"io"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/export/calls"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree/calltreetest"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/internal/wire/format"
	"github.com/waymark-go/waymark/tracefile"
)

// BenchmarkWrite compares the export of a recording with parquet-go alone, which writes the same
// rows out of memory.
func BenchmarkWrite(b *testing.B) {
	const total = 1 << 18
	text := "A10 B20 C30 c30 C30 c30 b20 a10 "
	events, err := calltreetest.Events(text)
	if err != nil {
		b.Fatal(err)
	}
	r := calltreetest.Recording{PerBlock: 4000, Tables: []calltreetest.Table{{Package: "main", Sites: []format.Site{{Name: "main.a", File: "a.go"}, {Name: "main.b", File: "a.go"}, {Name: "main.c", File: "a.go"}}}}}
	last := events[len(events)-1].Clock
	for i := uint64(0); len(r.Events) < 2*total; i++ {
		for _, ev := range events {
			ev.Clock += i * last
			r.Events = append(r.Events, ev)
		}
	}
	r.End = r.Events[len(r.Events)-1].Clock
	data := r.Bytes()
	open := func() *tracefile.Set {
		file, err := calltreetest.Open("a.wmt", data)
		if err != nil {
			b.Fatal(err)
		}
		set, err := tracefile.Join([]*tracefile.File{file})
		if err != nil {
			b.Fatal(err)
		}
		return set
	}
	var rows []Row
	collect := &writer{rows: make([]Row, 0, perBatch), full: make(chan []Row), free: make(chan []Row)}
	go func() {
		for batch := range collect.full {
			rows = append(rows, batch...)
			clear(batch)
			collect.free <- batch[:0]
		}
	}()
	if _, err := calls.Tell(open(), &recording.Filter{}, calls.Options{}, calls.Listener{End: collect.end}); err != nil {
		b.Fatal(err)
	}
	report := func(b *testing.B) {
		b.ReportMetric(float64(len(rows))*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
	}
	b.Run("alone", func(b *testing.B) {
		for b.Loop() {
			w := NewWriter(io.Discard)
			for at := 0; at < len(rows); at += perBatch {
				if _, err := w.Write(rows[at:min(at+perBatch, len(rows))]); err != nil {
					b.Fatal(err)
				}
			}
			if err := w.Close(); err != nil {
				b.Fatal(err)
			}
		}
		report(b)
	})
	b.Run("export", func(b *testing.B) {
		for b.Loop() {
			if _, err := Write(io.Discard, open(), &recording.Filter{}, calls.Options{}); err != nil {
				b.Fatal(err)
			}
		}
		report(b)
	})
}
