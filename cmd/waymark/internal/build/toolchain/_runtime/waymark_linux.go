package runtime

import "unsafe"

// wmPID tells processes that are copies of each other apart.
func wmPID() int { return getpid() }

// wmMapped tells whether the page at p can be read.
func wmMapped(p uintptr) bool {
	var residence byte
	return mincore(unsafe.Pointer(p), physPageSize, (*byte)(noescape(unsafe.Pointer(&residence)))) == 0
}

// wmOnFault is called in the signal handler when memory at addr could not be reached
// (SIGBUS). If the memory is the arena's, the arena's file has been cut, or its disk
// can't give or take the page. Then an empty page takes the place, so that the program
// goes on. Recording ends. What needs a lock is left to the next call that looks for a
// chunk.
func wmOnFault(addr uintptr) bool {
	switch {
	case addr-wm.base < uintptr(len(wm.full))*wmChunkSize:
		wm.on.Store(0)
		wm.broken.Store(true)
	case !wmSeenFault(addr):
		return false
	}
	page := alignDown(addr, physPageSize)
	_, err := mmap(unsafe.Pointer(page), physPageSize, _PROT_READ|_PROT_WRITE, _MAP_ANON|_MAP_FIXED|_MAP_PRIVATE, -1, 0)
	return err == 0
}
