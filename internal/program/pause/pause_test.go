package pause

import (
	"testing"
	"time"
)

// A wait ends in time, or when it is over.
func TestUnless(t *testing.T) {
	over := make(chan struct{})
	began := time.Now()
	if !Unless(over, 20*time.Millisecond) || time.Since(began) < 20*time.Millisecond {
		t.Errorf("it was over after %v, want 20ms and no end", time.Since(began))
	}
	go func() {
		time.Sleep(10 * time.Millisecond)
		close(over)
	}()
	if began = time.Now(); Unless(over, time.Hour) || Unless(over, 0) {
		t.Errorf("it was not over after %v", time.Since(began))
	}
}
