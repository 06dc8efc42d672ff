package report

import (
	"encoding/csv"
	"io"
	"strconv"

	"github.com/waymark-go/waymark/internal/calls"
)

// writeCSV prints a head and the rows, times in ns. Columns have the names of
// the JSON keys.
func (r *Report) writeCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	if r.By == ByType {
		c.Write([]string{"name", "package", "objects", "bytes"})
		types, _ := r.Types()
		for _, t := range types {
			c.Write([]string{t.Name, t.Package, unsigned(t.Objects), unsigned(t.Bytes)})
		}
		c.Flush()
		return c.Error()
	}
	heads := map[By][]string{
		ByFunction:  {"name", "package", "file", "line"},
		ByPackage:   {"name"},
		ByGroup:     {"name"},
		ByValue:     {"value"},
		ByGoroutine: {"pid", "goroutine", "parent_goroutine", "origin_func", "origin_file", "origin_line", "start_ns", "end_ns"},
	}
	head := append(heads[r.By], "calls", "panics", "total_ns", "self_ns", "min_ns", "max_ns", "avg_ns", "errors", "recorded")
	waits := r.waits()
	if waits {
		head = append(head, calls.OffHeads()...)
	}
	c.Write(head)
	rows, _ := r.Rows()
	for _, row := range rows {
		var record []string
		switch r.By {
		case ByFunction:
			record = []string{row.Name, row.Package, row.File, strconv.Itoa(row.Line)}
		case ByPackage, ByGroup, ByValue:
			record = []string{row.Name}
		case ByGoroutine:
			g := &row.Goroutine
			record = []string{
				strconv.Itoa(g.PID), unsigned(g.ID), unsigned(g.Parent), g.Origin.Func, g.Origin.File, strconv.Itoa(g.Origin.Line),
				signed(g.Start), signed(g.End),
			}
		}
		record = append(record, unsigned(row.Calls), unsigned(row.Panics),
			signed(row.Total), signed(row.Self), signed(row.Min), signed(row.Max), signed(row.Avg()), unsigned(row.Errors), unsigned(row.Recorded()))
		if waits {
			record = append(record, row.Off.Total.Fields(row.Total)...)
		}
		c.Write(record)
	}
	c.Flush()
	return c.Error()
}

func unsigned(n uint64) string { return strconv.FormatUint(n, 10) }
func signed(n int64) string    { return strconv.FormatInt(n, 10) }
