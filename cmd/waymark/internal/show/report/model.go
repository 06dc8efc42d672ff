package report

import (
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/internal/function"
)

// Goroutines returns a row for each goroutine, in the order of the recordings. There are some only
// with Options.Goroutines, or in a report by goroutine.
func (r *Report) Goroutines() []*Row {
	if r.By == ByGoroutine {
		return r.rows
	}
	return r.goroutines
}

// A Path adds up the calls of a function that were reached by one path of callers. Times are in ns.
type Path struct {
	Caller                int // index among the paths, which comes before; -1 of root calls
	Func                  *function.Func
	Calls, Panics, Errors uint64
	Total, Self           int64
	Objects, Bytes        uint64
	Off                   *recording.Offs // when goroutines did not run; nil if they always did
}

// Paths calls do for each path of the whole account, shown or not, of a report with Options.Tree.
func (r *Report) Paths(do func(p *Path)) {
	for i := 1; i < len(r.tree.Nodes); i++ {
		n := &r.tree.Nodes[i]
		s := &n.Sum
		do(&Path{int(n.Parent) - 1, &r.rows[n.Row].Func, s.calls, s.panics, s.errors, s.total, s.self, s.objects, s.bytes, s.off})
	}
}
