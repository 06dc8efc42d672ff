package endtoend

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Traces hold each call from a root call's start to its end, on whatever goroutine. Those are kept
// that the rule says, in bounded memory, while gatherers come and go.
func TestGather(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	checks := []string{"shapes", "limits", "crowd", "detached", "linger", "late", "active", "parked", "waiting", "rules", "ranked", "busy", "together", "beside", "nested", "watched", "slow", "storm"}
	type variant struct {
		name   string
		flags  []string
		env    string
		checks []string
	}
	some := []string{"shapes", "limits", "late", "nested"}
	if *long {
		some = checks[:16]
	}
	variants := []variant{
		{"plain", nil, "", checks},
		{"nanotime", nil, "WAYMARKCLOCK=nanotime", some},
		{"values", []string{"--args", "--results"}, "", some},
	}
	if *long {
		variants = append(variants, variant{"race", []string{"-race"}, "", checks})
	}
	for _, c := range variants {
		t.Run(c.name, func(t *testing.T) {
			prog := instrument(t, "gather", append([]string{"--include", "./work", "--all"}, c.flags...)...)
			for _, check := range c.checks {
				t.Run(check, func(t *testing.T) {
					cmd := exec.Command(prog, check)
					cmd.Env = append(os.Environ(), c.env)
					if out, err := cmd.CombinedOutput(); err != nil {
						t.Errorf("%v\n%s", err, out)
					}
				})
			}
		})
	}
	t.Run("deadlock", func(t *testing.T) {
		out, _ := exec.Command(instrument(t, "gather", "--include", "./work", "--all"), "deadlock").CombinedOutput()
		if !strings.Contains(string(out), "all goroutines are asleep - deadlock!") {
			t.Errorf("%s\nwant that a deadlock is found", out)
		}
	})
}
