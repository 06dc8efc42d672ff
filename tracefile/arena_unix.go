//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package tracefile

import (
	"os"
	"syscall"
)

// sharedArenas reports whether programs on this platform record to arenas.
const sharedArenas = true

// tryLock takes the lock that a living program has on its arena, and tells
// whether it was free. A file system that knows no locks counts as locked: the
// arena is then read, but left as it is.
func tryLock(f *os.File) bool {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err != syscall.EINTR {
			return err == nil
		}
	}
}

// writable reports whether files in the folder dir can be deleted.
func writable(dir string) bool {
	const writeAndSearch = 2 | 1
	return syscall.Access(dir, writeAndSearch) == nil
}

// foreign returns a file's user, and reports whether that is not the reader's.
func foreign(f *os.File) (user int, yes bool) {
	fi, err := f.Stat()
	if err != nil {
		return 0, true
	}
	st, ok := fi.Sys().(*syscall.Stat_t)
	return int(st.Uid), !ok || int(st.Uid) != os.Geteuid()
}
