//go:build linux && (amd64 || arm64 || loong64 || ppc64le || riscv64)

package recorder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"syscall"
	"unsafe"

	"github.com/waymark-go/waymark/internal/wire/format"
)

// backing is the arena's file. Readers know by its lock, which the mapping holds too, that the
// process is alive.
type backing = *file

// newArena maps a new file of the given number of chunks. Only the first, the control chunk, takes
// space yet. The mapping is aligned to the chunk size: the hot path knows a chunk's end by the
// address. The error is errBusy if a living process has an arena at path.
//
// The file gets its name when it is locked already: of several processes that
// start at once, one gets the name. And when it says what it is: whatever a kill
// leaves, the next recording may replace it.
func newArena(path string, chunks int, control format.Control) (*arena, error) {
	temporary := path + "." + strconv.Itoa(os.Getpid())
	f, err := create(temporary)
	if errors.Is(err, fs.ErrExist) {
		// A kill left it: in a container every process may have the same id.
		if err := removeStale(temporary); err != nil {
			return nil, err
		}
		f, err = create(temporary)
	}
	if err != nil {
		return nil, err
	}
	a := &arena{path: temporary, file: f}
	size := chunks * format.ChunkSize
	err = os.NewSyscallError("flock", syscall.Flock(f.fd, syscall.LOCK_EX|syscall.LOCK_NB))
	if err == nil {
		if err = f.truncate(int64(size)); err == nil {
			err = a.mapAligned(size)
		}
		if err != nil {
			err = fmt.Errorf("%w for %d bytes", err, size)
		}
	}
	if err == nil {
		err = a.populate(0, 1)
	}
	if err == nil {
		format.PutControl(a.mem, control)
	}
	if err == nil {
		err = a.rename(path)
	}
	if err != nil {
		a.remove()
		a.unmap()
		return nil, err
	}
	return a, nil
}

// rename lets the arena take its name, in place of an arena that a dead process left behind.
func (a *arena) rename(path string) error {
	for {
		err := syscall.Link(a.path, path)
		switch err {
		case nil:
			os.Remove(a.path)
		case syscall.EEXIST:
			if err := removeStale(path); err != nil {
				return err
			}
			continue
		case syscall.EPERM, syscall.ENOTSUP, syscall.ENOSYS: // no hard links here
			if err := removeStale(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			if err := os.Rename(a.path, path); err != nil {
				return err
			}
		default:
			return &fs.PathError{Op: "link", Path: path, Err: err}
		}
		a.path, a.file.path = path, path
		return nil
	}
}

// removeStale removes an arena whose process is dead. Who removes one holds its
// lock, and has made sure that it is the one of that name.
func removeStale(path string) error {
	fd, err := syscall.Open(path, syscall.O_RDWR|syscall.O_CLOEXEC|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err == syscall.ENOENT {
		return nil // somebody else did
	}
	if err != nil {
		return &fs.PathError{Op: "open", Path: path, Err: err}
	}
	defer syscall.Close(fd)
	if err := syscall.Flock(fd, syscall.LOCK_EX|syscall.LOCK_NB); err == syscall.EWOULDBLOCK {
		return errBusy
	} else if err != nil {
		return os.NewSyscallError("flock", err)
	}
	control := make([]byte, format.OriginsOffset)
	n, err := syscall.Read(fd, control)
	if err != nil || n > 0 && !format.IsArena(control[:n]) {
		return &fs.PathError{Op: "replace", Path: path, Err: errors.New("it is not an arena of waymark's: remove it, or record to another file")}
	}
	if c, err := format.ParseControl(control[:n]); err == nil && ownEarlier(c) {
		return errBusy
	}
	var named, open syscall.Stat_t
	if syscall.Lstat(path, &named) != nil || syscall.Fstat(fd, &open) != nil || named.Ino != open.Ino || named.Dev != open.Dev {
		return nil // another one has the name now
	}
	return os.Remove(path)
}

// mapAligned reserves address space generously and maps the file at the first
// aligned address in it.
func (a *arena) mapAligned(size int) (err error) {
	a.space, err = syscall.Mmap(-1, 0, size+format.ChunkSize, syscall.PROT_NONE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return os.NewSyscallError("mmap", err)
	}
	a.mem, err = mapFixed(a.space, a.file.fd, size)
	return err
}

// remove deletes the arena's file. The memory stays mapped until unmap: goroutines that still run
// may write to it.
func (a *arena) remove() {
	a.file.remove()
	a.file.close()
}

// unmap frees the memory, when nobody writes to it any more. A file that is left has no lock then:
// its first reader may complete the trace file.
func (a *arena) unmap() {
	if a.space != nil {
		syscall.Munmap(a.space)
	}
	a.file.close()
	a.space, a.mem = nil, nil
}

// cut reports whether the file has become shorter.
func (a *arena) cut() bool {
	st, err := a.file.own()
	return err == nil && st.Size < int64(len(a.mem))
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

// populate allocates space on the disk, and pages in memory, for n chunks from chunk i on.
func (a *arena) populate(i, n int) error {
	off, size := int64(i)*format.ChunkSize, int64(n)*format.ChunkSize
	if _, err := a.file.own(); err != nil {
		return err
	}
	// Else much would be taken, from the program too, before it is found that there is too little.
	var fs syscall.Statfs_t
	if syscall.Fstatfs(a.file.fd, &fs) == nil {
		if fs.Blocks > 0 && size/int64(fs.Bsize) > int64(fs.Bfree) {
			return syscall.ENOSPC
		}
		if err := a.affordable(size, &fs); err != nil {
			return err
		}
	}
	for end := off + size; off < end; off += piece {
		if err := a.reserve(off, min(piece, end-off)); err != nil {
			return err
		}
	}
	mem := a.mem[int64(i)*format.ChunkSize:][:size]
	const populateWrite = 23 // MADV_POPULATE_WRITE, Linux 5.14
	if _, _, errno := syscall.Syscall(syscall.SYS_MADVISE, uintptr(unsafe.Pointer(&mem[0])), uintptr(size), populateWrite); errno != 0 {
		for j := 0; j < len(mem); j += os.Getpagesize() {
			mem[j] = 0
		}
	}
	return nil
}

// piece is the number of bytes reserved at once: few, as after a signal the kernel begins again.
const piece = 2 << 20

// reserve allocates space on the disk for size bytes from offset off on.
func (a *arena) reserve(off, size int64) error {
	for {
		if _, err := a.file.own(); err != nil {
			return err
		}
		switch err := syscall.Fallocate(a.file.fd, 0, off, size); err {
		case nil:
			a.clear(off, size)
			return nil
		case syscall.EINTR:
		case syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG, syscall.EIO:
			return os.NewSyscallError("fallocate", err)
		default:
			// The file system can't reserve, or the process must not: write.
			return a.file.write(make([]byte, size), off)
		}
	}
}

// clear writes zeros to what is reserved. Pages that were written take a quarter of the CPU time of those that
// faults read first, as readahead reads megabytes more. If it can't, faults do.
func (a *arena) clear(off, size int64) {
	if a.file.allowed(off+size) != nil {
		return
	}
	var list [piece / format.ChunkSize]syscall.Iovec
	for i := range list {
		list[i].Base = &zeros[0]
		list[i].SetLen(len(zeros))
	}
	syscall.Syscall6(syscall.SYS_PWRITEV, uintptr(a.file.fd), uintptr(unsafe.Pointer(&list[0])), uintptr(size/format.ChunkSize), uintptr(off), 0, 0)
}

var zeros [format.ChunkSize]byte
