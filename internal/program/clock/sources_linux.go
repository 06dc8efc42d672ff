package clock

import "syscall"

// sources returns the clocks that Linux found good, empty if it doesn't say. It makes system calls.
// Package os would make the descriptors that the runtime needs to wait for files. That would change
// the numbers of the program's own descriptors.
func sources() string {
	fd, err := syscall.Open("/sys/devices/system/clocksource/clocksource0/available_clocksource", syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return ""
	}
	defer syscall.Close(fd)
	b := make([]byte, 4096)
	n, err := syscall.Read(fd, b)
	if err != nil {
		return ""
	}
	return string(b[:n])
}
