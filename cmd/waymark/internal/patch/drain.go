//go:build linux && amd64

package patch

import (
	"encoding/binary"
	"runtime"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/trampoline"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// A Part is events of one of the scheduler's Ps, in order: a chunk, or what was added to it since the part before.
type Part struct {
	Head  format.Chunk // State says whether the chunk is full
	Bytes []byte       // the whole chunk, valid while it is drained
	From  int          // bytes of it that earlier parts had
	End   int          // bytes in use
}

// Records returns the part's records.
func (p *Part) Records() []format.Record {
	n := (p.End - p.From) / format.RecordSize
	if n <= 0 {
		return nil
	}
	return unsafe.Slice((*format.Record)(unsafe.Pointer(&p.Bytes[p.From])), n)
}

// Goroutine returns the id of the goroutine that ran where the part begins.
func (p *Part) Goroutine() uint64 {
	before := Part{Bytes: p.Bytes, From: format.ChunkHeader, End: p.From}
	goroutine := p.Head.Goroutine & format.ValueMask
	list := before.Records()
	for i := 0; i < len(list); i += 1 + follows(list, i) {
		if code, id, ok := codeOf(list[i]); ok && code == format.CodeGo {
			goroutine = id
		}
	}
	return goroutine
}

// follows returns how many records hold what belongs to the record of a list, and are none themselves.
func follows(list []format.Record, i int) (n int) {
	switch code, _, ok := codeOf(list[i]); {
	case ok && code == trampoline.CodeStack:
		_, n = stackOf(list, i)
	case ok && code == trampoline.CodeCopied:
		_, n = copyOf(list, i)
	}
	return n
}

// codeOf returns the code of a record and its value; ok is false if it is of a call.
func codeOf(r format.Record) (code, value uint64, ok bool) {
	return r.Word >> format.CodeShift & 0xFF, r.Word & format.ValueMask, r.Word>>(format.CodeShift+8) == format.FirstCode>>24
}

// stackOf returns the return addresses behind the record of a list that announces them, and how many records they take.
func stackOf(list []format.Record, i int) (pcs []uint64, records int) {
	_, size, _ := codeOf(list[i])
	n := min(int(min(size, 8*trampoline.MostCallers))/8, 2*(len(list)-i-1))
	if n <= 0 {
		return nil, 0
	}
	return unsafe.Slice(&list[i+1].Clock, n), (n + 1) / 2
}

// copyOf returns the copy of values behind the record of a list that announces it, and how many records it takes.
func copyOf(list []format.Record, i int) (b []byte, records int) {
	_, size, _ := codeOf(list[i])
	size = min(size, uint64(len(list)-i-1)*format.RecordSize)
	if size == 0 {
		return []byte{}, 0
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&list[i+1])), size), int(size+format.RecordSize-1) / format.RecordSize
}

// A drain takes chunks out of the memory, and gives them back.
type drain struct {
	t    *Target
	free []int    // offsets of chunks that no P has
	of   []stream // by P
	each int      // chunks that a P has, if there are enough

	// losing: when Drain was called last some P had lost events, and no chunk that was told since says so.
	losing bool
	ps     int // Ps that have some
}

// A stream is what a P has been given: chunks in the order in which it takes them.
type stream struct {
	given []int // offsets
	read  int   // bytes of the first one
	tail  uint64
}

const (
	waiting  = 2  // chunks of a P that isn't used
	prepared = 64 // Ps that have chunks from the beginning
)

// begin gives chunks to all Ps. Those that the program uses now have most of them; all others get some when they
// are used.
func (d *drain) begin(t *Target) {
	d.t, d.of = t, make([]stream, trampoline.MostPs)
	for i := chunks - 1; i >= 0; i-- {
		d.free = append(d.free, trampoline.Chunks+i*format.ChunkSize)
	}
	d.ps = runtime.NumCPU()
	if at := t.Image.Var("gomaxprocs"); at != 0 && !t.process.Fresh() {
		d.ps = int(uint32(t.process.Word(at + t.bias)))
	}
	d.ps = max(1, min(d.ps, trampoline.MostPs))
	spare := min(2*waiting*prepared, len(d.free)/4)
	d.each = max(waiting, min(trampoline.Slots-1, (len(d.free)-spare)/d.ps))
	for p := range d.of {
		switch {
		case p < d.ps:
			d.fill(p, d.each)
		case p < prepared:
			d.fill(p, waiting)
		}
	}
}

// fill gives chunks to a P until it has as many.
func (d *drain) fill(p, want int) {
	for s := &d.of[p]; len(s.given) < want && len(d.free) > 0; {
		c := d.free[len(d.free)-1]
		d.free = d.free[:len(d.free)-1]
		d.give(p, c)
	}
}

func (d *drain) word(at int) *uint64 { return (*uint64)(unsafe.Pointer(&d.t.memory[at])) }

func (d *drain) state(chunk int) *uint32 { return (*uint32)(unsafe.Pointer(&d.t.memory[chunk])) }

// give gives a chunk to a P.
func (d *drain) give(p, chunk int) {
	s := &d.of[p]
	binary.LittleEndian.PutUint32(d.t.memory[chunk+4:], uint32(p))
	atomic.StoreUint32(d.state(chunk), format.ChunkFree)
	cell := trampoline.Cells + p*trampoline.CellSize
	*d.word(cell + trampoline.Slot(s.tail)) = d.t.address(chunk)
	s.tail++
	atomic.StoreUint64(d.word(cell+trampoline.Tail), s.tail)
	s.given = append(s.given, chunk)
}

// Drain calls do with what events there are, of a few chunks of each P, and reports whether there were some. With all
// it also has those of chunks that aren't full.
//
// now is the clock before the call. Until the clock that Drain returns all events were told.
func (t *Target) Drain(all bool, now uint64, do func(*Part)) (some bool, until uint64) {
	const most = 8 // chunks: who is told of the events is to do other things, too
	until = now
	if t.memory == nil {
		return false, until
	}
	d := &t.drain
	d.losing = t.lost() > 0 // before chunks are read: one that is taken meanwhile says it
	for p := range d.of {
		s := &d.of[p]
		if len(s.given) == 0 && p >= prepared && *d.word(trampoline.Cells + p*trampoline.CellSize + trampoline.Lost) > 0 {
			d.fill(p, waiting) // the program uses more Ps than when it was attached to
		}
		for n := 0; len(s.given) > 0; n++ {
			part := d.next(p, all)
			if part == nil {
				break
			}
			if n == most {
				until, d.losing = min(until, part.begins()), d.losing || part.Head.Lost > 0
				break
			}
			some = some || len(part.Records()) > 0
			do(part)
			s.read = part.End
			if part.Head.State != format.ChunkFull {
				break
			}
			chunk := s.given[0]
			s.given, s.read = slices.Delete(s.given, 0, 1), 0
			if p >= d.ps { // it is used: from now on it has more
				d.ps = p + 1
				d.fill(p, d.each/4)
			}
			d.give(p, chunk)
		}
	}
	return some, until
}

// Waiting returns how many records wait in full chunks, which Drain has not told.
func (t *Target) Waiting() (records uint64) {
	if t.memory == nil {
		return 0
	}
	for p := range t.drain.of {
		for _, chunk := range t.drain.of[p].given {
			if atomic.LoadUint32(t.drain.state(chunk)) != format.ChunkFull {
				break
			}
			records += format.ChunkSize / format.RecordSize
		}
	}
	return records
}

// begins returns the clock of the first event.
func (p *Part) begins() uint64 {
	if list := p.Records(); len(list) > 0 {
		return list[0].Clock
	}
	return p.Head.Clock
}

// next returns what is new in the first chunk that a P has; nil: nothing.
func (d *drain) next(p int, all bool) *Part {
	s := &d.of[p]
	chunk := s.given[0]
	b := d.t.memory[chunk : chunk+format.ChunkSize]
	part := &Part{Bytes: b, From: max(s.read, format.ChunkHeader)}
	cell := trampoline.Cells + p*trampoline.CellSize
	state, fills := atomic.LoadUint32(d.state(chunk)), false
	if state == format.ChunkActive && all {
		cursor := atomic.LoadUint64(d.word(cell + trampoline.Cursor))
		if fills = atomic.LoadUint64(d.word(cell+trampoline.Chunk)) == d.t.address(chunk); fills {
			part.End = int(cursor - d.t.address(chunk))
		} else { // it was filled up meanwhile, or is just being taken
			state = atomic.LoadUint32(d.state(chunk))
		}
	}
	switch {
	case state == format.ChunkFull:
		part.End = int(binary.LittleEndian.Uint32(b[32:]))
	case !fills:
		return nil
	}
	if part.End < part.From || part.End > format.ChunkSize {
		part.End = part.From // the program has written to the memory
	}
	part.Head = format.ParseChunk(b)
	part.Head.State = state      // it may be full by now, and have more
	part.Head.Stream = uint32(p) // whatever the program has written there
	return part
}

// Drops returns the calls of each function whose beginnings there was no room for.
func (t *Target) Drops() map[*Site]uint64 { return t.drops(false) }

// LineDrops returns how often each line was reached for which there was no room.
func (t *Target) LineDrops() map[*Site]uint64 { return t.drops(true) }

func (t *Target) drops(lines bool) map[*Site]uint64 {
	drops := make(map[*Site]uint64)
	for _, s := range t.sites[1:] {
		if n, _ := t.Dropped(s.Number); n > 0 && lines == (s.Line != nil) {
			drops[s] = n
		}
	}
	return drops
}

// Dropped returns how many events of a site there was no room for: beginnings and ends.
func (t *Target) Dropped(site uint32) (begins, ends uint64) {
	if t.memory == nil {
		return 0, 0
	}
	at := trampoline.Drop(site)
	return atomic.LoadUint64(t.drain.word(at)), atomic.LoadUint64(t.drain.word(at + 8))
}
