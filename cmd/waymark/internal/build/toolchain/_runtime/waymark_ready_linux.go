package runtime

import (
	"internal/goarch"
	"internal/runtime/syscall/linux"
	"unsafe"
)

// wmPpoll is the number of the system call.
const wmPpoll = 271*goarch.IsAmd64 + 309*goarch.Is386 + 336*goarch.IsArm + 73*(goarch.IsArm64+goarch.IsLoong64+goarch.IsRiscv64) +
	281*(goarch.IsPpc64+goarch.IsPpc64le) + 302*goarch.IsS390x + 4302*(goarch.IsMips+goarch.IsMipsle) + 5261*(goarch.IsMips64+goarch.IsMips64le)

// WMReady waits until fd can be read, or written, at most ns nanoseconds, or without an end if ns is negative. If fd is
// negative it only waits. It waits as wmSleep does: a program of which nothing else is left is deadlocked. It returns 1 if fd is
// ready, also for an error; 0 if time is over or a signal came; -1 if that can't be found out.
func WMReady(fd int32, write bool, ns int64) int32 {
	p := struct {
		fd              int32
		events, revents int16
	}{fd: fd, events: 1} // POLLIN
	if write {
		p.events = 4 // POLLOUT
	}
	var ts timespec
	limit := unsafe.Pointer(nil)
	if ns >= 0 {
		ts.setNsec(ns)
		limit = unsafe.Pointer(&ts)
	}
	var n, errno uintptr
	wmGoroutines.blocked.Add(1)
	entersyscallblock()
	systemstack(func() {
		wmIdle()
		n, _, errno = linux.Syscall6(wmPpoll, uintptr(noescape(unsafe.Pointer(&p))), 1, uintptr(noescape(limit)), 0, 0, 0)
		wmBusy()
	})
	exitsyscall()
	wmGoroutines.blocked.Add(-1)
	switch {
	case errno == 0:
		return int32(n)
	case errno == _EINTR:
		return 0
	}
	return -1
}
