package format

import (
	"encoding/binary"
	"sync/atomic"
	"unsafe"
)

// A Journal is the chunk of the arena that test events lie in until they are written to the trace
// file. Thousands of short tests a second would pay more for a system call each than for all else.
type Journal struct {
	chunk []byte
	tests int    // in it
	last  string // the name of the latest one
}

// OpenJournal makes chunk number i of the arena an empty journal. The control chunk names it.
func OpenJournal(control, chunk []byte, i int) *Journal {
	clear(chunk[:ChunkHeader])
	j := &Journal{chunk: chunk}
	j.Clear()
	binary.LittleEndian.PutUint32(chunk, ChunkJournal)
	binary.LittleEndian.PutUint32(control[arenaJournal:], uint32(i))
	return j
}

// end is where the journal's header says how many bytes are in use.
func (j *Journal) end() *uint32 { return (*uint32)(unsafe.Pointer(&j.chunk[32])) }

// Add adds a test event, and reports whether there was room for it.
func (j *Journal) Add(t *TestEvent) bool {
	end := *j.end()
	const fixed = 2*binary.MaxVarintLen64 + 1 + 2*binary.MaxVarintLen64
	if fixed+len(t.Name)+len(t.Text) > len(j.chunk)-int(end) {
		return false
	}
	end += uint32(len(appendTest(j.chunk[end:end], t, j.last)))
	atomic.StoreUint32(j.end(), end) // last: the process may be killed at any moment
	j.tests, j.last = j.tests+1, t.Name
	return true
}

// Size is what the journal takes in the file, bytes.
func (j *Journal) Size() int {
	if j == nil {
		return 0
	}
	return int(*j.end()) - ChunkHeader + BlockHeader
}

// AppendTo appends a Tests block of what is in the journal to blocks.
func (j *Journal) AppendTo(blocks []byte) []byte {
	if j == nil || j.tests == 0 {
		return blocks
	}
	start := len(blocks)
	blocks = binary.AppendUvarint(BeginBlock(blocks, BlockTests), uint64(j.tests))
	return EndBlock(append(blocks, j.chunk[ChunkHeader:*j.end()]...), start)
}

// Clear empties the journal, when what was in it has been written.
func (j *Journal) Clear() {
	if j != nil {
		j.tests, j.last = 0, ""
		atomic.StoreUint32(j.end(), ChunkHeader)
	}
}

// testsOf returns the events in the chunk of a journal, and where they end. What is damaged ends the
// list.
func testsOf(chunk []byte) (tests []TestEvent, end int) {
	if len(chunk) < ChunkHeader {
		return nil, ChunkHeader
	}
	h := ParseChunk(chunk)
	if h.State != ChunkJournal || h.End < ChunkHeader || int(h.End) > len(chunk) {
		return nil, ChunkHeader
	}
	for c := (cursor{b: chunk[ChunkHeader:h.End]}); len(c.b) > 0; {
		tests = c.nextTest(tests)
	}
	return tests, int(h.End)
}
