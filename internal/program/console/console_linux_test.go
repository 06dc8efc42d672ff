//go:build amd64 || arm64 || loong64 || ppc64le || riscv64

package console

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// replace has descriptor 2 stand for file until the test ends. known says that it is the file that
// the program began with.
func replace(t *testing.T, file *os.File, known bool) {
	t.Helper()
	saved, err := syscall.Dup(syscall.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Dup3(int(file.Fd()), syscall.Stderr, 0); err != nil {
		t.Fatal(err)
	}
	before := stderr
	if known {
		stderr, _ = status(syscall.Stderr)
	}
	t.Cleanup(func() {
		stderr = before
		if err := syscall.Dup3(saved, syscall.Stderr, 0); err != nil {
			t.Error(err)
		}
		syscall.Close(saved)
	})
}

func TestSay(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	t.Run("stderr", func(t *testing.T) {
		replace(t, w, true)
		w.Close()
		Say("%d %s", 1, "word")
		Print([]byte("text"))
	})
	b, err := io.ReadAll(r)
	if want := "waymark: 1 word\ntext"; err != nil || string(b) != want {
		t.Errorf("stderr has %q, %v; want %q", b, err, want)
	}
}

// A daemon's own file under the number of stderr gets nothing.
func TestOtherFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "own")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	replace(t, f, false)
	Say("word")
	if b, err := os.ReadFile(path); err != nil || len(b) > 0 {
		t.Errorf("the file has %q, %v; want nothing", b, err)
	}
}

// Where nobody reads stderr, the program gets no SIGPIPE, which would end it.
func TestNobodyReads(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	defer w.Close()
	replace(t, w, true)
	if !hungUp(syscall.Stderr) {
		t.Error("somebody reads a pipe without a reader")
	}
	Say("word")
}

func TestDivert(t *testing.T) {
	var got []string
	restore := Divert(func(text []byte) { got = append(got, string(text)) })
	Say("one")
	inner := Divert(func([]byte) {})
	Say("two")
	inner()
	Print([]byte("three"))
	restore()
	if len(got) != 2 || got[0] != "waymark: one\n" || got[1] != "three" || diverted.Load() != nil {
		t.Errorf("%q, diverted %v; want two texts, not diverted", got, diverted.Load() != nil)
	}
}
