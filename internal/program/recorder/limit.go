package recorder

import (
	"github.com/waymark-go/waymark/internal/program/console"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// filling is what is known about a file with a size limit.
type filling struct {
	limit  int64 // size that the disk has room for, see disk.go; 0: unknown
	first  int64 // the first limit
	blocks int   // of events in this file
	bytes  int64 // of events, in all files
	chunks int64 // that these are of
	said   bool  // that it is full
}

// tailRoom is what a file needs for its last blocks beside the origins, bytes.
const tailRoom = 4096

// room reports whether the file has room for n more bytes, and then for its end. The
// first block of events always has: a part makes progress, however many sites
// there are.
func (r *Recorder) room(n int) bool {
	tail := tailRoom + r.out.indexer.Size() + format.OriginsSize(r.arena.mem) - r.origins + r.countsRoom() + r.objectsRoom() + r.journal.Size()
	size := r.out.size + int64(len(r.out.buf)+n+tail)
	return !r.overfull(size) && (r.config.MaxSize == 0 || r.filling.blocks == 0 || size <= r.config.MaxSize)
}

// overfull reports whether the disk has no room for a file of that size. Events that are given back
// leave room for others.
func (r *Recorder) overfull(size int64) bool {
	return r.giver == nil && r.filling.limit > 0 && size > r.filling.limit
}

// append encodes a chunk into the batch and returns the number of its events. It is
// not ok, and nothing is appended, if the file has no room for it.
func (r *Recorder) append(c content) (events int, ok bool) {
	start := len(r.out.buf)
	r.look()
	buf, events := r.enc.Append(format.BeginBlock(r.out.buf, format.BlockEvents), c.Chunk, c.recs)
	r.looked()
	r.out.buf = format.EndBlock(buf, start)
	if !r.room(0) {
		r.out.buf = r.out.buf[:start]
		return events, false
	}
	if r.giver != nil {
		r.giver.summarize(c, start, len(r.out.buf)-start, events)
	}
	r.out.indexer.Events(r.out.buf, start, c.Chunk, events, r.outliner.Outline())
	r.filling.blocks++
	r.filling.chunks++
	r.filling.bytes += int64(len(r.out.buf) - start)
	return events, true
}

// nearlyFull reports whether recording should stop, because what the arena can hold may
// just about fit into the file. Then the arena can be written to the last event. The arena
// may fill up while a batch is written, so all chunks count, and an eighth more, as chunks
// differ. Of a small file, or a small disk, no more than a quarter is kept for that.
func (r *Recorder) nearlyFull() bool {
	if r.giver != nil {
		return !r.closed && r.filling.limit > 0 && r.out.size > r.filling.limit
	}
	if r.closed || r.filling.chunks == 0 {
		return false
	}
	ahead := int64(r.usable-1) * r.filling.bytes / r.filling.chunks
	ahead += ahead / 8
	if r.config.bounded() {
		return !r.room(int(min(ahead, r.config.MaxSize/4)))
	}
	return r.overfull(r.out.size + int64(len(r.out.buf)) + min(ahead, r.filling.first/4))
}

// whyFull returns why the file can't get larger: the flags of its trailer.
func (r *Recorder) whyFull() uint64 {
	if r.config.bounded() {
		return format.Full
	}
	return format.Full | format.Disk
}

// stop ends recording as the file has reached its size: the program goes on untraced.
func (r *Recorder) stop() {
	r.rt.Stop()
	why := r.whyFull()
	format.PutStopped(r.arena.mem, uint32(why)) // if the trailer can't say it
	r.sayFull(why)
	if err := r.finish(pair(r.rt), why); err != nil {
		console.Say("complete %s: %v", r.path, err)
	}
	r.ignoreObjects()
}

// cut is stop for a file that has no room for what is in the arena either: it
// counts as lost.
func (r *Recorder) cut() {
	r.rt.Stop()
	why := r.whyFull()
	format.PutStopped(r.arena.mem, uint32(why))
	r.sayFull(why)
	end := pair(r.rt)
	r.lastCounts(end.Clock)
	r.putObjects(&r.out, end.Clock)
	r.closed = true
	r.out.pending.lost += r.rt.Lost() + r.unwritten()
	if err := r.end(end, why); err != nil {
		console.Say("complete %s: %v", r.path, err)
	}
	r.ignoreObjects()
}

func (r *Recorder) sayFull(why uint64) {
	if r.filling.said {
		return
	}
	r.filling.said = true
	if why&format.Disk != 0 {
		console.Say("the disk of %s is nearly full, and the last 5 %% or 2 GB are left to others; recording has stopped, the program goes on untraced", r.path)
		return
	}
	console.Say("%s has reached its size of %d bytes; recording has stopped, the program goes on untraced", r.path, r.config.MaxSize)
}
