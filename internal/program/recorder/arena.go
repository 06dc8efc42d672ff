package recorder

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"unsafe"

	"github.com/waymark-go/waymark/internal/wire/format"
)

// arenaSuffix is appended to the trace file's name.
const arenaSuffix = ".live"

// errBusy says that an arena of that name is not to be replaced. A living process records to it, or
// this process did before it replaced its program.
var errBusy = errors.New("another process is recording to it")

// An arena is the memory that events are written to.
type arena struct {
	path  string // empty: it is not in a file, and dies with the process
	mem   []byte
	space []byte // what was mapped to have mem in it
	file  backing
	// spare holds a copied chunk. The stack wouldn't do: the program may have given it a small
	// limit.
	spare []byte
}

// chunk returns the memory of chunk i; 0 is the control chunk.
func (a *arena) chunk(i int) []byte {
	return a.mem[i*format.ChunkSize : (i+1)*format.ChunkSize : (i+1)*format.ChunkSize]
}

// chunks is their number, with the control chunk.
func (a *arena) chunks() int { return len(a.mem) / format.ChunkSize }

// errBroken says that the arena is not what the program wrote.
var errBroken = errors.New("was cut or overwritten by another program, or can't be read from its disk")

// intact returns an error if the arena is not what the program wrote any more. Others may cut the
// file, or write to it, or its disk may fail; the hooks see to it that the program survives that.
func (r *Recorder) intact() error {
	c, err := format.ParseControl(r.arena.chunk(0))
	if r.rt.Broken() || err != nil || c.Nonce != r.nonce || r.arena.cut() {
		return fmt.Errorf("%s %w", r.arena.path, errBroken)
	}
	return nil
}

// settled copies chunk i, which goroutines that still run may be writing to. The copy stays until the
// next call. A record that looks complete in the copy is complete: settled loads each clock before
// its word, and the hooks store the word first. The loads are atomic, as some processors reorder
// plain loads.
func (a *arena) settled(i int) []byte {
	chunk, to := a.chunk(i), a.spare
	copy(to, chunk[:format.ChunkHeader])
	for at := format.ChunkHeader; at < len(chunk); at += format.RecordSize {
		r := (*format.Record)(unsafe.Pointer(&chunk[at]))
		*(*format.Record)(unsafe.Pointer(&to[at])) = format.Record{Clock: atomic.LoadUint64(&r.Clock), Word: atomic.LoadUint64(&r.Word)}
	}
	return to
}

func (a *arena) name() string {
	if a.path == "" {
		return ""
	}
	return filepath.Base(a.path)
}
