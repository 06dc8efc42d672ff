package agent

import (
	"sync"

	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/program/switchboard"
)

// guardProbes has policies of the program decide about USDT probes of functions, as soon as a package
// with probes registers. Tracers of the system stand outside the switchboard. So no probe fires any more
// when a policy is against a recording of kind USDT by a command, or allows some groups only.
func guardProbes() {
	if !rt.Enabled {
		return
	}
	var once sync.Once
	rt.Packages(func(p *rt.Package) {
		if len(p.Probes) == 0 {
			return
		}
		once.Do(func() {
			owner := switchboard.Default.Join("USDT", switchboard.Command)
			owner.Removed = func(reason string) string {
				rt.ProbesOff()
				return "usdt: " + reason + "; USDT probes of functions don't fire any more"
			}
			wish := switchboard.Wish{Want: rt.Recorded, Kind: "USDT", Select: switchboard.Selection{Groups: []string{""}}}
			if owner.Set(wish) != nil {
				rt.ProbesOff()
			}
		})
	})
}
