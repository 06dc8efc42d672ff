package cli

import (
	"io"
	"os"
	"path/filepath"
	"testing"
)

// A test has failed also where its output has no last line break before go test says so. A subtest is none.
func TestOutcomes(t *testing.T) {
	o := &outcomes{to: io.Discard, passed: make(map[string]bool), failed: make(failures)}
	io.WriteString(o, "no newline--- FAIL: TestA (0.00s)\n    --- FAIL: TestB/sub (0.00s)\n--- FAIL: TestB (0.00s)\nFAIL\tp\t0.1s\nok  \tq\t0.1s\n")
	if f := o.failed.tests("p"); len(f) != 2 || !f["TestA"] || !f["TestB"] || o.passed["p"] || !o.passed["q"] {
		t.Errorf("failed %v, passed %v", o.failed, o.passed)
	}
}

func TestMoveSeen(t *testing.T) {
	from, to := filepath.Join(t.TempDir(), "a[1]"), t.TempDir()
	os.Mkdir(from, 0o777)
	for name, text := range map[string]string{filepath.Join(from, "app.7.seen"): "new", filepath.Join(from, "7.testlog"): "log", filepath.Join(to, "app.7.seen"): "old"} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := moveSeen(from, to); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"app.7.seen": "old", "app.7-2.seen": "new"} {
		if b, _ := os.ReadFile(filepath.Join(to, name)); string(b) != want {
			t.Errorf("%s: %q, want %q", name, b, want)
		}
	}
	if list, _ := os.ReadDir(to); len(list) != 2 {
		t.Errorf("got %v", list)
	}
}
