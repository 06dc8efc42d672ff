//go:build !amd64

package runtime

import "internal/runtime/sys"

// WMEnterInts is WMEnterArgs for up to four integers of predeclared types.
//
//go:noinline
func WMEnterInts(s WMSite, kinds, a, b, c, d uint64) WMFrame {
	gp := getg()
	f := WMFrame(s)<<32 | WMFrame(wmToken(gp, sys.GetCallerSP()))
	words := [4]uint64{a, b, c, d}
	var list [4]eface
	v := wmInts(&list, &words, kinds)
	if !wmCaptured.args {
		v.n = 0
	}
	if !wmEmitFast(gp, uint64(f), &v) && !wmEmit(gp, uint64(f), true, &v) {
		return 0
	}
	return f
}

// WMExitInts is WMExitResults for up to four integers of predeclared types.
//
//go:noinline
func WMExitInts(f WMFrame, kinds, a, b, c, d uint64) { wmSlowExitInts(f, kinds, a, b, c, d) }
