package tracefile

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/waymark-go/waymark/internal/wire/format"
)

// An arena is the file that a recording program has its buffers in, see package
// format.
type arena struct {
	file *os.File
	path string
	size int64 // bytes

	// dead tells that the program has ended: its lock was free, and is ours now.
	// Of several readers one gets it; for the others the program lives on.
	dead bool
}

// openArena opens the arena of the recording f, whose file is at path. Without
// one it gives nil; the error says why one can't be used.
func openArena(f *File, path string) (*arena, error) {
	name := f.meta[format.MetaArena]
	if name == "" || !sharedArenas {
		return nil, nil
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(filepath.Dir(path), name)
	}
	// The name comes from the file and may lead to anything; a FIFO would block.
	fi, err := os.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	} else if !fi.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: not a regular file: no arena", name)
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	a := &arena{file: file, path: name, size: fi.Size()}
	c, err := a.control()
	if err == nil && hex.EncodeToString(c.Nonce[:]) != f.meta[format.MetaNonce] {
		err = errors.New("belongs to another recording")
	}
	if err != nil {
		a.close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if f.number() < c.Part {
		a.close() // it is for a later part
		return nil, nil
	}
	a.dead = tryLock(file)
	return a, nil
}

// close closes the file, which gives up the lock.
func (a *arena) close() { a.file.Close() }

// removed reports whether the file was deleted since it was opened: the program
// has ended, or another reader has completed the trace file.
func (a *arena) removed() bool {
	now, err := os.Stat(a.path)
	if err != nil {
		return true
	}
	opened, err := a.file.Stat()
	return err != nil || !os.SameFile(now, opened)
}

// control reads the control chunk.
func (a *arena) control() (format.Control, error) {
	b := make([]byte, min(a.size, format.OriginsOffset))
	if _, err := a.file.ReadAt(b, 0); err != nil {
		return format.Control{}, err
	}
	return format.ParseControl(b)
}

// read reads the chunks that are in use, those of f's window if it has one.
func (a *arena) read(f *File) (*format.Snapshot, error) {
	s, err := format.ReadArena(a.file, a.size, 0)
	if window, _ := strconv.ParseUint(f.meta[format.MetaWindow], 10, 63); err == nil && window > 0 {
		s.Trim(uint64(float64(window) * float64(f.hz()) / 1e9))
	}
	return s, err
}
