//go:build !amd64

package runtime

// WMExitError is WMExit for a call that returns err.
//
//go:noinline
func WMExitError(f WMFrame, err error) {
	if err != nil {
		wmExitFailed(f)
		return
	}
	WMExit(f)
}
