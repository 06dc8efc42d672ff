package recorder

import (
	"fmt"
	"syscall"
	"unsafe"
)

// stderr is what the descriptor of that name was when the program began.
var stderr, _ = status(syscall.Stderr)

func status(fd int) (st syscall.Stat_t, err error) {
	err = syscall.Fstat(fd, &st)
	return st, err
}

// Say prints a line on the program's stderr.
func Say(text string, args ...any) { Print(fmt.Appendf(nil, "waymark: "+text+"\n", args...)) }

// Print writes to the program's stderr. It must not do to the program what its
// own writing there doesn't: a program that has become a daemon may have a file of its
// own under that number, and where nobody reads a pipe any more package os ends the
// program, and the kernel sends SIGPIPE.
func Print(b []byte) {
	now, err := status(syscall.Stderr)
	if err == nil && (now.Dev != stderr.Dev || now.Ino != stderr.Ino) || hungUp(syscall.Stderr) {
		return
	}
	for len(b) > 0 {
		n, err := syscall.Write(syscall.Stderr, b)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return
		}
		b = b[n:]
	}
}

// hungUp reports whether nobody reads what is written to a descriptor.
func hungUp(fd int) bool {
	const gone = 0x8 | 0x10 // POLLERR, POLLHUP
	poll := struct {
		fd              int32
		events, revents int16
	}{fd: int32(fd)}
	var now syscall.Timespec
	syscall.Syscall6(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(&poll)), 1, uintptr(unsafe.Pointer(&now)), 0, 0, 0)
	return poll.revents&gone != 0
}
