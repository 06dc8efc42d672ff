package endtoend

import (
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

// What keeps a budget runs in time, although the only P is busy: the scheduler alone would let it wait for 10 ms, and for
// 10 ms of each other goroutine whenever it has worked as long. A pause ends when somebody says so. While waymark pauses
// a program is deadlocked if it can't wait for waymark.
func TestPauses(t *testing.T) {
	prog := instrument(t, "pauses")
	for _, c := range []struct{ do, says string }{{"busy", ""}, {"works", ""}, {"ring", ""}, {"awaited", ""}, {"deadlock", "all goroutines are asleep - deadlock!"}} {
		out, err := exec.Command(prog, c.do).CombinedOutput()
		if (err != nil) != (c.says != "") || !strings.Contains(string(out), c.says) {
			t.Errorf("%s: %v, want %q\n%s", c.do, err, c.says, out)
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
		switch took := time.Duration(n); {
		case c.do == "busy" && (err != nil || took > 6*time.Millisecond):
			t.Errorf("while waymark paused for 1 ms the program has taken %v of CPU time, %v", took, err)
		case c.do == "works" && (err != nil || n > 10):
			t.Errorf("while waymark worked the program has taken %d times as much CPU time, %v", n, err)
		}
	}
}
