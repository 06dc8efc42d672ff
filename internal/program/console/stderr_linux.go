package console

import (
	"syscall"
	"unsafe"
)

// stderr is the file that the descriptor stood for when the program began.
var stderr, _ = status(syscall.Stderr)

func status(fd int) (st syscall.Stat_t, err error) {
	err = syscall.Fstat(fd, &st)
	return st, err
}

// write writes to stderr as the program's own code could without harm. A program that has become a
// daemon may have a file of its own under the descriptor's number. Where nobody reads a pipe any
// more, package os ends the program and the kernel sends SIGPIPE.
func write(text []byte) {
	now, err := status(syscall.Stderr)
	if err == nil && (now.Dev != stderr.Dev || now.Ino != stderr.Ino) || hungUp(syscall.Stderr) {
		return
	}
	for len(text) > 0 {
		n, err := syscall.Write(syscall.Stderr, text)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return
		}
		text = text[n:]
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
