package recorder

import (
	"time"
	"unsafe"

	"github.com/waymark-go/waymark/internal/program/cputime"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// mostAtOnce is how many chunks the background goroutine writes before others may have the lock. A
// program that fills chunks as fast as they are written would keep Close from its turn for ever.
const mostAtOnce = 64

// loop is the background goroutine.
func (r *Recorder) loop() {
	for r.rt.Wait(r.recording) {
		r.mu.Lock()
		if r.rt.Broken() && !r.closed {
			r.fail(r.intact())
		}
		for n := 0; n < mostAtOnce && !r.closed; n++ {
			i := r.rt.Take()
			if i < 0 {
				break
			}
			watch, before := cputime.Begin(), r.encoded
			r.encode(i, r.full(i))
			r.paid(r.encoding.Take(watch, int(r.encoded-before)))
			if len(r.out.buf) >= batchSize {
				r.flushPaid()
			}
			if r.nearlyFull() {
				r.stop()
			}
		}
		r.flushPaid()
		if free, _ := r.rt.Queue(); free < r.usable/2 && !r.closed {
			watch := cputime.Begin()
			r.grow(2*r.usable - 1)
			ns, _ := watch.End()
			r.paid(ns)
		}
		r.mu.Unlock()
		r.control()
	}
	r.over()
}

// over has what was wanted of a recording taken away that has ended by itself.
func (r *Recorder) over() {
	if r.governor == nil || r.config.Govern.Over == nil {
		return
	}
	byItself := false
	r.locked(func() { byItself = r.closed && !r.closing })
	if byItself {
		r.config.Govern.Over()
	}
}

// A content is a chunk, taken apart.
type content struct {
	format.Chunk
	recs []format.Record
}

// full returns the content of the full chunk i, where it lies.
func (r *Recorder) full(i int) content {
	chunk := r.arena.chunk(i)
	h := format.ParseChunk(chunk)
	n := 0
	if h.End > format.ChunkHeader && h.End <= format.ChunkSize { // else it is broken, see arena.check
		n = int(h.End-format.ChunkHeader) / format.RecordSize
	}
	return content{h, unsafe.Slice((*format.Record)(unsafe.Pointer(&chunk[format.ChunkHeader])), n)}
}

// put encodes chunk i, and writes the batch if there is enough.
func (r *Recorder) put(i int, c content) {
	if r.encode(i, c); len(r.out.buf) >= batchSize {
		r.flush()
	}
}

// flushPaid is flush, and notes what it takes.
func (r *Recorder) flushPaid() {
	watch, size := cputime.Begin(), len(r.out.buf)
	r.flush()
	r.paid(r.writing.Take(watch, size))
}

// encode appends chunk i to the batch, in the next part if this one has no room for it.
func (r *Recorder) encode(i int, c content) {
	n, ok := r.append(c)
	if !ok {
		r.turn()
		if r.closed {
			return
		}
		n, _ = r.append(c)
	}
	r.encoded += uint64(n)
	r.out.pending.events += uint64(n)
	r.out.pending.lost += c.Lost
	r.taken = append(r.taken, i)
}

// flush writes the batch and frees its chunks.
func (r *Recorder) flush() {
	if len(r.out.buf) == 0 || r.closed {
		return
	}
	r.survey()
	err := r.place()
	r.appendOrigins()
	r.types.append(r.arena, &r.out)
	if now := time.Now(); now.Sub(r.synced) > time.Second {
		r.synced = now
		start := len(r.out.buf)
		r.out.buf = format.AppendClock(format.BeginBlock(r.out.buf, format.BlockClock), pair(r.rt))
		r.out.buf = format.EndBlock(r.out.buf, start)
		if clock, _ := r.rt.Clock(); r.room(r.objectsRoom()) {
			r.putObjects(&r.out, clock)
		}
	}
	if r.out.indexer.Full() {
		r.out.buf = r.out.indexer.AppendTo(r.out.buf, r.out.size)
	}
	if err == nil {
		err = r.intact()
	}
	if err == nil {
		err = r.write()
	}
	if err != nil {
		r.fail(err)
		return
	}
	r.placed()
	r.count()
	for _, i := range r.taken {
		r.rt.Free(i)
	}
	r.taken = r.taken[:0]
}

// grow makes that many more chunks usable, as far as the arena has them. Except for a ring, the
// recorder begins with few and doubles them: a short run should not pay for 64 MB. grow allocates
// and touches pages. Otherwise a full disk would be a fatal signal in the program, and a page fault
// would be on the hot path.
func (r *Recorder) grow(want int) error {
	if max := r.arena.chunks() - r.usable; want > max {
		want = max
	}
	if want > 0 && r.giver != nil && r.usable > 1 {
		want = min(want, r.giver.bufferRoom(r.path)/format.ChunkSize-r.usable)
	}
	if want <= 0 {
		return nil
	}
	if spare := r.filling.limit - r.out.size; r.filling.limit > 0 && r.usable > 1 && int64(want)*format.ChunkSize > spare/4 {
		return nil // the trace file needs what is left
	}
	if err := r.arena.populate(r.usable, want); err != nil {
		return err
	}
	for i := r.usable + want - 1; i >= r.usable; i-- {
		r.rt.Free(i)
	}
	r.usable += want
	return nil
}

// firstChunks is the number of chunks that are usable at the start: 2 MB.
const firstChunks = 32

func (r *Recorder) appendOrigins() {
	origins, next := format.ControlOrigins(r.arena.mem[:format.ChunkSize], r.origins, r.norigin)
	if len(origins) > 0 {
		r.out.block(format.BlockOrigins, format.AppendOrigins(nil, origins))
		r.origins, r.norigin = next, r.norigin+uint32(len(origins))
	}
}
