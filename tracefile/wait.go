package tracefile

import "github.com/waymark-go/waymark/internal/wire/format"

// A WaitReason says why a goroutine did not run.
type WaitReason uint8

const (
	WaitNone      WaitReason = format.WaitNone      // it was ready all the time: preempted, or it gave its processor up
	WaitOther     WaitReason = format.WaitOther     // none of the following
	WaitChannel   WaitReason = format.WaitChannel   // to send or receive
	WaitSelect    WaitReason = format.WaitSelect    // a select statement
	WaitLock      WaitReason = format.WaitLock      // of package sync: Mutex, RWMutex, WaitGroup, Cond
	WaitNetwork   WaitReason = format.WaitNetwork   // or anything else that the poller waits for, as pipes
	WaitSyscall   WaitReason = format.WaitSyscall   // a system call
	WaitSleep     WaitReason = format.WaitSleep     // time.Sleep
	WaitTimer     WaitReason = format.WaitTimer     // to receive from a timer's channel
	WaitGC        WaitReason = format.WaitGC        // for the garbage collector
	WaitCoroutine WaitReason = format.WaitCoroutine // the other side of iter.Pull ran
	WaitTracing   WaitReason = format.WaitTracing   // for room to record an event
	WaitCgo       WaitReason = format.WaitCgo       // a call of C

	WaitReasons = format.WaitReasons // how many there are
)

var waitReasons = [WaitReasons]string{
	"none", "other", "channel", "select", "lock", "network", "syscall", "sleep", "timer", "gc", "coroutine", "tracing", "cgo",
}

// String returns the reason in one word, in lower case.
func (r WaitReason) String() string { return waitReasons[ReasonOf(uint64(r))] }

// ReasonOf returns the reason of that number, WaitOther if this version knows none of it.
func ReasonOf(n uint64) WaitReason {
	if n >= WaitReasons {
		return WaitOther
	}
	return WaitReason(n)
}

// A Wait says how long a goroutine did not run. Times are in ticks.
type Wait struct {
	Reason   WaitReason
	Total    uint64 // since it stopped running
	Runnable uint64 // of that, the last part, in which it was ready and had no processor
	Waker    uint64 // the goroutine that made it ready, 0 if that was a timer, the poller or the scheduler

	// Ago is since when it had run again at the clock of the event. It isn't 0 if there was no room for an
	// event then, or the goroutine was new: until its first call it has no events.
	Ago uint64

	// More is how many times besides it waited until there was room. Total and Runnable are of all these
	// waits, and Reason and Waker of the longest.
	More uint64
}

// Wait returns what an event Waited says.
func (ev *Event) Wait() Wait {
	w := format.ParseWait(ev.Data)
	return Wait{WaitReason(w.Reason), w.Total, w.Runnable, w.Waker, w.Ago, w.More}
}
