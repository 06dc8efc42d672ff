//go:build linux && amd64

package patch

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/image"
)

// ownCalls returns the program's own functions of a stack, the innermost first.
func ownCalls(stack []image.Frame) string {
	var list []string
	for _, f := range stack {
		if name, own := strings.CutPrefix(f.Function, "main."); own {
			list = append(list, name)
		}
	}
	return strings.Join(list, " ")
}

// A sampler sees what runs and what waits, with all callers, changes nothing, and lets each thread
// go on.
func TestSampler(t *testing.T) {
	for _, flags := range [][]string{nil, {"-ldflags=-s -w"}, {"-buildmode=pie"}} {
		t.Run(strings.Join(flags, " "), func(t *testing.T) {
			w := start(t, builtOf(t, "sampled", nil, flags...))
			target := w.attach()
			s := target.Sampler()
			seen := make(map[string]int)
			const rounds = 300
			for range rounds {
				one, err := s.Sample(100)
				if err != nil {
					t.Fatal(err)
				}
				for _, g := range one.Seen {
					if calls := ownCalls(g.Stack); calls != "" {
						seen[fmt.Sprint(g.State, " ", calls)]++
					}
				}
			}
			runs := seen[fmt.Sprint(Runs, " leaf spin burn main.func1")] + seen[fmt.Sprint(Runs, " spin burn main.func1")]
			waits, calls := seen[fmt.Sprint(Waits, " wait main.func2")], seen[fmt.Sprint(Syscall, " main")]+seen[fmt.Sprint(Waits, " main")]
			if runs < rounds/2 || waits < rounds*9/10 || calls < rounds*9/10 {
				t.Errorf("saw %v, want most of the time what each goroutine does, with its callers", seen)
			}
			for what, n := range seen {
				if !slices.Contains([]string{"leaf spin burn main.func1", "spin burn main.func1", "wait main.func2", "main"}, what[2:]) {
					t.Errorf("saw %q %d times: the program has no such calls", what, n)
				}
			}
			w.undone(target)
			status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", w.cmd.Process.Pid))
			if !strings.Contains(string(status), "TracerPid:\t0\n") {
				t.Errorf("the process is traced still:\n%s", status)
			}
			w.end()
		})
	}
}

// A thread that ends while it is looked at doesn't end the sample.
func TestSamplerThreads(t *testing.T) {
	w := startWith(t, builtOf(t, "sampled", nil), []string{"threads"})
	target := w.attach()
	s := target.Sampler()
	seen, rounds := 0, 0
	for end := time.Now().Add(2 * time.Second); time.Now().Before(end); rounds++ {
		one, err := s.Sample(100)
		if err != nil {
			t.Fatalf("sample %d: %v", rounds, err)
		}
		for _, g := range one.Seen {
			if strings.HasSuffix(ownCalls(g.Stack), "visit") {
				seen++
			}
		}
	}
	if seen == 0 {
		t.Errorf("none of the threads was seen in %d samples", rounds)
	}
	w.undone(target)
}

// Goroutines are counted that there are. The runtime keeps those that have ended for others.
func TestSamplerCounts(t *testing.T) {
	program := builtOf(t, "sampled", nil)
	const most, few = 100, 50 // few: the runtime has some of its own
	for which, want := range map[string]func(one *Sample) bool{
		"many": func(one *Sample) bool { return one.Live >= 10_000 && one.Live < 10_000+few && one.Counted == most },
		"past": func(one *Sample) bool { return one.Live >= 3 && one.Live < few && one.Counted == one.Live },
	} {
		w := startWith(t, program, []string{which})
		target := w.attach()
		one, err := target.Sampler().Sample(most)
		if err != nil || !want(&one) {
			t.Errorf("%s: %d goroutines, %d looked at, %v", which, one.Live, one.Counted, err)
		}
		w.undone(target)
		w.end()
	}
}
