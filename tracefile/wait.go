package tracefile

import "github.com/waymark-go/waymark/internal/wire/format"

// A WaitReason says why a goroutine did not run. String returns the reason in one word, in lower case.
type WaitReason = format.WaitReason

const (
	WaitNone      = format.WaitNone      // it was ready all the time: preempted, or it gave its processor up
	WaitOther     = format.WaitOther     // none of the following
	WaitChannel   = format.WaitChannel   // to send or receive
	WaitSelect    = format.WaitSelect    // a select statement
	WaitLock      = format.WaitLock      // a Mutex or RWMutex of package sync
	WaitNetwork   = format.WaitNetwork   // or anything else that the poller waits for, as pipes
	WaitSyscall   = format.WaitSyscall   // a system call
	WaitSleep     = format.WaitSleep     // time.Sleep
	WaitTimer     = format.WaitTimer     // to receive from a timer's channel
	WaitGC        = format.WaitGC        // for the garbage collector
	WaitCoroutine = format.WaitCoroutine // the other side of iter.Pull ran
	WaitTracing   = format.WaitTracing   // for room to record an event
	WaitCgo       = format.WaitCgo       // a call of C
	WaitWaitGroup = format.WaitWaitGroup // of package sync
	WaitCond      = format.WaitCond      // of package sync
	WaitRuntime   = format.WaitRuntime   // a semaphore of the runtime, as to begin a collection

	WaitReasons = format.WaitReasons // how many there are
)

// ReasonOf returns the reason of that number, WaitOther if this version knows none of it.
func ReasonOf(n uint64) WaitReason { return format.ReasonOf(n) }

// A Wait says how long a goroutine did not run. Times are in ticks.
//
//	Reason   WaitReason
//	Total    uint64 // since it stopped running
//	Runnable uint64 // of that, the last part, in which it was ready and had no processor
//	Waker    uint64 // the goroutine that made it ready, 0 if that was a timer, the poller or the scheduler
//	Ago      uint64 // since when it had run again at the clock of the event
//	More     uint64 // how many times besides it waited until there was room for an event
//
// Ago isn't 0 if there was no room for an event then, or the goroutine was new: until its first call it
// has no events. Total and Runnable are of all these waits, and Reason and Waker of the longest.
type Wait = format.Wait
