//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package tracefile

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/waymark-go/waymark/internal/wire/format"
)

// A FIFO without a writer would block for ever.
func TestOpenFIFO(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	if _, err := Open(path); !errors.Is(err, format.ErrNotTrace) {
		t.Errorf("got %v, want %v", err, format.ErrNotTrace)
	}
}
