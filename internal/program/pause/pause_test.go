package pause

import (
	"testing"
	"time"
)

// A wait ends in time, or when the bell has rung since what the caller knows.
func TestBell(t *testing.T) {
	var b Bell
	began := time.Now()
	if !b.Wait(0, 20*time.Millisecond) || time.Since(began) < 20*time.Millisecond {
		t.Errorf("the bell rang after %v, want 20ms and no ring", time.Since(began))
	}
	go func() {
		time.Sleep(10 * time.Millisecond)
		b.Ring()
	}()
	if b.Wait(0, time.Hour) || b.Wait(0, 0) || b.Wait(0, time.Hour) {
		t.Error("the bell has not rung")
	}
	if !b.Wait(b.Rings(), time.Millisecond) {
		t.Error("the bell has rung twice")
	}
}
