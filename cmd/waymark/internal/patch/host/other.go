//go:build !(linux && amd64)

// Package host answers the requests of waymark's commands for a program that doesn't listen. It does so on linux/amd64
// only.
package host

import (
	"errors"
	"net"
	"os/exec"
)

// ErrTaken is the error of a process that another waymark has patched.
var ErrTaken = errors.New("is patched by another waymark")

// Allow is not asked.
var Allow func(pid int, program string) error

// Connect returns an error.
func Connect(int, bool) (net.Conn, error) {
	return nil, errors.New("only programs for linux/amd64 can be patched")
}

// A Run is a program that was started to be recorded.
type Run struct{ Note string }

// Start returns an error.
func Start(cmd *exec.Cmd, path, settings string, targets []string) (*Run, error) {
	return nil, errors.New("only programs for linux/amd64 can be patched")
}

// Close does nothing.
func (*Run) Close() error { return nil }
