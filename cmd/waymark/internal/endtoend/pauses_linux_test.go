package endtoend

import (
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

// What keeps a budget runs in time, although the only P is busy: the scheduler alone would let it wait for 10 ms. A pause
// ends when somebody says so.
func TestPauses(t *testing.T) {
	out, err := exec.Command(instrument(t, "pauses")).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	ns, err := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	if took := time.Duration(ns); took > 6*time.Millisecond {
		t.Errorf("while waymark paused for 1 ms the program has taken %v of CPU time", took)
	}
}
