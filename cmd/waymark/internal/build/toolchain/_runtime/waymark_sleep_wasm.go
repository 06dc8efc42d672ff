package runtime

// wmSleep waits for a note.
func wmSleep(n *note, ns int64) { notetsleepg(n, ns) }

func wmWatchdog() {}
