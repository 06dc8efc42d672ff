package recorder

import (
	"errors"

	"github.com/waymark-go/waymark/internal/program/console"
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// Close writes what is left, completes the file, and frees what the recording holds. Events that
// happen meanwhile, on goroutines that still run, are not recorded. The program stands still for a
// moment, as no thread may write to memory that is unmapped. If the recording has ended by itself,
// Close frees what the recording holds. Another Close does nothing.
func (r *Recorder) Close() (err error) {
	r.locked(func() {
		err = r.close()
		r.release()
	})
	return err
}

// close is Close but for what the recording holds.
func (r *Recorder) close() error {
	if r.closed {
		return nil
	}
	if r.config.Overflow == rt.Ring {
		return r.closeRing()
	}
	r.closing = true
	r.rt.Stop()
	return r.finish(pair(r.rt), 0)
}

// finish writes what the arena holds after recording has ended, at end, and completes the file with
// the given flags in its trailer.
func (r *Recorder) finish(end format.ClockPair, flags uint64) error {
	for i := r.rt.Take(); i >= 0 && !r.closed; i = r.rt.Take() {
		r.put(i, r.full(i))
	}
	for i := 1; i < r.usable && !r.closed; i++ {
		if format.ParseChunk(r.arena.chunk(i)).State == format.ChunkActive {
			if h, recs := format.Records(r.arena.settled(i)); len(recs) > 0 {
				r.put(i, content{h, recs})
			}
		}
	}
	if r.closed {
		return nil // failed meanwhile
	}
	if err := r.intact(); err != nil {
		r.fail(err)
		return nil
	}
	r.lastCounts(end.Clock)
	r.putObjects(&r.out, end.Clock)
	err := r.place()
	r.appendOrigins()
	r.types.append(r.arena, &r.out)
	r.out.pending.lost += r.rt.Lost()
	r.closed = true
	if err != nil {
		return err
	}
	if err := r.write(); errors.Is(err, errRemoved) {
		r.fail(err)
		return nil
	} else if err != nil {
		return err // the arena is left, as if the program had been killed
	}
	r.placed()
	if err := r.settle(); err != nil {
		return err
	}
	return r.end(end, flags)
}

// end completes the file, recording having ended at last, and removes the arena.
func (r *Recorder) end(last format.ClockPair, flags uint64) error {
	if r.governor != nil {
		r.out.block(format.BlockMeta, format.AppendMeta(nil, r.usage()))
	} else if advice := r.advice(); advice != nil {
		r.out.block(format.BlockMeta, format.AppendMeta(nil, advice))
	}
	r.out.buf = r.journal.AppendTo(r.out.buf)
	err := r.out.end(last, flags)
	if err == nil {
		r.arena.remove()
	}
	return err
}

// release frees what a recording that has ended holds. If the end has failed, files are left.
func (r *Recorder) release() {
	if r.arena == nil {
		return
	}
	r.ignoreObjects()
	if r.governor != nil {
		r.governor.samples.Finish() // unless that was done
	}
	if r.rt.Retire() {
		r.arena.unmap()
	}
	r.out.file.close()
	r.rt.Reserve(-kept)
	r.arena, r.journal, r.out, r.enc = nil, nil, output{}, format.Encoder{}
	r.packages, r.taken = nil, nil
}

// fail ends recording: the program goes on, the file holds what was written.
func (r *Recorder) fail(err error) {
	r.closed = true
	r.rt.Stop()
	r.ignoreObjects()
	broken := errors.Is(err, errBroken)
	lost := r.rt.Lost()
	if broken {
		// What the chunks say is not to be trusted.
		const most = (format.ChunkSize - format.ChunkHeader) / format.RecordSize
		lost += r.rt.Held() + uint64(len(r.taken))*most
	} else {
		lost += r.unwritten()
	}
	r.out.buf, r.out.pending = r.out.buf[:0], tally{}
	r.out.indexer.Stop()
	r.out.written.lost += lost
	if !broken {
		format.PutStopped(r.arena.mem, format.Failed) // if the trailer can't say it
	}
	end := r.end(pair(r.rt), format.Failed)
	switch {
	case errors.Is(err, errRemoved):
		lost = r.out.written.events + r.out.written.lost
		console.Say("%v; recording has stopped, %d events are lost", err, lost)
	case end == nil || broken:
		console.Say("%v; recording has stopped, %s holds what was written before, %d events are lost", err, r.path, lost)
	default:
		// The arena is left, as if the program had been killed.
		console.Say("%v; recording has stopped, %s and %s hold what was recorded before", err, r.path, r.arena.path)
	}
	if end != nil && (broken || errors.Is(err, errRemoved)) {
		r.arena.remove()
	}
}

// unwritten counts the events in the arena that have not been written.
func (r *Recorder) unwritten() (events uint64) {
	var block []byte
	for i := 1; i < r.usable; i++ {
		if format.ParseChunk(r.arena.chunk(i)).InUse() {
			h, recs := format.Records(r.arena.settled(i))
			var n int
			block, n = r.enc.Append(block[:0], h, recs)
			events += h.Lost + uint64(n)
		}
	}
	return events
}
