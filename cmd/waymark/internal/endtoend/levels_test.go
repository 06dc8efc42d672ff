package endtoend

import (
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

// Of functions of which only long calls are recorded all of these are, with what they took, and no
// others; all calls are counted. Levels may change while calls are open, and monitors see what they
// want meanwhile. The first call of a function is noted once.
func TestLevels(t *testing.T) {
	if testing.Short() || runtime.GOOS != "linux" {
		t.Skip("takes seconds, and makes Linux's system calls")
	}
	builds := [][]string{nil}
	if *long {
		builds = append(builds, []string{"-race"})
	}
	for _, flags := range builds {
		t.Run(strings.Join(append([]string{"plain"}, flags...), ""), func(t *testing.T) {
			prog := instrument(t, "levels", append([]string{"--include", "./work", "--all", "--args", "--results"}, flags...)...)
			for _, check := range []string{"long", "timed", "switch", "values", "watched", "seen"} {
				t.Run(check, func(t *testing.T) {
					if out, err := exec.Command(prog, check).CombinedOutput(); err != nil {
						t.Errorf("%v\n%s", err, out)
					}
				})
			}
		})
	}
}
