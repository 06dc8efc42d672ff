package format

import "encoding/binary"

// Why a goroutine did not run.
const (
	WaitNone      = 0 // it was ready all the time: preempted, or it gave its processor up
	WaitOther     = 1
	WaitChannel   = 2
	WaitSelect    = 3
	WaitLock      = 4 // of package sync: Mutex, RWMutex, WaitGroup, Cond
	WaitNetwork   = 5 // or anything else that the poller waits for, as pipes
	WaitSyscall   = 6
	WaitSleep     = 7
	WaitTimer     = 8  // a timer's channel
	WaitGC        = 9  // it had to help the collector, or the collector looked at its stack
	WaitCoroutine = 10 // the other side of iter.Pull ran
	WaitTracing   = 11 // there was no room for an event
	WaitCgo       = 12 // a call of C

	WaitReasons = 13 // how many there are
)

// A Wait is what the event Waited says. Times are in ticks.
type Wait struct {
	Reason   uint8
	Total    uint64 // how long the goroutine did not run
	Runnable uint64 // of that, the last part, in which it was ready
	Waker    uint64 // id of the goroutine that made it ready; 0 if it was none
	Ago      uint64 // since when it runs again, before the event; 0 if the event is of that moment
	More     uint64 // waits besides this one that Total and Runnable are of, too
}

// Wait returns what an event of kind Waited says.
func (ev *Event) Wait() Wait { return ParseWait(ev.Data) }

// ParseWait reads a Wait. Damage makes it shorter than it was.
func ParseWait(b []byte) Wait {
	c := cursor{b: b}
	w := Wait{Total: c.uvarint()}
	w.Reason = uint8(min(c.uvarint(), 0xFF))
	if w.Reason >= WaitReasons {
		w.Reason = WaitOther // of a newer version
	}
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
	dst = append(binary.AppendUvarint(dst, w.Total), w.Reason)
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
	w := Wait{Reason: uint8(value & (1<<WakerShift - 1)), Total: recs[1].Clock, Runnable: recs[1].Word, Waker: value >> WakerShift}
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
