//go:build !amd64 && !arm64

package runtime

import "internal/runtime/sys"

// WMEnter records that a call of the function with site word s begins.
//
//go:noinline
func WMEnter(s WMSite) WMFrame {
	gp := getg()
	f := WMFrame(s)<<32 | WMFrame(wmToken(gp, sys.GetCallerSP()))
	if s&wmFlagged != 0 {
		return wmEnterFlagged(f, nil)
	}
	if !wmEmit(gp, uint64(f), true, nil) {
		return 0
	}
	return f
}

// WMExit records that the call f ends.
//
//go:noinline
func WMExit(f WMFrame) { wmSlowExit(f) }

// WMFloor reads the clock 2*n times.
func WMFloor(n int) uint64 {
	var sum uint64
	for i := 0; i < 2*n; i++ {
		sum += wmTicks()
	}
	return sum
}

// wmCallSize is what a call pushes, where assembly reads the stack pointer: nowhere.
const wmCallSize = 0

// wmCounter says that there is no counter to read.
func wmCounter() (name string, constant bool, hz uint64) { return "", false, 0 }

func wmTicks() uint64 { return uint64(nanotime()) }
