package recorder

import (
	"testing"

	"github.com/waymark-go/waymark/internal/program/fork"
)

// In a copy of the process (fork) nobody waits for the lock, which another thread may have held.
func TestCopyTakesNoLock(t *testing.T) {
	r := &Recorder{pid: fork.This() + 1}
	r.mu.Lock()
	r.HideValues()
	if !r.Ended() || r.Close() != nil {
		t.Error("a copy records")
	}
}
