package recorder

import (
	"errors"
	"path/filepath"
	"sync/atomic"
	"unsafe"

	"github.com/waymark-go/waymark/format"
)

// arenaSuffix is appended to the trace file's name.
const arenaSuffix = ".live"

// errBusy says that an arena of that name is not to be replaced: a living process
// records to it, or this one did before it replaced its program.
var errBusy = errors.New("another process is recording to it")

// An arena is the memory that events are written to.
type arena struct {
	path string // empty: it is not in a file, and dies with the process
	mem  []byte
	file backing
}

// chunk gives the memory of chunk i; 0 is the control chunk.
func (a *arena) chunk(i int) []byte {
	return a.mem[i*format.ChunkSize : (i+1)*format.ChunkSize : (i+1)*format.ChunkSize]
}

// settled copies chunk i, which goroutines that still run may be writing to. What
// is complete in the copy is complete: each clock is loaded before its word, the
// opposite of the order in which they are stored, and on processors that reorder
// plain loads the atomic ones stay in order.
func (a *arena) settled(i int) []byte {
	chunk := a.chunk(i)
	to := make([]byte, len(chunk))
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
