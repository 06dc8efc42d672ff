package recorder

import (
	"slices"

	"github.com/waymark-go/waymark/internal/wire/format"
)

// A region is a run of whole Events blocks in the trace file, that stays or is given back as one.
type region struct {
	off, size int64
	from, to  uint64 // clocks of its first and last event
	events    uint64
	starts    []format.Started
	ended     []uint64     // goroutines
	lows      []format.Low // of goroutines
	holders   int          // failed tests that keep it
	wanters   int          // running tests that did when the disk was last short, and no failed one
}

// share returns the bytes that each test pays that keeps the region.
func (g *region) share() int64 {
	if g.holders > 0 {
		return g.size / int64(g.holders)
	}
	return g.size / int64(max(g.wanters, 1))
}

// add adds what a block holds.
func (g *region) add(b *summarized) {
	if b.To > 0 {
		if g.to == 0 {
			g.from = b.From
		}
		g.from, g.to = min(g.from, b.From), max(g.to, b.To)
	}
	g.size += int64(b.size)
	g.events += b.events
	g.starts = append(g.starts, b.Starts...)
	g.ended = append(g.ended, b.Ended...)
	g.lows = append(g.lows, b.Lows...)
}

// A summarized is an Events block that is not written yet.
type summarized struct {
	format.Summary
	start  int // in the batch
	size   int // with its header, bytes
	events uint64
}

// An extent is a part of the trace file that was given back. It begins with a Gap block; what is
// behind it in the extent means nothing, until other blocks are written there.
type extent struct{ off, size int64 }

// space is the free extents of a trace file, by their offsets. No two are neighbours.
type space []extent

// give adds the bytes of a region, and returns the extent that they are in now.
func (s *space) give(off, size int64) extent {
	i, _ := slices.BinarySearchFunc(*s, off, func(e extent, off int64) int { return int(min(max(e.off-off, -1), 1)) })
	e := extent{off, size}
	if i < len(*s) && (*s)[i].off == off+size {
		e.size += (*s)[i].size
		*s = slices.Delete(*s, i, i+1)
	}
	if i > 0 && (*s)[i-1].off+(*s)[i-1].size == off {
		(*s)[i-1].size += e.size
		return (*s)[i-1]
	}
	*s = slices.Insert(*s, i, e)
	return e
}

// fit returns the index of an extent for the first of some blocks, and how many of the blocks and
// bytes go there. It is the first extent that all fit into, or else the largest. n is 0 if there is
// none. An extent keeps its Gap block at the beginning, and one for what is left over at its end.
func (s space) fit(blocks []summarized) (i, n int, size int64) {
	for j, e := range s {
		k, sum := 0, int64(0)
		for k < len(blocks) && sum+int64(blocks[k].size)+2*format.GapSize <= e.size {
			sum += int64(blocks[k].size)
			k++
		}
		if sum > size {
			i, n, size = j, k, sum
		}
		if k == len(blocks) {
			break
		}
	}
	return i, n, size
}

// take takes the beginning of an extent for so many bytes of blocks. It returns the offset of the
// Gap before them, and the extent that is left.
func (s space) take(i int, size int64) (off int64, left extent) {
	e := &s[i]
	off = e.off
	e.off += format.GapSize + size
	e.size -= format.GapSize + size
	return off, *e
}

// appendGapBlock appends the block at the beginning of an extent of that size.
func appendGapBlock(dst []byte, size int64) []byte {
	start := len(dst)
	dst = format.AppendGap(format.BeginBlock(dst, format.BlockGap), format.Gap{Skip: uint64(size - format.GapSize)})
	return format.EndBlock(dst, start)
}
