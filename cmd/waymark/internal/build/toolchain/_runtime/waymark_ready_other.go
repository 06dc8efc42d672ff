//go:build !linux

package runtime

// WMReady returns -1: it is not known how to wait without the network poller.
func WMReady(fd int32, write bool, ns int64) int32 { return -1 }
