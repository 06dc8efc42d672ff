package export

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
)

// limited fails as a full disk does.
type limited struct{ left int }

var errFull = errors.New("no space left")

func (l *limited) Write(b []byte) (int, error) {
	if l.left -= len(b); l.left < 0 {
		return 0, errFull
	}
	return len(b), nil
}

func TestFull(t *testing.T) {
	data := made(t, events()).Bytes() // one recording: another one has another time, which pprof compresses to other sizes
	for _, f := range formats {
		whole := len(written(t, f.Name, open(t, data), recording.Filter{}))
		for _, room := range []int{0, 100, whole / 2, whole - 1} {
			if _, err := f.Write(&limited{room}, open(t, data), &recording.Filter{}, Options{Beside: func(string, []byte) error { return nil }}); !errors.Is(err, errFull) {
				t.Errorf("%s with room for %d bytes: %v, want %v", f.Name, room, err, errFull)
			}
		}
	}
}

// An export of a recording is the same bytes each time, in whatever order workers read the recording.
func TestSameBytes(t *testing.T) {
	data := made(t, events()).Bytes()
	for _, f := range formats {
		first := written(t, f.Name, open(t, data), recording.Filter{})
		for range 30 {
			if again := written(t, f.Name, open(t, data), recording.Filter{}); !bytes.Equal(first, again) {
				t.Errorf("%s: other bytes the second time", f.Name)
				break
			}
		}
	}
}

func TestOutput(t *testing.T) {
	dir := t.TempDir()
	name, input := filepath.Join(dir, "out"), filepath.Join(dir, "in")
	for _, n := range []string{name, input} {
		if err := os.WriteFile(n, []byte("before"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	json := &Formats[0]
	if _, err := json.Create("http://localhost:4318", nil); !errors.Is(err, ErrURL) {
		t.Errorf("JSON to a URL: %v, want %v", err, ErrURL)
	}
	if _, err := json.Create(filepath.Join(dir, ".", "in"), []string{input}); !errors.Is(err, ErrInput) {
		t.Errorf("of an input: %v, want %v", err, ErrInput)
	}
	content := func() string {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		list, err := os.ReadDir(dir)
		if err != nil || len(list) != 2 {
			t.Errorf("%v, %v; want two files", list, err)
		}
		return string(b)
	}
	for _, commit := range []bool{false, true} {
		o, err := json.Create(name, []string{input})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(o, "after")
		want := "before"
		if commit {
			want = "after"
			if err := o.Commit(); err != nil {
				t.Fatal(err)
			}
		} else {
			o.Discard()
		}
		if got := content(); got != want {
			t.Errorf("committed %v: %q, want %q", commit, got, want)
		}
	}
	if runtime.GOOS != "windows" {
		o, err := json.Create(os.DevNull, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := o.Commit(); err != nil {
			t.Error(err)
		}
	}
}
