//go:build linux && (amd64 || arm64 || loong64 || ppc64le || riscv64)

package recorder

import (
	"os"
	"syscall"
	"unsafe"

	"github.com/waymark-go/waymark/format"
)

// lockFile holds the lock that tells readers that the process is alive.
type lockFile = *os.File

// newArena maps a new file of the given number of chunks, only the first of
// which, the control chunk, takes space yet. The mapping is aligned to the chunk
// size: the hot path tells a chunk's end by the address.
func newArena(path string, chunks int) (*arena, error) {
	os.Remove(path)
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	a := &arena{path: path, lock: f}
	size := chunks * format.ChunkSize
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		err = f.Truncate(int64(size))
	}
	if err == nil {
		a.mem, err = mapAligned(int(f.Fd()), size)
	}
	if err == nil {
		err = a.populate(0, 1)
	}
	if err != nil {
		a.remove()
		return nil, err
	}
	return a, nil
}

// mapAligned reserves address space generously and maps the file at the first
// aligned address in it.
func mapAligned(fd, size int) ([]byte, error) {
	space, err := syscall.Mmap(-1, 0, size+format.ChunkSize, syscall.PROT_NONE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil, os.NewSyscallError("mmap", err)
	}
	return mapFixed(space, fd, size)
}

// remove deletes the arena's file. The memory stays mapped: goroutines that still
// run may write to it.
func (a *arena) remove() {
	os.Remove(a.path)
	a.lock.Close()
}

// busy tells whether a living process records to the arena at path.
func busy(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	return syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB) == syscall.EWOULDBLOCK
}

// mapFixed maps the file over the aligned part of space.
func mapFixed(space []byte, fd, size int) ([]byte, error) {
	start := uintptr(unsafe.Pointer(&space[0]))
	skip := -start & (format.ChunkSize - 1)
	const mapFixedFlag = syscall.MAP_SHARED | syscall.MAP_FIXED
	_, _, errno := syscall.Syscall6(syscall.SYS_MMAP, start+skip, uintptr(size),
		syscall.PROT_READ|syscall.PROT_WRITE, mapFixedFlag, uintptr(fd), 0)
	if errno != 0 {
		return nil, os.NewSyscallError("mmap", errno)
	}
	return space[skip : int(skip)+size : int(skip)+size], nil
}

// populate gives n chunks from chunk i on space on the disk and pages in memory.
func (a *arena) populate(i, n int) error {
	off, size := int64(i)*format.ChunkSize, int64(n)*format.ChunkSize
	err := syscall.Fallocate(int(a.lock.Fd()), 0, off, size)
	if err == syscall.EOPNOTSUPP || err == syscall.ENOSYS {
		// The file system can't reserve: write.
		_, err = a.lock.WriteAt(make([]byte, size), off)
	}
	if err != nil {
		return os.NewSyscallError("fallocate", err)
	}
	mem := a.mem[off : off+size]
	const populateWrite = 23 // MADV_POPULATE_WRITE, Linux 5.14
	if _, _, errno := syscall.Syscall(syscall.SYS_MADVISE, uintptr(unsafe.Pointer(&mem[0])), uintptr(size), populateWrite); errno != 0 {
		for j := 0; j < len(mem); j += os.Getpagesize() {
			mem[j] = 0
		}
	}
	return nil
}
