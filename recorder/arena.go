package recorder

import (
	"errors"
	"path/filepath"

	"github.com/waymark-go/waymark/format"
)

// arenaSuffix is appended to the trace file's name.
const arenaSuffix = ".live"

// errBusy says that a living process records to an arena of that name.
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

func (a *arena) name() string {
	if a.path == "" {
		return ""
	}
	return filepath.Base(a.path)
}
