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
	Chunks  []SavedChunk // by Seq
}

// A SavedChunk is a chunk of the arena, made an Events block.
type SavedChunk struct {
	Chunk
	Block  []byte // with its header
	Events uint64
	Last   uint64 // clock of the last event, 0 if there is none
}

// ReadArena reads the chunks that are in use in an arena of the given size, without
// the events after the clock until, unless that is 0.
//
// A living program goes on meanwhile, and uses chunks again, but every stream must
// come out without a gap. Therefore chunks handed out after a first look are
// left out. Any other one is either still there when its turn comes, or has been
// written to the trace file: then so have the stream's chunks before it, and who
// reads that file afterwards finds them there. Or a ring has overwritten it: then
// it has overwritten the stream's chunks before it too, which are left out if they
// were read before that.
func ReadArena(r io.ReaderAt, size int64, until uint64) (*Snapshot, error) {
	a := arenaReader{r: r, size: size}
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

	newest := uint64(0)
	for off := a.first(); off <= a.last(); off += ChunkSize {
		h, err := a.header(off)
		if err != nil {
			return nil, err
		}
		newest = max(newest, h.Seq)
	}
	var enc Encoder
	var encoded []byte
	places := make(map[uint64]int64) // of chunks that were active, by Seq
	for off := a.first(); off <= a.last(); off += ChunkSize {
		h, recs, err := a.chunk(off)
		if err != nil {
			return nil, err
		}
		if h.State == ChunkFree || h.Seq > newest || h.Stream >= MaxStreams {
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
		if h.State == ChunkActive {
			places[h.Seq] = off
		}
	}
	slices.SortFunc(s.Chunks, func(a, b SavedChunk) int { return cmp.Compare(a.Seq, b.Seq) })
	return s, a.dropOverwritten(s, places)
}

// An arenaReader reads chunks of an arena that may change meanwhile.
type arenaReader struct {
	r    io.ReaderAt
	size int64
	buf  [ChunkSize]byte
}

// first and last give the offsets of the first and the last chunk behind the
// control chunk.
func (a *arenaReader) first() int64 { return ChunkSize }
func (a *arenaReader) last() int64  { return a.size - ChunkSize }

// header reads the header of the chunk at off.
func (a *arenaReader) header(off int64) (Chunk, error) {
	var b [ChunkHeader]byte
	_, err := a.r.ReadAt(b[:], off)
	return ParseChunk(b[:]), err
}

// chunk reads the chunk at off. Its state is ChunkFree if it isn't in use.
func (a *arenaReader) chunk(off int64) (h Chunk, recs []Record, err error) {
	before, err := a.header(off)
	for err == nil && (before.State == ChunkActive || before.State == ChunkFull) {
		if _, err = a.r.ReadAt(a.buf[:], off); err != nil {
			break
		}
		if h, recs = Records(a.buf[:]); h.State == ChunkActive {
			// The copy of a record that is being written may have its clock but not its
			// word. Who has seen the clock finds the word when looking once more.
			n := len(recs)
			if _, err = a.r.ReadAt(a.buf[:], off); err != nil {
				break
			}
			h, recs = Records(a.buf[:])
			recs = recs[:min(n, len(recs))]
		}
		var after Chunk
		if after, err = a.header(off); err == nil && after.Seq == before.Seq && after.State != ChunkFree && h.Seq == before.Seq {
			return h, recs, nil
		}
		before = after // it was used again while it was read, and the copy may hold of both
	}
	return Chunk{State: ChunkFree}, nil, err
}

// dropOverwritten leaves out of s the chunks that a ring has overwritten since
// they were read. active gives the places of those that were not full.
//
// A chunk that was active is left out if it isn't in its place any more. Only
// then is the clock read until which chunks were overwritten: it covers those that
// came before such a one.
func (a *arenaReader) dropOverwritten(s *Snapshot, active map[uint64]int64) error {
	gone := make(map[uint64]bool)
	for seq, off := range active {
		h, err := a.header(off)
		if err != nil {
			return err
		}
		gone[seq] = h.Seq != seq
	}
	control := make([]byte, OriginsOffset)
	if _, err := a.r.ReadAt(control, 0); err != nil {
		return err
	}
	now, err := ParseControl(control)
	if err != nil || now.Before == 0 {
		return err
	}
	s.Before = now.Before
	s.Chunks = slices.DeleteFunc(s.Chunks, func(c SavedChunk) bool {
		return gone[c.Seq] || c.State == ChunkFull && c.Filled <= now.Before
	})
	return nil
}

// recordsUntil gives the records before the first one that is later than until.
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

// lastClock gives the latest clock of records.
func lastClock(recs []Record) (last uint64) {
	eachClock(recs, func(_ int, clock uint64) bool {
		last = max(last, clock)
		return true
	})
	return last
}

// eachClock calls do with the index and the clock of each record that is not a part
// of another one's values, until it gives false.
func eachClock(recs []Record, do func(i int, clock uint64) bool) {
	for i := 0; i < len(recs) && do(i, recs[i].Clock); i++ {
		if recs[i].code() == CodeValues {
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
