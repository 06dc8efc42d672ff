package inspect

import (
	"sync/atomic"
	"time"
)

// A pace limits how much is told in a second: perSecond. Of what comes too fast only the number is noted,
// at the cost of an atomic load and an addition: nothing reads a clock. So it is the client who, by asking
// for news, has the next second begin.
type pace struct {
	state  atomic.Int32  // telling, resting or over
	passed atomic.Uint64 // calls of which nothing but that they were is known

	// The owner's lock guards these.
	began time.Time // the second that told is of
	told  int
}

// States of a pace.
const (
	telling = iota
	resting // nothing is told until the second is over and the client asks
	over    // nothing is told any more
)

// rests reports whether nothing is told now.
func (p *pace) rests() bool { return p.state.Load() != telling }

// passes counts a call if nothing is told now, and reports whether that is so. When it is over none is
// counted.
func (p *pace) passes() bool {
	state := p.state.Load()
	if state == resting {
		p.passed.Add(1)
	}
	return state != telling
}

// take reports whether one more may be told. queued are those that the client has not fetched.
func (p *pace) take(queued int) bool {
	if p.told >= perSecond || queued >= mostQueued {
		p.renew()
	}
	if p.told >= perSecond || queued >= mostQueued {
		p.state.CompareAndSwap(telling, resting)
		return false
	}
	if p.told++; p.told == 1 {
		p.began = time.Now()
	}
	return true
}

// renew begins a new second if the last one is over, and returns how long nothing will be told; 0: that is not
// known.
func (p *pace) renew() (quiet time.Duration) {
	left := time.Second - time.Since(p.began)
	if p.told > 0 && left <= 0 {
		p.told = 0
	}
	if p.told < perSecond {
		p.state.CompareAndSwap(resting, telling)
	}
	if p.state.Load() == resting {
		return left
	}
	return 0
}

// stop has nothing told any more.
func (p *pace) stop() { p.state.Store(over) }
