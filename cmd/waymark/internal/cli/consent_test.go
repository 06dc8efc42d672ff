package cli

import (
	"strings"
	"testing"
)

// The user is asked once about a program, and never while a dashboard or a page is shown.
func TestConsent(t *testing.T) {
	asked, answer := 0, true
	ask := func(string) bool { asked++; return answer }
	var c consent
	allow := func(pid int, ask func(string) bool, want string, questions int) {
		t.Helper()
		err := c.allow(pid, "/bin/app", ask)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) || asked != questions {
			t.Errorf("process %d: %v after %d questions, want %q after %d", pid, err, asked, want, questions)
		}
	}
	allow(1, nil, "--yes", 0)
	allow(1, ask, "", 1)
	allow(1, ask, "", 1)
	answer = false
	allow(2, ask, "left as it is", 2)
	c.silent = true
	allow(1, ask, "", 2)
	allow(2, ask, "--yes", 2)
}
