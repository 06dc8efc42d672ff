package endtoend

import (
	"context"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

// What keeps a budget runs in time, although the only P is busy: the scheduler alone would let it wait for 10 ms. After
// 10 ms of work it would be all others' turn. Now and then it is, as waymark may wait for them. A pause ends when somebody
// says so. While waymark pauses a program is deadlocked if it can't wait for waymark.
func TestPauses(t *testing.T) {
	prog := instrument(t, "pauses")
	for _, c := range []struct{ do, says string }{{"busy", ""}, {"works", ""}, {"calls", ""}, {"wakes", ""}, {"allocates", ""}, {"spins", ""}, {"ring", ""}, {"awaited", ""}, {"deadlock", "all goroutines are asleep - deadlock!"}} {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
		out, err := exec.CommandContext(ctx, prog, c.do).CombinedOutput()
		cancel()
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
		case c.do == "calls" && (err != nil || took > 100*time.Millisecond):
			t.Errorf("while waymark was in a call of the system for 30 ms the program has taken %v of CPU time, %v", took, err)
		case c.do == "allocates" && (err != nil || n > 1):
			t.Errorf("%d times the program has taken more than 100 ms of CPU time while waymark allocated 16 KB, %v", n, err)
		case c.do == "wakes" && (err != nil || took > 10*time.Millisecond):
			t.Errorf("before waymark ran that the program had woken, it has taken %v of CPU time, %v", took, err)
		}
	}
}
