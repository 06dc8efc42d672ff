//go:build linux && amd64

package patch

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/displace"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/image"
)

// A planned is the plan of a function, and why there is none. With an error a plan is of the function's beginning: its
// calls can be counted.
type planned struct {
	plan *displace.Plan
	err  error
}

func (p *planned) of(f *image.Func, count bool) {
	if p.plan, p.err = displace.Of(f); p.err != nil && count {
		p.plan, _ = displace.Counted(f)
	}
}

// plansOf makes plans of functions that aren't known, on all processors.
func plansOf(list []Wanted, known map[*image.Func]*Site) []planned {
	plans := make([]planned, len(list))
	var next atomic.Int64
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(list); i = int(next.Add(1)) - 1 {
				if w := list[i]; w.Line != nil {
					plans[i].plan = w.Line.plan
				} else if known[w.Func] == nil {
					plans[i].of(list[i].Func, list[i].Record.Count)
				}
			}
		})
	}
	all.Wait()
	return plans
}
