package endtoend

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/internal/testing/repository"
)

// TestInstrumentedModules runs the tests of other modules that are for instrumented programs only.
func TestInstrumentedModules(t *testing.T) {
	for dir, want := range map[string]string{
		"examples/facility":  "--- PASS: Example_instrumented",
		"examples/requests":  "--- PASS: Example_watch",
		"contrib/prometheus": "--- PASS: TestInstrumented",
	} {
		t.Run(dir, func(t *testing.T) {
			if strings.HasSuffix(dir, "prometheus") && !*long {
				t.Skip("compiles a server's client for a minute: make test-long")
			}
			args := []string{"test", "-v", "./..."}
			if strings.HasSuffix(dir, "requests") { // it prints arguments
				args = []string{"test", "--args", "-v", "./..."}
			}
			cmd := exec.Command(tool(t), args...)
			cmd.Dir = repository.Path(t, dir)
			cmd.Env = append(os.Environ(), "GOWORK=") // each is in a workspace with the library
			out, err := cmd.CombinedOutput()
			if err != nil || !strings.Contains(string(out), want) {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
