package tracefile

import (
	"cmp"
	"errors"
	"runtime"
	"slices"

	"github.com/waymark-go/waymark/internal/wire/format"
)

// Starts calls do for the start of each goroutine, in no particular order. It reads the file's
// index, and those blocks of which the index doesn't list all starts, several at a time. Its error
// is the operating system's.
func (f *File) Starts(do func(ev *Event)) error {
	f.given.each(do)
	var buf []byte
	for _, e := range f.indexes {
		var payload []byte
		var err error
		if payload, buf, err = f.readBlock(e.off, e.length, buf); err != nil {
			if errors.Is(err, format.ErrDamaged) {
				return f.scanStarts(func(*block) bool { return true }, do) // it was whole when f was opened
			}
			return err
		}
		list, err := format.ParseIndex(payload)
		if err != nil {
			continue
		}
		off := e.off - int64(list.At-list.From)
		for i := range list.Entries {
			b := &list.Entries[i]
			if len(b.Starts) > 0 && f.has(b, off) {
				for _, s := range b.Starts {
					do(&Event{Kind: Start, Clock: s.Clock, Goroutine: s.Goroutine, Stream: b.Stream, Value: s.Parent, Origin: s.Origin})
				}
			}
			off += format.BlockHeader + int64(b.Length)
		}
	}
	return f.scanStarts(func(b *block) bool { return b.started }, do)
}

// has reports whether the block at an offset is one of f's, and no copy of another.
func (f *File) has(e *format.IndexEntry, off int64) bool {
	i, ok := slices.BinarySearchFunc(f.streams, e.Stream, func(s *stream, id uint32) int { return cmp.Compare(s.id, id) })
	if !ok {
		return false
	}
	blocks := f.streams[i].blocks
	i, ok = slices.BinarySearchFunc(blocks, e.Seq, func(b block, seq uint64) int { return cmp.Compare(b.seq, seq) })
	return ok && blocks[i].off == off
}

// scanStarts is Starts for some blocks, which it reads.
func (f *File) scanStarts(wanted func(*block) bool, do func(ev *Event)) error {
	read := func(_ int, b *Block) []Event {
		var starts []Event
		for events := b.Next(); len(events) > 0; events = b.Next() {
			for i := range events {
				if events[i].Kind == Start { // which has no Data to outlive its block
					starts = append(starts, events[i])
				}
			}
		}
		return starts
	}
	order := newScanOrder(f.streams, Range{}, wanted)
	_, err := scanBlocks(f, order, runtime.GOMAXPROCS(0), read, func(starts []Event) error {
		for i := range starts {
			do(&starts[i])
		}
		return nil
	})
	return err
}
