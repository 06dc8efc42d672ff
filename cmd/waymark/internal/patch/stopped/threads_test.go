//go:build linux && amd64

package stopped

import (
	"os/exec"
	"testing"
	"time"
)

// The kernel refuses to let what has just ended be traced. That is no reason to give up the others.
func TestSeizeEnded(t *testing.T) {
	cmd := exec.Command("true")
	if err := cmd.Start(); err != nil {
		t.Skip(err)
	}
	defer cmd.Wait() // until then it is known to the kernel
	p := &Process{PID: cmd.Process.Pid}
	for end := time.Now().Add(time.Minute); p.state(p.PID) != 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("true doesn't end")
		}
	}
	if found, err := p.seize(p.PID); found || err != nil {
		t.Errorf("what has ended is seized: %t, %v; want false and no error", found, err)
	}
}
