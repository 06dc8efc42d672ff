package recorder

import (
	"os"
	"testing"
)

// In a copy of the process (fork) nobody waits for the lock, which another thread may have held.
func TestCopyTakesNoLock(t *testing.T) {
	r := &Recorder{pid: os.Getpid() + 1}
	r.mu.Lock()
	r.HideValues()
	if !r.Ended() || r.Close() != nil {
		t.Error("a copy records")
	}
}
