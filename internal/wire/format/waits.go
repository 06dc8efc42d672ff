package format

import "encoding/binary"

// A WaitReason says why a goroutine did not run.
type WaitReason uint8

const (
	WaitNone      WaitReason = 0 // it was ready all the time: preempted, or it gave its processor up
	WaitOther     WaitReason = 1 // none of the following
	WaitChannel   WaitReason = 2 // to send or receive
	WaitSelect    WaitReason = 3 // a select statement
	WaitLock      WaitReason = 4 // a Mutex or RWMutex of package sync
	WaitNetwork   WaitReason = 5 // or anything else that the poller waits for, as pipes
	WaitSyscall   WaitReason = 6
	WaitSleep     WaitReason = 7  // time.Sleep
	WaitTimer     WaitReason = 8  // to receive from a timer's channel
	WaitGC        WaitReason = 9  // it had to help the collector, or the collector looked at its stack
	WaitCoroutine WaitReason = 10 // the other side of iter.Pull ran
	WaitTracing   WaitReason = 11 // for room to record an event
	WaitCgo       WaitReason = 12 // a call of C
	WaitWaitGroup WaitReason = 13 // of package sync
	WaitCond      WaitReason = 14 // of package sync
	WaitRuntime   WaitReason = 15 // a semaphore of the runtime, as to begin a collection

	WaitReasons = 16 // how many there are; WakerShift has room for no more
)

var waitReasons = [WaitReasons]string{
	"none", "other", "channel", "select", "lock", "network", "syscall", "sleep", "timer", "gc", "coroutine", "tracing", "cgo",
	"waitgroup", "cond", "runtime",
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
func (ev *Event) Wait() Wait { return ParseWait(ev.Data) }

// ParseWait reads a Wait. Damage makes it shorter than it was.
func ParseWait(b []byte) Wait {
	c := cursor{b: b}
	w := Wait{Total: c.uvarint()}
	w.Reason = ReasonOf(c.uvarint())
	if len(c.b) > 0 {
		w.Runnable = min(c.uvarint(), w.Total)
	}
	if len(c.b) > 0 {
		w.Waker = c.uvarint()
	}
	if len(c.b) > 0 {
		w.Ago = c.uvarint()
	}
	if len(c.b) > 0 {
		w.More = c.uvarint()
	}
	return w
}

// AppendWait appends what ParseWait reads.
func AppendWait(dst []byte, w Wait) []byte {
	dst = append(binary.AppendUvarint(dst, w.Total), byte(w.Reason))
	if w.Runnable != 0 || w.Waker != 0 || w.Ago != 0 {
		dst = binary.AppendUvarint(dst, w.Runnable)
	}
	if w.Waker != 0 || w.Ago != 0 {
		dst = binary.AppendUvarint(dst, w.Waker)
	}
	if w.Ago != 0 {
		dst = binary.AppendUvarint(dst, w.Ago)
		if w.More != 0 {
			dst = binary.AppendUvarint(dst, w.More)
		}
	}
	return dst
}

// appendWaited appends recs[0], which is of code Waited or Late, unless what belongs to it is missing. It
// returns the clock that the next record's delta counts from.
func appendWaited(dst []byte, clock uint64, recs []Record) ([]byte, uint64) {
	if len(recs) <= recs[0].valueRecords() {
		return dst, clock
	}
	delta := recs[0].Clock - clock
	if int64(delta) < 0 {
		dst, delta = appendSkew(dst, -delta), 0
	}
	value := recs[0].Word & ValueMask
	w := Wait{Reason: WaitReason(value & (1<<WakerShift - 1)), Total: recs[1].Clock, Runnable: recs[1].Word, Waker: value >> WakerShift}
	if recs[0].code() == CodeLate {
		w.Ago, w.More = recs[2].Clock, recs[2].Word
	}
	var b [1 + 5*binary.MaxVarintLen64]byte
	rest := AppendWait(b[:0], w)
	dst = append(appendTagged(dst, delta, tagOther), CodeWaited, byte(len(rest)))
	return append(dst, rest...), recs[0].Clock
}

// takesOthers reports whether records that follow may be part of r.
func (r Record) takesOthers() bool {
	switch r.code() {
	case CodeValues, CodeInts, CodeLong, CodeWaited, CodeLate, CodeMade:
		return true
	}
	return false
}
