package descriptor

import "syscall"

// Fewest is the number of descriptors that the program has to itself.
const Fewest = 200

// least is the least number of descriptors of waymark: programs count on lower ones. It is in the table of 64 that
// each process begins with. To make a larger one takes the kernel 10 ms when there are threads.
const least = 56

// Raise moves a descriptor to a number that programs don't count on. Where that is not allowed it stays as it is. It
// reports false, and the descriptor stays, if the program may well need all that there are.
func Raise(fd int) (moved int, ok bool) {
	const dupCloexec = 0x406 // F_DUPFD_CLOEXEC
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) == nil && limit.Cur <= Fewest+1 {
		return fd, false
	}
	switch high, _, errno := syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), dupCloexec, least); errno {
	case 0:
		syscall.Close(fd)
		return int(high), true
	case syscall.EINVAL, syscall.EMFILE:
		return fd, false
	}
	return fd, true
}
