//go:build unix

package agent

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/waymark-go/waymark/internal/testing/pipe"
)

// Settings are read from regular files of limited size: nothing else is waited for, or read without
// an end.
func TestSettingsFile(t *testing.T) {
	dir := t.TempDir()
	fifo, large, full := filepath.Join(dir, "fifo"), filepath.Join(dir, "large"), filepath.Join(dir, "full")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, size := range map[string]int{large: mostSettings + 1, full: mostSettings} {
		if err := os.WriteFile(path, bytes.Repeat([]byte("\n"), size), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{
		fifo: "not a regular file", "/dev/zero": "not a regular file", dir: "not a regular file", large: "more than 1 MiB", full: "",
		filepath.Join(dir, "none"): "no such file",
	} {
		_, err := parseEnv("@" + path)
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", path, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "WAYMARK=@"+path+": ")):
			t.Errorf("%s: error %v; want one with %q", path, err, want)
		}
	}
}

// Reports and numbers go to files that only the program's user may read, unless the file was there.
// Others keep their rights to a file that is added to.
func TestOutputModes(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0))
	added, replaced, old := filepath.Join(t.TempDir(), "added"), filepath.Join(t.TempDir(), "replaced"), filepath.Join(t.TempDir(), "old")
	for _, path := range []string{replaced, old, replaced + ".new"} {
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, err := range []error{appendFile(added, []byte("x")), replaceFile(replaced, []byte("x")), appendFile(old, []byte("x"))} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]os.FileMode{added: 0o600, replaced: 0o600, old: 0o666} {
		if info, err := os.Stat(path); err != nil || info.Mode() != want || info.Size() != 1 {
			t.Errorf("%s: %v, %v, want mode %v", path, info, err, want)
		}
	}
}

func TestReplacePipe(t *testing.T) {
	if text := pipe.Written(t, func(path string) error { return replaceFile(path, []byte("x")) }); text != "x" {
		t.Errorf("got %q", text)
	}
}
