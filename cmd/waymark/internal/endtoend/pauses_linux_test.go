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
// 10 ms of work, after a call of the system, and after it has waited, it would be all others' turn. Now and then it is one's,
// as waymark may wait for them. What others take isn't taken for its own. A pause ends when somebody says so. While waymark
// pauses a program is deadlocked if it can't wait for waymark.
func TestPauses(t *testing.T) {
	prog := instrument(t, "pauses")
	const nothing = -1
	for _, c := range []struct {
		do   string
		most int64  // that it prints, see there
		says string // of an error
	}{
		{"busy", 6e6, ""}, {"works", 10, ""}, {"calls", 100e6, ""}, {"wakes", 10e6, ""}, {"allocates", 1, ""}, {"watches", 0, ""},
		{"spins", nothing, ""}, {"ring", nothing, ""}, {"awaited", nothing, ""},
		{"deadlock", nothing, "all goroutines are asleep - deadlock!"},
	} {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
		out, err := exec.CommandContext(ctx, prog, c.do).CombinedOutput()
		cancel()
		if (err != nil) != (c.says != "") || !strings.Contains(string(out), c.says) {
			t.Errorf("%s: %v, want %q\n%s", c.do, err, c.says, out)
			continue
		}
		if n, err := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64); c.most != nothing && (err != nil || n > c.most) {
			t.Errorf("%s prints %q, want at most %d, %v", c.do, out, c.most, err)
		}
	}
}
