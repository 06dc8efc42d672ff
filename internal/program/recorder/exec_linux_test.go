//go:build amd64 || arm64 || loong64 || ppc64le || riscv64

package recorder

import (
	"os"
	"testing"
	"time"

	"github.com/waymark-go/waymark/internal/wire/format"
)

func TestBeginning(t *testing.T) {
	const after = " S 1 17 17 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 12345 1000 1"
	for stat, want := range map[string]int64{
		"17 (app)" + after:     123_450_000_000,
		"17 (a) b (9)" + after: 123_450_000_000,
		"17 (app) S 1 17":      -1,
		"":                     -1,
	} {
		if ns, ok := beginning(stat); ok != (want >= 0) || ok && ns != want {
			t.Errorf("%q: %d, %v; want %d", stat, ns, ok, want)
		}
	}
}

// An arena is this process's own by its id and because it is not from before it began.
func TestOwnEarlier(t *testing.T) {
	now := readClock(1)
	for _, test := range []struct {
		name string
		pid  int
		mono int64
		want bool
	}{
		{"own", os.Getpid(), now, true},
		{"of another process", os.Getpid() + 1, now, false},
		{"of one that had the same id", os.Getpid(), now - int64(time.Hour), false},
	} {
		if got := ownEarlier(format.Control{PID: test.pid, Pair: format.ClockPair{MonoNano: test.mono}}); got != test.want {
			t.Errorf("arena %s: %v", test.name, got)
		}
	}
}
