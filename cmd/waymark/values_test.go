package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Values of every kind come back: the program says what the replay of each call
// should print, by other means than the recording.
func TestValues(t *testing.T) {
	prog := instrument(t, "values", "--include", ".", "--all", "--closures", "--args", "--results", "--redact", "none", "--arg-depth", "10", "--arg-bytes", "8192")
	trace := filepath.Join(t.TempDir(), "values.wmt")
	cmd := exec.Command(prog)
	cmd.Env = append(os.Environ(), "WAYMARK=record,o="+trace)
	cmd.Stderr = os.Stderr
	printed, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	replayed, err := exec.Command(tool(t), "replay", trace).Output()
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(strings.TrimSpace(string(printed)), "\n")
	checked := make(map[string]bool)
	for _, line := range want {
		checked[functionOf(line)] = true
	}
	if len(checked) < 50 {
		t.Fatalf("the program printed %q", printed)
	}
	var got []string
	for _, line := range joinCalls(string(replayed)) {
		if checked[functionOf(line)] {
			got = append(got, line)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("replay prints other values (-want +got):\n%s", diff)
	}
}

// functionOf gives the name that a line of a replay begins with.
func functionOf(line string) string {
	// A method's receiver is in parentheses too.
	i := strings.IndexByte(strings.Replace(line, ".(", ".*", 1), '(')
	return line[:max(i, 0)]
}

// joinCalls makes one line of each call in a replay, in the order of their ends,
// without times and comments.
func joinCalls(replay string) []string {
	var lines, open []string
	for _, line := range strings.Split(strings.TrimSpace(replay), "\n")[1:] {
		_, line, _ = strings.Cut(line, "]  ")
		line, _, _ = strings.Cut(strings.TrimLeft(line, " "), " /* ")
		if begin, ok := strings.CutSuffix(line, " {"); ok {
			open = append(open, begin)
			continue
		}
		if end, ok := strings.CutPrefix(line, "}"); ok {
			line = open[len(open)-1] + strings.TrimSuffix(end, ";") + ";"
			open = open[:len(open)-1]
		}
		lines = append(lines, line)
	}
	return lines
}
