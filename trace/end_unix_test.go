//go:build unix

package trace

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// What is no regular file is written to, and stays.
func TestSaveToPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o666); err != nil {
		t.Skip(err)
	}
	read := make(chan string)
	go func() {
		b, _ := os.ReadFile(path)
		read <- string(b)
	}()
	if err := save(path, nil); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if text := <-read; err != nil || info.Mode().Type() != os.ModeNamedPipe || !strings.Contains(text, "<trace-file") {
		t.Errorf("%v, %v, %q", info, err, text)
	}
}
