// Package pause waits without timers. While a program that has none else has a timer, its scheduler wakes the network
// poller each time that a processor becomes idle: a busy service made 5 % more switches of threads.
package pause

import (
	"sync/atomic"
	"time"

	"github.com/waymark-go/waymark/internal/program/rt"
)

// A Bell ends waits. Any number of goroutines may call its methods, but only goroutines of rt.Go call Wait in programs
// that waymark has built. The zero Bell has not rung.
type Bell struct {
	// Awaited says that the program may wait for what who waits here does next: meanwhile it isn't deadlocked.
	Awaited bool

	rings uint32
}

// Rings returns how often the bell has rung.
func (b *Bell) Rings() uint32 { return atomic.LoadUint32(&b.rings) }

// Ring ends all waits.
func (b *Bell) Ring() {
	atomic.AddUint32(&b.rings, 1)
	if rt.Enabled {
		rt.Unpause(&b.rings)
	}
}

// Wait waits for d, or until Rings is no longer rings. It reports whether it still is.
func (b *Bell) Wait(rings uint32, d time.Duration) (quiet bool) {
	const look = 20 * time.Millisecond // where nothing but a timer waits
	end := time.Now().Add(d)
	for b.Rings() == rings {
		left := time.Until(end)
		if left <= 0 {
			return true
		}
		if !rt.Enabled || !rt.Pause(int64(left), &b.rings, rings, b.Awaited) {
			time.Sleep(min(left, look))
		}
	}
	return false
}
