package plain

import (
	"os"
	"strings"
	"testing"
)

// TestSameAsTraced compares the two packages: what differs between their calls must be
// the tracing only.
func TestSameAsTraced(t *testing.T) {
	code := func(name string) string {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		_, after, ok := strings.Cut(string(b), "\nimport ")
		if !ok {
			t.Fatalf("%s: no import", name)
		}
		return after
	}
	if code("plain.go") != code("../traced/traced.go") {
		t.Error("plain.go and ../traced/traced.go differ behind the package clause")
	}
}
