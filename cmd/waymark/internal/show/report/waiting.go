package report

import (
	"slices"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/internal/calls"
	"github.com/waymark-go/waymark/internal/text/table"
	"github.com/waymark-go/waymark/internal/text/units"
)

// waits reports whether the recordings say when goroutines ran.
func (r *Report) waits() bool {
	return slices.ContainsFunc(r.Recordings, func(s recording.Summary) bool { return s.Info.Waiting })
}

// pathsWait reports whether that is known of paths, too: statistics have it of functions only.
func (r *Report) pathsWait() bool { return r.waits() && !r.statistics() }

// offColumns are the columns of text.
var offColumns = append([]table.Column{{Head: "Total time", Right: true}}, table.Parts...)

func offCells(o *calls.Off, total int64) []table.Cell {
	return []table.Cell{table.Duration(total), table.Duration(o.Running(total)), table.Duration(o.Runnable), table.Duration(o.Waited())}
}

// waitingTable returns the table of --waiting.
func (r *Report) waitingTable(rows []*Row) *table.Table {
	head := r.head()
	if r.By == ByGoroutine {
		head = "Goroutine"
	}
	t := &table.Table{Columns: append(slices.Clone(offColumns), table.Column{Head: "Calls", Right: true}, table.Column{Head: head})}
	reasons := !r.statistics()
	if reasons {
		t.Columns = append(t.Columns, table.Column{Head: "Waiting for"})
	}
	for i, calls := range r.calls(rows) {
		o := &rows[i].Off.Total
		name := calls.Name
		if g := &rows[i].Goroutine; r.By == ByGoroutine {
			name = units.Count(g.ID)
			if from := g.creation(r.names); from != "" {
				name += " by " + from
			}
		}
		row := append(offCells(o, rows[i].Total), table.Count(calls.Calls), table.Cell{Text: name})
		if reasons {
			row = append(row, table.Cell{Text: o.Longest()})
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
