package format

import (
	"bytes"
	"cmp"
	"io"
	"slices"
)

// A Snapshot is what an arena held at one time.
type Snapshot struct {
	Control
	Origins []Origin
	Types   []byte       // descriptions, as in Types blocks
	Chunks  []SavedChunk // by Seq
	Tests   []TestEvent  // that may be in the trace file, too
}

// A SavedChunk is a chunk of the arena, made an Events block.
type SavedChunk struct {
	Chunk
	Block  []byte // with its header
	Events uint64
	Last   uint64 // clock of the last event, 0 if there is none
}

// ReadArena reads the chunks that are in use in an arena of the given size. If until is not 0,
// ReadArena leaves out events after that clock.
//
// A living program goes on meanwhile, and uses chunks again, but every stream must come out without
// a gap. Therefore ReadArena leaves out chunks that are handed out after a first look. Any other
// chunk is still there when its turn comes, or it has been written to the trace file, or a ring has
// overwritten it.
//
// A chunk that has been written comes after all earlier chunks of the stream: readers find them in
// the trace file, which they read afterwards. A ring overwrites the oldest chunk first, and ReadArena
// reads the newest first. So all chunks filled before an overwritten chunk are overwritten too, and
// the chunks that were read are all that were filled since.
func ReadArena(r io.ReaderAt, size int64, until uint64) (*Snapshot, error) {
	a := arenaReader{r: r}
	control := make([]byte, min(size, ChunkSize))
	if _, err := r.ReadAt(control, 0); err != nil {
		return nil, err
	}
	s := new(Snapshot)
	var err error
	if s.Control, err = ParseControl(control); err != nil {
		return nil, err
	}
	s.Origins, _ = ControlOrigins(control, 0, 0)

	seen, err := a.look(size)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(seen, func(a, b place) int { return cmp.Compare(b.filled(), a.filled()) })
	var enc Encoder
	var encoded []byte
	missed := uint64(0) // clock until which chunks were filled that are there no more
	for _, p := range seen {
		h, recs, there, err := a.chunk(p)
		if err != nil {
			return nil, err
		}
		if !there {
			missed = max(missed, p.filled())
			continue
		}
		if until != 0 {
			recs = recordsUntil(recs, until)
		}
		if len(recs) == 0 && h.Lost == 0 {
			continue
		}
		var events int
		encoded, events = enc.Append(BeginBlock(encoded[:0], BlockEvents), h, recs)
		encoded = EndBlock(encoded, 0)
		s.Chunks = append(s.Chunks, SavedChunk{Chunk: h, Block: bytes.Clone(encoded), Events: uint64(events), Last: lastClock(recs)})
	}
	slices.SortFunc(s.Chunks, func(a, b SavedChunk) int { return cmp.Compare(a.Seq, b.Seq) })
	if _, err := r.ReadAt(control[:min(len(control), OriginsOffset)], 0); err != nil {
		return nil, err
	}
	// After the chunks, so that those of all their values are there.
	if s.Types, err = a.types(FirstTypes(control), size); err != nil {
		return nil, err
	}
	last, err := ParseControl(control)
	if err == nil {
		s.Tests, err = a.journal(last.Journal, size)
	}
	if err != nil || last.Before == 0 {
		return s, err // it is no ring, or a short one
	}
	s.Before = max(s.Before, min(missed, last.Before))
	// A kill may have come when a chunk was about to be overwritten.
	s.Chunks = slices.DeleteFunc(s.Chunks, func(c SavedChunk) bool { return c.filled() <= s.Before })
	return s, nil
}

// look returns the chunks that were in use at one time.
func (a *arenaReader) look(size int64) (seen []place, err error) {
	each := func(do func(place)) error {
		for off := int64(ChunkSize); off <= size-ChunkSize; off += ChunkSize {
			h, err := a.header(off)
			if err != nil {
				return err
			}
			if h.InUse() && h.Stream < MaxStreams {
				do(place{off, h})
			}
		}
		return nil
	}
	numbers := make(map[int64]uint64) // seen, by offset
	if err := each(func(p place) {
		seen = append(seen, p)
		numbers[p.off] = p.Seq
	}); err != nil {
		return nil, err
	}
	// While a program lives, a chunk may have been handed out behind the look, and a later one of the
	// same stream before it. The later one would come without the other.
	first := make(map[uint32]uint64) // of the chunks that were not seen, by stream
	if err := each(func(p place) {
		if numbers[p.off] == p.Seq {
			return
		}
		if seq, ok := first[p.Stream]; !ok || p.Seq < seq {
			first[p.Stream] = p.Seq
		}
	}); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(seen, func(p place) bool {
		seq, ok := first[p.Stream]
		return ok && p.Seq > seq
	}), nil
}

// filled returns the clock when the chunk was full; none is later if it isn't yet.
func (c *Chunk) filled() uint64 {
	if c.State == ChunkActive {
		return 1<<64 - 1
	}
	return c.Filled
}

// InUse reports whether the chunk holds events.
func (c Chunk) InUse() bool { return c.State == ChunkActive || c.State == ChunkFull }

// A place is where a chunk was seen.
type place struct {
	off int64
	Chunk
}

// An arenaReader reads chunks of an arena that may change meanwhile.
type arenaReader struct {
	r   io.ReaderAt
	buf [ChunkSize]byte
}

// header reads the header of the chunk at off.
func (a *arenaReader) header(off int64) (Chunk, error) {
	var b [ChunkHeader]byte
	_, err := a.r.ReadAt(b[:], off)
	return ParseChunk(b[:]), err
}

// chunk reads the chunk that was seen at p, and reports whether it is still there.
func (a *arenaReader) chunk(p place) (h Chunk, recs []Record, there bool, err error) {
	if _, err := a.r.ReadAt(a.buf[:], p.off); err != nil {
		return h, nil, false, err
	}
	if h, recs = Records(a.buf[:]); h.State == ChunkActive {
		// The copy of a record that is being written may have its clock but not its
		// word. Who has seen the clock finds the word when looking once more.
		n := len(recs)
		if _, err := a.r.ReadAt(a.buf[:], p.off); err != nil {
			return h, nil, false, err
		}
		h, recs = Records(a.buf[:])
		recs = recs[:min(n, len(recs))]
	}
	// It may have been used again while it was read: then the copy may hold of both.
	after, err := a.header(p.off)
	there = h.Seq == p.Seq && h.InUse() && after.Seq == p.Seq && after.InUse()
	return h, recs, there, err
}

// types returns the descriptions in the chain of chunks from the i-th on.
func (a *arenaReader) types(i int, size int64) (types []byte, err error) {
	for seen := int64(0); i > 0 && int64(i) < size/ChunkSize && seen < size/ChunkSize; seen++ {
		if _, err := a.r.ReadAt(a.buf[:], int64(i)*ChunkSize); err != nil {
			return nil, err
		}
		list, _ := ChunkOfTypes(a.buf[:], ChunkHeader)
		types = append(types, list...)
		i = NextTypes(ParseChunk(a.buf[:]))
	}
	return types, nil
}

// journal returns the test events in chunk i, if it is the journal.
func (a *arenaReader) journal(i int, size int64) ([]TestEvent, error) {
	if i <= 0 || int64(i) >= size/ChunkSize {
		return nil, nil
	}
	for before := make([]byte, 0, ChunkSize); ; before = append(before[:0], a.buf[:]...) {
		if _, err := a.r.ReadAt(a.buf[:], int64(i)*ChunkSize); err != nil {
			return nil, err
		}
		// A living program may have written what was in it to the file meanwhile, and then other events.
		if tests, end := testsOf(before); len(before) > 0 && int(ParseChunk(a.buf[:]).End) >= end && bytes.Equal(before[ChunkHeader:end], a.buf[ChunkHeader:end]) {
			return tests, nil
		}
	}
}

// recordsUntil returns the records before the first one that is later than until.
func recordsUntil(recs []Record, until uint64) []Record {
	n := len(recs)
	eachClock(recs, func(i int, clock uint64) bool {
		if clock > until {
			n = i
		}
		return n == len(recs)
	})
	return recs[:n]
}

// lastClock returns the latest clock of records.
func lastClock(recs []Record) (last uint64) {
	eachClock(recs, func(_ int, clock uint64) bool {
		last = max(last, clock)
		return true
	})
	return last
}

// eachClock calls do with the index and the clock of each record that is not a part
// of another one's values, until do returns false.
func eachClock(recs []Record, do func(i int, clock uint64) bool) {
	for i := 0; i < len(recs) && do(i, recs[i].Clock); i++ {
		if recs[i].takesOthers() {
			i += recs[i].valueRecords()
		}
	}
}

// Trim leaves out the chunks all of whose events are more than so many ticks
// before the last one of the snapshot.
func (s *Snapshot) Trim(ticks uint64) {
	last := uint64(0)
	for i := range s.Chunks {
		last = max(last, s.Chunks[i].Last)
	}
	if last <= ticks {
		return
	}
	from := last - ticks
	n := len(s.Chunks)
	s.Chunks = slices.DeleteFunc(s.Chunks, func(c SavedChunk) bool { return c.Last < from })
	if len(s.Chunks) < n {
		s.Before = max(s.Before, from)
	}
}
