package levels

import (
	"context"
	"runtime"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree"
	"github.com/waymark-go/waymark/tracefile"
)

// Table adds up the calls of a range of time, or of one goroutine in it unless that is 0. Calls are
// cut to the range, as `waymark report --time` does. The table of the whole recording is in the
// index; others are read from the recording.
func (x *Index) Table(ctx context.Context, r tracefile.Range, goroutine uint64) (*calltree.Result, error) {
	if r.From <= x.Begin() && (r.To == 0 || r.To >= x.End) && goroutine == 0 {
		return &calltree.Result{Rows: x.Rows, Events: x.Events, Calls: x.Calls, Seen: x.Goroutines, Problems: x.Problems, Mixed: x.Mixed}, nil
	}
	o := calltree.Options{From: r.From, To: r.To, Stop: ctx.Err}
	if goroutine != 0 {
		o.Goroutine = func(id uint64) bool { return id == goroutine }
	}
	return calltree.ReadFile(x.p.File, o, x.p.End, runtime.GOMAXPROCS(0), nil)
}
