//go:build !amd64

package runtime

import (
	"internal/runtime/sys"
	"unsafe"
)

// WMEnterArgs is WMEnter with the arguments of the call.
//
//go:noinline
//go:nosplit
func WMEnterArgs(site WMSite, args ...any) WMFrame {
	f := WMFrame(site)<<32 | WMFrame(wmToken(getg(), sys.GetCallerSP()))
	list, n := noescape(unsafe.Pointer(unsafe.SliceData(args))), len(args)
	if site&wmFlagged != 0 {
		return wmSlowEnterArgs(f, list, n)
	}
	if !wmCaptured.args {
		n = 0
	}
	return WMFrame(wmEmitValues(uint64(f), list, n))
}

// WMExitResults is WMExit with the results of the call.
//
//go:noinline
//go:nosplit
func WMExitResults(f WMFrame, results ...any) {
	list := noescape(unsafe.Pointer(unsafe.SliceData(results)))
	if f&wmFrameFlagged != 0 || !wmCaptured.results {
		wmSlowExitResults(f, list, len(results))
		return
	}
	wmEmitValues(uint64(f)|wmExitBit, list, len(results))
}
