//go:build linux && amd64

package patch

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/displace"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/image"
)

// A planned is the plan of a function, or why there is none.
type planned struct {
	plan *displace.Plan
	err  error
}

// plansOf makes plans of functions that aren't known, on all processors.
func plansOf(list []Wanted, known map[*image.Func]*Site) []planned {
	plans := make([]planned, len(list))
	var next atomic.Int64
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(list); i = int(next.Add(1)) - 1 {
				if known[list[i].Func] == nil {
					plans[i].plan, plans[i].err = displace.Of(list[i].Func)
				}
			}
		})
	}
	all.Wait()
	return plans
}
