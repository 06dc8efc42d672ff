//go:build unix

package levels

import (
	"io/fs"
	"os"
	"syscall"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree/calltreetest"
)

// The index may be read by those who may read the recording, and whom umask allows.
func TestMode(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0))
	for _, c := range []struct {
		mode fs.FileMode
		mask int
		want fs.FileMode
	}{{0o600, 0o022, 0o600}, {0o644, 0o022, 0o644}, {0o644, 0o077, 0o600}} {
		_, path := open(t, &calltreetest.Recording{Start: 1 << 40, End: 1<<40 + 10})
		if err := os.Chmod(path, c.mode); err != nil {
			t.Fatal(err)
		}
		syscall.Umask(c.mask)
		x := index(t, openAt(t, path))
		if info, err := os.Stat(x.Path); err != nil || info.Mode() != c.want {
			t.Errorf("a recording with mode %v, umask %03o: %v, %v, want mode %v", c.mode, c.mask, info, err, c.want)
		}
	}
}
