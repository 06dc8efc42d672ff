// Package runtime, as waymark adds to it: work that the end of the program waits for.

package runtime

import (
	"internal/runtime/atomic"
	"internal/runtime/exithook"
)

// WMFinish runs f on a goroutine of waymark's, waits for it, and reports whether f has returned.
// After each pause, in ns, it calls wait, and gives up if that returns false.
//
// It waits on a note. In a bubble of testing/synctest a channel and a timer would belong to the
// bubble. f's goroutine is outside of the bubble, so it must not close that channel. And the
// bubble's time stands still.
func WMFinish(f func(), pause int64, wait func() bool) bool {
	done := new(note)
	wmNewGoroutine()
	go wmFinish(f, done)
	for !notetsleepg(done, pause) {
		if !wait() {
			return false
		}
	}
	return true
}

func wmFinish(f func(), done *note) {
	wmRun(f)
	notewakeup(done)
}

// wmExit is the clock when the program began to end, 0: it hasn't. What waymark does then is no time of the calls that
// os.Exit has left.
var wmExit atomic.Uint64

// WMAtExit has f called when the program ends by os.Exit or by returning from main.
func WMAtExit(f func()) {
	exithook.Add(exithook.Hook{F: f, RunOnFailure: true})
	exithook.Add(exithook.Hook{F: wmExits, RunOnFailure: true}) // the last one that is added is the first to run
}

func wmExits() { wmExit.CompareAndSwap(0, wmClock()) }
