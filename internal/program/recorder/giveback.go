package recorder

import (
	"slices"
	"time"

	"github.com/waymark-go/waymark/internal/wire/format"
)

// Space of events that nobody wants is used again for others. A region that is given back becomes
// an extent: a Gap block at its beginning says that the rest means nothing. New blocks are written
// behind the Gap, and then the Gap is written anew, without what is used. So a kill at any moment
// leaves a file of whole blocks. So a file takes the space of what stays, and no more is written to
// the disk. Where the file system can, the recording's end frees the space of extents.

// A giver is what a recording needs to give events back.
type giver struct {
	keeping
	space
	most int64 // bytes that all recordings in the folder may take

	blocks   []summarized // of events, in output.buf
	batch    []byte
	spare    []*region // whose memory is used again
	changed  []int64   // offsets of extents, in giveBack
	appended *region   // what will be behind the file's end
	others   int64     // bytes that other recordings in the folder take
	looked   int64     // size of the file when they were counted
	told     time.Time
}

func newGiver(most int64) *giver {
	return &giver{keeping: *newKeeping(most), most: most, told: time.Now()}
}

// summarize takes note of an Events block that was appended to the batch.
func (k *giver) summarize(c content, start, size, events int) {
	n := len(k.blocks)
	k.blocks = slices.Grow(k.blocks, 1)[:n+1] // with the slices of an earlier one
	b := &k.blocks[n]
	b.Take(c.Chunk, c.recs)
	b.start, b.size, b.events = start, size, uint64(events)
}

// eventsFirst puts the blocks of events to the beginning of the batch.
func (k *giver) eventsFirst(buf []byte) []byte {
	at := 0
	for i := range k.blocks {
		if k.blocks[i].start != at {
			at = -1
			break
		}
		at += k.blocks[i].size
	}
	if at >= 0 {
		return buf
	}
	k.batch = k.batch[:0]
	for _, b := range k.blocks {
		k.batch = append(k.batch, buf[b.start:][:b.size]...)
	}
	at = 0
	for _, b := range k.blocks {
		k.batch = append(k.batch, buf[at:b.start]...)
		at = b.start + b.size
	}
	k.batch = append(k.batch, buf[at:]...)
	return append(buf[:0], k.batch...)
}

// reset forgets what is in the file: it begins anew.
func (k *giver) reset() {
	if k == nil {
		return
	}
	k.pending, k.kept, k.space, k.appended, k.looked = nil, nil, nil, nil, 0
	for _, t := range k.failed {
		t.regions = nil
	}
}

// sweepAfter is how many bytes of events are written before regions are chosen again.
const sweepAfter = 256 << 10

// place writes the events of the batch to extents, as far as there are some. What has to be appended
// to the file stays in the batch.
func (r *Recorder) place() error {
	k := r.giver
	if k == nil {
		return nil
	}
	r.out.buf = k.eventsFirst(r.out.buf)
	for swept := false; len(k.blocks) > 0; {
		i, n, size := k.fit(k.blocks)
		if n == 0 {
			if !swept && k.written-k.swept >= sweepAfter || r.grownBy(k.blocks) && k.shrink() {
				swept = true
				if err := r.giveBack(); err != nil {
					return err
				}
				continue
			}
			break
		}
		if err := r.intact(); err != nil {
			return err
		}
		off, left := k.take(i, size)
		k.batch = appendGapBlock(append(k.batch[:0], r.out.buf[:size]...), left.size)
		err := r.out.file.write(k.batch, off+format.GapSize)
		if err == nil {
			k.batch = appendGapBlock(k.batch[:0], format.GapSize)
			err = r.out.file.write(k.batch, off)
		}
		if isCut(err) {
			k.reset() // what is appended next finds it out, too
			break
		}
		if err != nil {
			return err
		}
		k.add(k.region(off, n, format.GapSize))
		r.out.buf = append(r.out.buf[:0], r.out.buf[size:]...)
	}
	if len(k.blocks) > 0 {
		k.appended = k.region(r.out.size, len(k.blocks), 0)
	}
	return nil
}

// region returns the region of the first n blocks, and takes these off the list.
func (k *giver) region(off int64, n int, size int64) *region {
	if len(k.spare) == 0 {
		k.spare = append(k.spare, new(region))
	}
	last := len(k.spare) - 1
	g := k.spare[last]
	k.spare = k.spare[:last]
	*g = region{off: off, size: size, starts: g.starts[:0], ended: g.ended[:0], lows: g.lows[:0]}
	for i := range k.blocks[:n] {
		g.add(&k.blocks[i])
	}
	left := k.blocks[n:]
	for i := range left { // no two have the same slices
		k.blocks[i], left[i] = left[i], k.blocks[i]
	}
	k.blocks = k.blocks[:len(left)]
	return g
}

// placed is called when the batch has been written.
func (r *Recorder) placed() {
	if k := r.giver; k != nil && k.appended != nil {
		k.add(k.appended)
		k.appended = nil
	}
}

// giveBack makes extents of the regions that nobody wants any more. What later events need of them is
// written before: a kill in between leaves both.
func (r *Recorder) giveBack() error {
	k := r.giver
	free := k.choose()
	if starts := k.starts(free); len(starts) > 0 {
		block := format.AppendBlock(nil, format.BlockStarts, format.AppendStarts(nil, starts))
		err := r.out.writeAhead(block)
		if isCut(err) {
			r.out.buf = append(r.out.buf, block...) // the file begins anew with it
			k.reset()
			return nil
		}
		if err != nil {
			return err
		}
	}
	if now := time.Now(); now.Sub(k.told) > time.Second {
		k.told = now
		r.tellGaps(false)
	}
	k.changed = k.changed[:0]
	for _, g := range free {
		k.changed = append(k.changed, k.give(g.off, g.size).off)
	}
	k.spare = append(k.spare, free...)
	slices.Sort(k.changed)
	for _, e := range k.space {
		if _, changed := slices.BinarySearch(k.changed, e.off); changed {
			k.batch = appendGapBlock(k.batch[:0], e.size)
			err := r.out.file.write(k.batch, e.off)
			if isCut(err) {
				k.reset()
				return nil
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// tellGaps says in the file what tests lack.
func (r *Recorder) tellGaps(all bool) {
	for _, g := range r.giver.unsaid(all) {
		r.out.block(format.BlockGap, format.AppendGap(nil, g))
	}
}

// grownBy reports whether the file would be larger than it may with some more blocks.
func (r *Recorder) grownBy(blocks []summarized) bool {
	k := r.giver
	n := int64(0)
	for i := range blocks {
		n += int64(blocks[i].size)
	}
	const lookAfter = 4 << 20
	if r.out.size == 0 || r.out.size-k.looked >= lookAfter || k.looked == 0 {
		k.looked = r.out.size
		k.others = spaceBeside(r.path)
	}
	own := r.out.size + n + int64(r.usable)*format.ChunkSize
	return own > max((k.most-k.others)/2, leastSpace) || r.filling.limit > 0 && r.out.size+n > r.filling.limit
}

// bufferShare is the share of the space that is left which buffers may take: one in so many.
const bufferShare = 8

// bufferRoom returns how many bytes the buffers of the recording at path may take.
func (k *giver) bufferRoom(path string) int {
	return int(max((k.most-spaceBeside(path))/bufferShare, 0))
}

// leastSpace is what a recording may take whatever others do, bytes.
const leastSpace = 8 << 20

// settle gives back what nobody wants at the end of a recording, and frees the space of it.
func (r *Recorder) settle() error {
	k := r.giver
	if k == nil {
		return nil
	}
	err := r.giveBack()
	r.tellGaps(true)
	for _, e := range k.space {
		r.out.file.punch(e.off+format.GapSize, e.size-format.GapSize)
	}
	return err
}
