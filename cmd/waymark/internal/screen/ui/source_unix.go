//go:build unix

package ui

import (
	"errors"
	"os"
	"syscall"
)

// openSource opens a file for reading. It follows no symbolic link, and waits for nobody who writes to a pipe.
func openSource(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if errors.Is(err, syscall.ELOOP) {
		err = errors.New("it is a symbolic link, which isn't followed")
	}
	return f, err
}
