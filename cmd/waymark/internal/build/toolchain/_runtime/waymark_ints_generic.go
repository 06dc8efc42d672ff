//go:build !amd64

package runtime

import "internal/runtime/sys"

// WMEnterInts is WMEnterArgs for up to four integers of predeclared types.
//
//go:noinline
func WMEnterInts(s WMSite, kinds, a, b, c, d uint64) WMFrame {
	return wmEnterInts(WMFrame(s)<<32|WMFrame(wmToken(getg(), sys.GetCallerSP())), kinds, &[4]uint64{a, b, c, d})
}

// WMExitInts is WMExitResults for up to four integers of predeclared types.
//
//go:noinline
func WMExitInts(f WMFrame, kinds, a, b, c, d uint64) { wmSlowExitInts(f, kinds, a, b, c, d) }
