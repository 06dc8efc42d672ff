package probe

import (
	"sync/atomic"
	"unsafe"
)

// A probe's word, which Fire loads, has two halves. Tracers count up the first 16 bits while they
// are attached, if the word is a semaphore in an image. The kernel writes there whenever it likes.
// Bits of the other 16 are the program's. The last one is for commands that watch. The others are
// for the sinks, one for each, and one for all sinks from there on.
const (
	sinkShift = 16
	mostBits  = 15 // for sinks
	watchBit  = 15
)

// look says that a sink looks at p, or doesn't.
func (l *live) look(p *Probe, number int, on bool) {
	if number >= mostBits-1 && !on {
		return // others may have the same bit: these sinks are asked
	}
	l.mark(p, min(number, mostBits-1), on)
}

// mark sets or clears a bit of p's word.
func (l *live) mark(p *Probe, at int, on bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	word := l.words[p.index]
	bit := uint32(1) << at
	var bits uint32
	if l.mapped {
		// Of a semaphore only the program's half may be written.
		half := (*uint16)(unsafe.Add(unsafe.Pointer(word), 2))
		bits = set(uint32(*half), bit, on)
		*half = uint16(bits)
		return
	}
	bits = set(atomic.LoadUint32(word)>>sinkShift, bit, on)
	atomic.StoreUint32(word, bits<<sinkShift)
}

func set(bits, bit uint32, on bool) uint32 {
	if on {
		return bits | bit
	}
	return bits &^ bit
}

// attached returns how many tracers are attached to p.
func (l *live) attached(p *Probe) int {
	if !l.mapped {
		return 0
	}
	return int(uint16(atomic.LoadUint32(l.words[p.index])))
}
