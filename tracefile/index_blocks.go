package tracefile

import (
	"bytes"
	"errors"
	"slices"

	"github.com/waymark-go/waymark/internal/wire/format"
)

// indexSearch is how far before the end of the file the last Index block is searched for. A writer
// leaves less than that behind it, unless the buffers of a killed program were very large.
const indexSearch = 4 * format.IndexBytes

// An extent locates a block that helps to find others.
type extent struct {
	off    int64
	length int // of the payload, bytes
}

// An otherBlock is one that an index lists and that has no events.
type otherBlock struct {
	extent
	kind format.BlockKind
}

// indexed takes in the blocks that the file's Index blocks list, from the last one back to the
// first, or to one that is damaged. These are all blocks from one offset in the file to another;
// both are 0 without an index. Who reads a block of events finds out whether it is what was listed.
func (x *indexer) indexed() (from, to int64, err error) {
	off, err := x.lastIndex()
	if off == 0 || err != nil {
		return 0, 0, err
	}
	var others []otherBlock
	for off != 0 {
		list, length, err := x.readIndex(off)
		behind := off + format.BlockHeader + int64(length)
		if errors.Is(err, format.ErrDamaged) || err == nil && from != 0 && behind != from {
			break
		} else if err != nil {
			return 0, 0, err
		}
		if to == 0 {
			to = behind
		}
		x.f.indexes = append(x.f.indexes, extent{off, length})
		x.f.blocks++
		others = x.entries(&list, others)
		from, off = int64(list.From), int64(list.Previous)
	}
	for _, s := range x.streams {
		slices.Reverse(s.blocks)
	}
	slices.Reverse(x.f.indexes)
	x.others = others
	return from, to, nil
}

// lastIndex returns the offset of the last Index block, 0 if there is none.
func (x *indexer) lastIndex() (int64, error) {
	begins := append(format.BlockMagic(), byte(format.BlockIndex))
	least := max(x.f.size-indexSearch, format.HeaderSize)
	var piece []byte
	for end, size := x.f.size, int64(16<<10); end > least; size = min(4*size, 1<<20) {
		off := max(end-size, least)
		// The block may begin in the piece and end behind it.
		piece = slices.Grow(piece[:0], int(size)+len(begins))[:min(end+int64(len(begins))-1, x.f.size)-off]
		if n, err := x.f.r.ReadAt(piece, off); n < len(piece) {
			if isEOF(err) {
				err = nil
			}
			return 0, err
		}
		for at := bytes.LastIndex(piece, begins); at >= 0; at = bytes.LastIndex(piece[:min(at+len(begins)-1, len(piece))], begins) {
			_, _, err := x.readIndex(off + int64(at))
			if err == nil {
				return off + int64(at), nil
			}
			if !errors.Is(err, format.ErrDamaged) {
				return 0, err
			}
		}
		end = off
	}
	return 0, nil
}

// readIndex reads the Index block at an offset. Errors wrap format.ErrDamaged if there is none.
func (x *indexer) readIndex(off int64) (list format.Index, length int, err error) {
	// What only looks like an index, in recorded values, must not cost time by the square of the size.
	if x.indexBudget < 0 {
		return list, 0, format.ErrDamaged
	}
	b, err := x.win.at(off, format.BlockHeader)
	if err != nil {
		return list, 0, err
	}
	h, err := format.ParseBlock(b)
	x.indexBudget -= int64(h.Length + len(x.win.buf))
	if err != nil || h.Kind != format.BlockIndex || off+format.BlockHeader+int64(h.Length) > x.f.size {
		return list, 0, format.ErrDamaged
	}
	var payload []byte
	if payload, x.buf, err = x.f.readBlock(off, h.Length, x.buf); err != nil {
		return list, 0, err
	}
	if list, err = format.ParseIndex(payload); err == nil && list.At != uint64(off) {
		err = format.ErrDamaged
	}
	return list, h.Length, err
}

// entries takes in the blocks that an index lists, from the last one on.
func (x *indexer) entries(list *format.Index, others []otherBlock) []otherBlock {
	off := int64(list.At)
	outlines, outline := uint32(0), uint32(0)
	for i := len(list.Entries) - 1; i >= 0; i-- {
		e := &list.Entries[i]
		off -= format.BlockHeader + int64(e.Length)
		x.f.blocks++
		switch e.Kind {
		case format.BlockEvents:
			b := block{
				off: off, seq: e.Seq, lost: e.Lost, clock: e.Clock, length: uint32(e.Length), events: uint32(e.Events),
				indexed: true, started: e.MoreStarts,
			}
			if e.Outline > 0 {
				outline -= uint32(e.Outline)
				if e.Outline < 1<<16 {
					b.outlines, b.outline, b.outlineLength = outlines, outline, uint16(e.Outline)
				}
			}
			s := x.stream(e.Stream)
			s.blocks = append(s.blocks, b)
			x.first = min(x.first, e.Clock)
		case format.BlockOutlines:
			x.f.outlines.at = append(x.f.outlines.at, extent{off, e.Length})
			outlines, outline = uint32(len(x.f.outlines.at)), uint32(e.Length)
		default:
			others = append(others, otherBlock{extent{off, e.Length}, e.Kind})
		}
	}
	return others
}

// readOthers reads the blocks without events that the index lists.
func (x *indexer) readOthers() error {
	for i := len(x.others) - 1; i >= 0; i-- {
		o := &x.others[i]
		payload, buf, err := x.f.readBlock(o.off, o.length, x.buf)
		x.buf = buf
		if err == nil {
			err = x.f.parse(o.kind, payload)
		}
		if errors.Is(err, format.ErrDamaged) {
			x.f.damaged += format.BlockHeader + int64(o.length)
			x.f.blocks--
		} else if err != nil {
			return err
		}
	}
	return nil
}
