package tracefile

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/waymark-go/waymark/format"
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
	control, err := a.control()
	if err == nil {
		var c format.Control
		if c, err = format.ParseControl(control); err == nil && hex.EncodeToString(c.Nonce[:]) != f.meta[format.MetaNonce] {
			err = errors.New("belongs to another recording")
		}
	}
	if err != nil {
		a.close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	a.dead = tryLock(file)
	return a, nil
}

// close closes the file, which gives up the lock.
func (a *arena) close() { a.file.Close() }

// removed tells whether the file was deleted since it was opened: the program
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
func (a *arena) control() ([]byte, error) {
	b := make([]byte, min(a.size, format.ChunkSize))
	_, err := a.file.ReadAt(b, 0)
	return b, err
}

// A snapshot is what was in an arena at one time.
type snapshot struct {
	pair    format.ClockPair // without UnixNano
	origins []format.Origin
	types   []byte       // as in Types blocks
	chunks  []savedChunk // by seq
}

// A savedChunk is a chunk of the arena, made a block.
type savedChunk struct {
	format.Chunk
	block  []byte // with its header
	events uint64
	last   uint64 // clock of the last event
}

// read reads the chunks that are in use.
//
// A living program goes on meanwhile: it writes chunks to the file and uses them
// again. Every stream must come out without a gap all the same. Therefore chunks
// handed out after a first look are left out. Any other one is either still
// there when its turn comes, or has been written: then it is in the file, which
// is read later, and so are the stream's chunks before it.
func (a *arena) read() (*snapshot, error) {
	control, err := a.control()
	if err != nil {
		return nil, err
	}
	c, err := format.ParseControl(control)
	if err != nil {
		return nil, err
	}
	s := &snapshot{pair: c.Pair}
	s.origins, _ = format.ControlOrigins(control, 0, 0)

	if err := a.readTypes(s, format.FirstTypes(control)); err != nil {
		return nil, err
	}
	newest := uint64(0)
	for off := a.first(); off <= a.last(); off += format.ChunkSize {
		h, err := a.header(off)
		if err != nil {
			return nil, err
		}
		newest = max(newest, h.Seq)
	}
	var enc format.Encoder
	var encoded []byte
	chunk := make([]byte, format.ChunkSize)
	for off := a.first(); off <= a.last(); off += format.ChunkSize {
		h, recs, err := a.readChunk(chunk, off)
		if err != nil {
			return nil, err
		}
		if h.State == format.ChunkFree {
			continue
		}
		if h.Seq > newest || h.Stream >= format.MaxStreams || len(recs) == 0 && h.Lost == 0 {
			continue
		}
		var events int
		encoded, events = enc.Append(format.BeginBlock(encoded[:0], format.BlockEvents), h, recs)
		encoded = format.EndBlock(encoded, 0)
		saved := savedChunk{Chunk: h, block: bytes.Clone(encoded), events: uint64(events)}
		saved.last = lastClockIn(saved.block[format.BlockHeader:])
		s.chunks = append(s.chunks, saved)
	}
	slices.SortFunc(s.chunks, func(a, b savedChunk) int { return cmp.Compare(a.Seq, b.Seq) })
	return s, nil
}

// readTypes follows the chain of chunks that describe types from the i-th chunk on.
func (a *arena) readTypes(s *snapshot, i int) error {
	chunk := make([]byte, format.ChunkSize)
	for seen := int64(0); i > 0 && int64(i) < a.size/format.ChunkSize && seen < a.size/format.ChunkSize; seen++ {
		if _, err := a.file.ReadAt(chunk, int64(i)*format.ChunkSize); err != nil {
			return err
		}
		types, _ := format.ChunkOfTypes(chunk, format.ChunkHeader)
		s.types = append(s.types, types...)
		i = format.NextTypes(format.ParseChunk(chunk))
	}
	return nil
}

// first and last give the offsets of the first and the last chunk behind the
// control chunk.
func (a *arena) first() int64 { return format.ChunkSize }
func (a *arena) last() int64  { return a.size - format.ChunkSize }

// header reads the header of the chunk at off.
func (a *arena) header(off int64) (format.Chunk, error) {
	var b [format.ChunkHeader]byte
	_, err := a.file.ReadAt(b[:], off)
	return format.ParseChunk(b[:]), err
}

// readChunk reads the chunk at off, with b as memory. The chunk's state is
// format.ChunkFree if it isn't in use.
//
// It is read twice. A living program stores a record's word before its clock, but
// nothing makes one read see the two in that order on a processor that reorders
// loads: so the first says which records are complete, the second what they are.
func (a *arena) readChunk(b []byte, off int64) (format.Chunk, []format.Record, error) {
	before, err := a.header(off)
	for err == nil && (before.State == format.ChunkActive || before.State == format.ChunkFull) {
		if _, err = a.file.ReadAt(b, off); err != nil {
			break
		}
		_, complete := format.Records(b)
		if _, err = a.file.ReadAt(b, off); err != nil {
			break
		}
		var after format.Chunk
		if after, err = a.header(off); err == nil && after.Seq == before.Seq && after.State != format.ChunkFree {
			h, recs := format.Records(b)
			return h, recs[:min(len(complete), len(recs))], nil
		}
		before = after // it was used again while it was read, and b may hold of both
	}
	return format.Chunk{State: format.ChunkFree}, nil, err
}

// lastClockIn gives the latest clock of an Events payload.
func lastClockIn(payload []byte) (last uint64) {
	var dec format.Decoder
	var ev format.Event
	dec.Reset(payload)
	for dec.Next(&ev) {
		last = max(last, ev.Clock)
	}
	return last
}
