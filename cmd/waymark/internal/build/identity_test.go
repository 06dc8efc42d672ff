package build

import (
	"bytes"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

// The identity of a command is its content's: the build ID that the go command reads, or else a hash.
func TestContentOf(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	got, err := Identity()
	if err != nil {
		t.Fatal(err)
	}
	want, err := exec.Command("go", "tool", "buildid", exe).Output()
	if err != nil {
		t.Fatal(err)
	}
	if id := strings.TrimSpace(string(want)); got != id && (runtime.GOOS == "linux" || len(got) != 64) {
		t.Errorf("%q; want the build ID %q, or a hash where it is not found", got, id)
	}
	const head = "\x7fELF... \xff Go build ID: \""
	for _, c := range []struct{ a, b string }{
		{"\x7fELF\x04\x00\x00\x00\x07\x00\x00\x00\x04\x00\x00\x00Go\x00\x00a/1/one...", "\x7fELF\x04\x00\x00\x00\x07\x00\x00\x00\x04\x00\x00\x00Go\x00\x00a/1/two..."},
		{head + "a/one\"\n \xff", head + "a/two\"\n \xff"},
		{head + "\"\n \xffone", head + "\"\n \xfftwo"}, // an empty one
		{head + "redacted\"\n \xffone", head + "redacted\"\n \xfftwo"},
		{strings.Repeat("x", 100<<10) + "one", strings.Repeat("x", 100<<10) + "two"},
	} {
		a, err := contentOf(bytes.NewReader([]byte(c.a)))
		if err != nil {
			t.Fatal(err)
		}
		b, err := contentOf(bytes.NewReader([]byte(c.b)))
		if err != nil {
			t.Fatal(err)
		}
		if a == b || a == "" {
			t.Errorf("%q and %q of other programs", a, b)
		}
	}
}
