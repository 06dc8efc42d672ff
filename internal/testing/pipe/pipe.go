//go:build unix

// Package pipe checks what tests write to named pipes.
package pipe

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// Written returns what write writes to a named pipe, which must still be one afterwards.
func Written(t *testing.T, write func(path string) error) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o666); err != nil {
		t.Fatal(err)
	}
	read := make(chan string)
	go func() {
		b, _ := os.ReadFile(path)
		read <- string(b)
	}()
	if err := write(path); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Type() != os.ModeNamedPipe {
		t.Fatalf("the pipe has become %v, %v", info, err) // before the reader, which would wait for ever
	}
	return <-read
}
