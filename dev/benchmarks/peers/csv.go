package main

import (
	"encoding/csv"
	"io"
	"strconv"
)

// writeCSV writes what each round gave, times in ns per call.
func (s *summary) writeCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	out.Write([]string{"tracer", "rung", "calls", "round", "floor_ns", "plain_ns", "traced_ns", "over_ns",
		"allocs", "events", "lost", "bytes", "events_per_second", "memory"})
	number := func(v float64) string { return strconv.FormatFloat(v, 'f', 3, 64) }
	count := func(n uint64) string { return strconv.FormatUint(n, 10) }
	for _, row := range s.rows {
		for round, r := range row.results {
			lost, allocs := "", ""
			if r.Lost != nil {
				lost = count(*r.Lost)
			}
			if r.Allocs != nil {
				allocs = number(*r.Allocs)
			}
			out.Write([]string{row.peer, row.rung, row.shape, strconv.Itoa(round + 1),
				number(r.Floor), number(r.Plain), number(r.Traced), number(r.Over), allocs,
				count(r.Events), lost, count(r.Bytes), number(r.PerSecond), count(r.Memory)})
		}
	}
	out.Flush()
	return out.Error()
}
