//go:build !linux || !(amd64 || arm64 || loong64 || ppc64le || riscv64)

package recorder

import (
	"unsafe"

	"github.com/waymark-go/waymark/internal/wire/format"
)

// backing is nothing where the arena is not a file.
type backing struct{}

// newArena allocates the arena in the process's own memory: what is in it when
// the process is killed is lost.
func newArena(_ string, chunks int, control format.Control) (*arena, error) {
	size := chunks * format.ChunkSize
	mem := make([]byte, size+format.ChunkSize)
	skip := int(-uintptr(unsafe.Pointer(&mem[0])) & (format.ChunkSize - 1))
	a := &arena{mem: mem[skip : skip+size : skip+size]}
	format.PutControl(a.mem, control)
	return a, nil
}

func (a *arena) populate(i, n int) error { return nil }

func (a *arena) cut() bool { return false }

func (a *arena) remove() {}

func (a *arena) unmap() { a.mem = nil }
