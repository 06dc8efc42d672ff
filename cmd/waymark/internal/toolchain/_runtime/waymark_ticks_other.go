//go:build !linux || !amd64

package runtime

// WMTick says whether ticks are wanted, which there are none of here: nothing in Go reads them.
func WMTick(on bool) {}

// WMTicker returns what ticks have taken, and when they were late.
func WMTicker() (cpu, blind int64) { return 0, 0 }

func wmSwitchTicks() {}
