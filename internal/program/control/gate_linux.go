package control

import (
	"os"
	"syscall"
)

// A Gate holds up a goroutine in the kernel, in a read from a pipe. For the runtime its thread is
// at work, unlike that of a goroutine that waits for another one. So where nothing else runs, there
// is no deadlock.
type Gate struct{ read, write int }

// NewGate makes a gate that is shut.
func NewGate() (*Gate, error) {
	var fds [2]int
	if err := syscall.Pipe2(fds[:], syscall.O_CLOEXEC); err != nil {
		return nil, os.NewSyscallError("pipe2", err)
	}
	return &Gate{read: fds[0], write: fds[1]}, nil
}

// Wait returns when the gate is open. It is called once.
func (g *Gate) Wait() {
	var b [1]byte
	for {
		if _, err := syscall.Read(g.read, b[:]); err != syscall.EINTR {
			break
		}
	}
	syscall.Close(g.read)
}

// Open opens the gate. It is called once, maybe before Wait.
func (g *Gate) Open() { syscall.Close(g.write) }
