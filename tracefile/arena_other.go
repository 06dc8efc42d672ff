//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd)

package tracefile

import "os"

// Programs on this platform don't record to arenas.
const sharedArenas = false

func tryLock(f *os.File) bool { return false }

func writable(dir string) bool { return false }

func foreign(f *os.File) (user int, yes bool) { return 0, false }
