package budget

import (
	"cmp"
	"slices"

	"github.com/waymark-go/waymark/internal/wire/format"
)

// Advice returns what tracing has cost a program without a budget, in ns. It also returns the
// sites that a budget would have demoted, those first that were called most. used and tallies are
// of the whole recording.
func Advice(share float64, costs Costs, used Usage, tick float64, tallies []format.Tally, values ValueTimes) (spent int64, sites []uint32) {
	c := New(share, costs, Usage{})
	c.account(&Sample{Usage: used, Tick: tick, Tallies: tallies, Values: values})
	c.average()
	c.balance = 0 // it owes nothing: what would have been saved up is not known
	for _, ch := range c.demote() {
		sites = append(sites, ch.Site)
	}
	slices.SortFunc(sites, func(a, b uint32) int {
		if tallies[a].Calls != tallies[b].Calls {
			return cmp.Compare(tallies[b].Calls, tallies[a].Calls)
		}
		return cmp.Compare(a, b)
	})
	return c.Spent(), sites
}
