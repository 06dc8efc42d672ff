//go:build amd64 || arm64

package probe

import (
	"errors"
	"os"
	"sync"
	"syscall"
	"unsafe"

	"github.com/waymark-go/waymark/internal/wire/usdt"
)

// A mapping is an image in the program's memory. Its file has no name and ends with the program; its
// descriptor stays open, because tracers find the file by it: /proc/PID/fd/N.
type mapping struct {
	fd     int
	base   uintptr
	layout *usdt.Layout
}

// Flags of memfd_create and of sealing, which package syscall lacks.
const (
	mfdCloexec      = 1
	mfdAllowSealing = 2
	mfdExec         = 0x10
	addSeals        = 1033
	sealAll         = 1 | 2 | 4 | 8 // no more seals, no other size, no writing
)

// Functions of the system, for tests.
var (
	sysCreate = createFile
	sysMap    = mmap
)

// mapImage maps an image. No memory is writable and executable at any time, and the file can't be
// written to any more.
func mapImage(name string, file []byte, l *usdt.Layout) (*mapping, error) {
	fd, err := sysCreate(name)
	if err != nil {
		return nil, &MemoryError{"memfd_create", err}
	}
	m := &mapping{fd: fd, layout: l}
	if err := m.fill(file); err != nil {
		syscall.Close(fd)
		return nil, err
	}
	return m, nil
}

func (m *mapping) fill(file []byte) error {
	for at := 0; at < len(file); {
		n, err := syscall.Write(m.fd, file[at:])
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return &MemoryError{"write", err}
		}
		at += n
	}
	syscall.Syscall(syscall.SYS_FCNTL, uintptr(m.fd), addSeals, sealAll) // where it can't be had, so be it
	base, err := regions.take(m.layout.End)
	if err != nil {
		return &MemoryError{"mmap", err}
	}
	m.base = base
	for _, part := range []struct{ from, to, protection int }{
		{0, m.layout.Text, syscall.PROT_READ},
		{m.layout.Text, m.layout.Cells, syscall.PROT_READ | syscall.PROT_EXEC},
		{m.layout.Cells, m.layout.End, syscall.PROT_READ | syscall.PROT_WRITE},
	} {
		_, err := sysMap(m.address(part.from), part.to-part.from, part.protection, syscall.MAP_PRIVATE|mapFixed, m.fd, part.from)
		if err != nil {
			regions.give(base, m.layout.Cells, m.layout.End)
			return &MemoryError{"mmap", err}
		}
	}
	return nil
}

func (m *mapping) address(offset int) uintptr { return m.base + uintptr(offset) }

// pointer returns the address as a pointer. The memory is not Go's.
func (m *mapping) pointer(offset int) unsafe.Pointer {
	address := m.address(offset)
	return *(*unsafe.Pointer)(unsafe.Pointer(&address))
}

// close gives all back but the addresses. A Fire that has begun long ago may still read a cell: it
// reads 0.
func (m *mapping) close() error {
	return errors.Join(regions.give(m.base, m.layout.Cells, m.layout.End), os.NewSyscallError("close", syscall.Close(m.fd)))
}

// regions are ranges of addresses of images that are gone, for others: what was a cell stays readable
// as long as the program runs.
var regions freeRegions

type freeRegions struct {
	mu   sync.Mutex
	free []region
}

type region struct {
	base uintptr
	size int
}

// take returns the address of a region. Nothing there is to be used before it is mapped.
func (r *freeRegions) take(size int) (uintptr, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, one := range r.free {
		if one.size == size {
			r.free = append(r.free[:i:i], r.free[i+1:]...)
			return one.base, nil
		}
	}
	return sysMap(0, size, syscall.PROT_NONE, syscall.MAP_PRIVATE|syscall.MAP_ANON, -1, 0)
}

// give makes the region empty: cells are 0, and before them nothing can be read.
func (r *freeRegions) give(base uintptr, cells, size int) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, err1 := mmap(base, cells, syscall.PROT_NONE, syscall.MAP_PRIVATE|syscall.MAP_ANON|mapFixed, -1, 0)
	_, err2 := mmap(base+uintptr(cells), size-cells, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON|mapFixed, -1, 0)
	if err1 == nil && err2 == nil {
		r.free = append(r.free, region{base, size})
	}
	return errors.Join(err1, err2)
}

const mapFixed = 0x10

// createFile makes a file in memory whose code may run.
func createFile(name string) (int, error) {
	text, err := syscall.BytePtrFromString(name)
	if err != nil {
		return 0, err
	}
	for _, flags := range []uintptr{mfdCloexec | mfdAllowSealing | mfdExec, mfdCloexec | mfdAllowSealing} {
		fd, _, errno := syscall.Syscall(sysMemfdCreate, uintptr(unsafe.Pointer(text)), flags, 0)
		if errno == 0 {
			return int(fd), nil
		}
		err = errno
		if errno != syscall.EINVAL { // kernels before 6.3 don't know mfdExec
			break
		}
	}
	return 0, err
}

func mmap(address uintptr, size, protection, flags, fd, offset int) (uintptr, error) {
	at, _, errno := syscall.Syscall6(syscall.SYS_MMAP, address, uintptr(size), uintptr(protection), uintptr(flags), uintptr(fd), uintptr(offset))
	if errno != 0 {
		return 0, errno
	}
	return at, nil
}
