package runtime

// wmSleep waits for a note.
func wmSleep(n *note, ns int64) { notetsleepg(n, ns) }

// WMPause returns false: there is no thread to wait on.
func WMPause(ns int64) bool { return false }

func wmWatchdog() {}
