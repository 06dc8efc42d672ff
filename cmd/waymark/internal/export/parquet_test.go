package export

import (
	"bytes"
	"testing"

	format "github.com/parquet-go/parquet-go"

	"github.com/waymark-go/waymark/cmd/waymark/internal/export/parquet"
)

func readParquet(t *testing.T, data []byte, e *ends) map[string]sums {
	rows, err := format.Read[parquet.Row](bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	out := make(map[string]sums)
	ids := make(map[int64]bool)
	for _, r := range rows {
		ids[r.ID] = true
	}
	for _, r := range rows {
		if r.Caller != 0 && !ids[r.Caller] || r.Trace == 0 || r.Starter != 0 && !ids[r.Starter] {
			t.Errorf("row of an unknown caller, starter or trace: %+v", r)
		}
		e.start(uint64(r.Goroutine), uint64(r.ParentGoroutine))
		var marks []string
		for name, is := range map[string]bool{"panicked": r.Panicked, "recovered": r.Recovered, "goexit": r.Goexit, "error": r.Error, "open": r.Open} {
			if is {
				marks = append(marks, name)
			}
		}
		e.call(uint64(r.Goroutine), r.Function, marks...)
		s := out[seen(r.Function)]
		s.calls++
		s.self += r.Self
		if !r.Recursive {
			s.total += r.Duration
		}
		out[seen(r.Function)] = s
	}
	return out
}
