//go:build unix

package ui

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Only regular files of some size are read, and none is waited for.
func TestReadSource(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	for name, size := range map[string]int64{"good.go": 0, "large.go": mostSource + 1} {
		if err := os.WriteFile(in(name), []byte("package p\n\nvar V int\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if size > 0 {
			if err := os.Truncate(in(name), size); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, err := range []error{os.Symlink(in("good.go"), in("link.go")), syscall.Mkfifo(in("pipe.go"), 0o600), os.Mkdir(in("folder.go"), 0o700)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	later := time.Now().Add(time.Hour)
	for name, want := range map[string]string{
		in("good.go"):   "",
		in("link.go"):   "symbolic link",
		in("pipe.go"):   "not a regular file",
		in("folder.go"): "not a regular file",
		in("large.go"):  "more than 8 MiB",
		in("none.go"):   "no such file",
		"good.go":       "doesn't say in which folder",
	} {
		s := ReadSource(name, later, "the program was started")
		if (want == "") != (len(s.Lines) == 3) || (want == "") != (s.Note == "") || !strings.Contains(s.Note, want) {
			t.Errorf("%s: %d lines, %q; want %q", name, len(s.Lines), s.Note, want)
		}
	}
	if s := ReadSource(in("good.go"), later.Add(-2*time.Hour), "the program was started"); !strings.Contains(s.Note, "changed after the program was started") {
		t.Errorf("of a file that was changed the note is %q", s.Note)
	}
}
