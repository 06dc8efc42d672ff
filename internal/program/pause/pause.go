// Package pause waits without timers. While a program that has none else has a timer, its scheduler wakes the network
// poller each time that a processor becomes idle: a busy service made 5 % more switches of threads.
package pause

import (
	"time"

	"github.com/waymark-go/waymark/internal/program/rt"
)

// For waits for d, at most a second. Goroutines of rt.Go call it.
func For(d time.Duration) {
	if d = min(d, time.Second); !rt.Enabled || !rt.Pause(int64(d)) {
		time.Sleep(d)
	}
}

// Unless waits for d, and reports whether over was still open then. It sees within a second that over is closed.
func Unless(over <-chan struct{}, d time.Duration) bool {
	for end := time.Now().Add(d); ; {
		select {
		case <-over:
			return false
		default:
		}
		left := time.Until(end)
		if left <= 0 {
			return true
		}
		For(left)
	}
}
