//go:build unix

package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree/calltreetest"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// What is made of a recording may be read by those who may read the recording, whatever was there
// before; umask takes away from it.
func TestModes(t *testing.T) {
	before := syscall.Umask(0)
	defer syscall.Umask(before)
	recording := sample(t)
	for _, c := range []struct {
		mode fs.FileMode
		mask int
		want fs.FileMode
	}{{0o600, 0o022, 0o600}, {0o600, 0, 0o600}, {0o640, 0, 0o640}, {0o644, 0o022, 0o644}, {0o644, 0o077, 0o600}, {0o444, 0, 0o644}} {
		dir := t.TempDir()
		file := filepath.Join(dir, "r.wmt")
		if err := os.WriteFile(file, recording, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(file, c.mode); err != nil {
			t.Fatal(err)
		}
		var outputs [][]string
		for _, f := range exportFormats {
			outputs = append(outputs, []string{"export", "--to", f.Name})
		}
		for _, f := range []string{"text", "json", "csv", "html"} {
			outputs = append(outputs, []string{"report", "--format", f})
		}
		outputs = append(outputs, []string{"load", "-n", "1", "--rate", "0"})
		for _, args := range outputs {
			out := filepath.Join(dir, "out")
			folder := slices.Contains(args, "ctf")
			if !folder {
				syscall.Umask(0)
				if err := os.WriteFile(out, []byte("old"), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			syscall.Umask(c.mask)
			_, stderr, status := run(append(args, "-o", out, file)...)
			if status != 0 {
				t.Fatalf("%q: status %d, %s", args, status, stderr)
			}
			err := filepath.WalkDir(out, func(path string, d fs.DirEntry, err error) error {
				if err != nil {
					return err
				}
				info, err := d.Info()
				want := c.want
				if d.IsDir() {
					want |= fs.ModeDir | want&0o444>>2
				}
				if err == nil && info.Mode() != want {
					t.Errorf("%q of a recording with mode %v, umask %03o: %s has mode %v, want %v", args, c.mode, c.mask, path, info.Mode(), want)
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
			os.RemoveAll(out)
		}
	}
}

// sample returns a small recording.
func sample(t *testing.T) []byte {
	t.Helper()
	events, err := calltreetest.Events("A10 B20 b20 a10")
	if err != nil {
		t.Fatal(err)
	}
	r := &calltreetest.Recording{Tables: []calltreetest.Table{{Package: "example.com/m", Sites: []format.Site{{Name: "example.com/m.a", File: "a.go", Line: 1}, {Name: "example.com/m.b", File: "a.go", Line: 2}}}}, Events: events, End: 20}
	return r.Bytes()
}
