package tracefile

import (
	"cmp"
	"errors"
	"io"
	"maps"
	"slices"
	"strconv"

	"github.com/waymark-go/waymark/internal/wire/format"
	"github.com/waymark-go/waymark/value"
)

// Parts returns the files that f is made of: those that Join has put together, or
// f itself. Their Info has the damage that was met in each.
func (f *File) Parts() []*File {
	if len(f.parts) == 0 {
		return []*File{f}
	}
	return f.parts
}

// number returns the file's place among the parts of its recording.
func (f *File) number() int {
	n, _ := strconv.Atoi(f.meta[format.MetaPart])
	return max(n, 0)
}

// joinParts makes one File of the parts of a recording, which are in order and
// have different numbers. Its bytes are theirs, one after the other; streams go on
// from one part to the next, because their sequence numbers do.
func joinParts(parts []*File) *File {
	if len(parts) == 1 {
		return parts[0]
	}
	last := parts[len(parts)-1]
	f := &File{
		r: concatenation(parts), path: parts[0].path, version: parts[0].version, parts: parts,
		meta: maps.Clone(parts[0].meta), origins: make(map[uint32]Origin), types: make(map[uint32]value.Type),
	}
	for _, key := range []string{format.MetaCPU, format.MetaTracing} { // known at the end
		if value, ok := last.meta[key]; ok {
			f.meta[key] = value
		}
	}
	first := ^uint64(0)
	streams := make(map[uint32]*stream)
	var end format.Trailer
	for i, p := range parts {
		if i > 0 {
			f.missing += p.number() - parts[i-1].number() - 1
		}
		for _, t := range p.funcs {
			f.funcs.add(t)
		}
		for id, o := range p.origins {
			f.origins[id] = o
		}
		for id, t := range p.types {
			f.types[id] = t
		}
		f.groups.Add(p.groups.List())
		f.tests = append(f.tests, p.tests...)
		f.given.join(&p.given)
		f.counts = append(f.counts, p.counts...)
		if p.objectsAt >= f.objectsAt {
			f.objectsAt, f.objects = p.objectsAt, p.objects
		}
		f.pairs = append(f.pairs, p.pairs...)
		for _, s := range p.streams {
			to := streams[s.id]
			if to == nil {
				to = &stream{id: s.id}
				streams[s.id] = to
				f.streams = append(f.streams, to)
			}
			for _, b := range s.blocks {
				b.off += f.size
				if b.outlines > 0 {
					b.outlines += uint32(len(f.outlines.at))
				}
				to.blocks = append(to.blocks, b)
			}
		}
		for _, e := range p.indexes {
			f.indexes = append(f.indexes, extent{e.off + f.size, e.length})
		}
		for _, e := range p.outlines.at {
			f.outlines.at = append(f.outlines.at, extent{e.off + f.size, e.length})
		}
		info := p.Info()
		end.Lost += info.Lost
		end.Recovered += info.Recovered
		f.recovered += p.recovered
		f.stopped |= p.stopped
		f.damaged += info.Damaged
		f.blocks += info.Blocks
		f.live = f.live || p.live
		f.recoveryErr = errors.Join(f.recoveryErr, p.recoveryErr)
		f.unsavedErr = errors.Join(f.unsavedErr, p.unsavedErr)
		f.size += p.size
		first = min(first, p.time.start)
	}
	if len(f.pairs) > 1 {
		f.pairs = []format.ClockPair{f.pairs[0], f.pairs[len(f.pairs)-1]}
	}
	for _, s := range f.streams {
		f.settle(s)
	}
	slices.SortFunc(f.streams, func(a, b *stream) int { return cmp.Compare(a.id, b.id) })
	if last.trailer != nil {
		end.Clock, end.Flags, end.Events = last.trailer.Clock, last.trailer.Flags, f.found.events
		f.trailer = &end
	}
	f.setTimeline(first)
	return f
}

// settle puts the blocks of s in order, each once, and counts what they hold. A
// block is there twice if it was in the arena still when the program was killed.
// The other one is in the part before the one that was completed from the arena.
func (f *File) settle(s *stream) {
	slices.SortStableFunc(s.blocks, func(a, b block) int {
		if c := cmp.Compare(a.seq, b.seq); c != 0 || a.damaged == b.damaged {
			return c
		} else if b.damaged {
			return -1
		}
		return 1
	})
	s.blocks = slices.CompactFunc(s.blocks, func(a, b block) bool { return a.seq == b.seq })
	for i := range s.blocks {
		if b := &s.blocks[i]; !b.damaged {
			f.found.events += uint64(b.events)
			f.found.lost += b.lost
		}
	}
}

// part returns the part that holds what is at off in f, and its offset there.
func (f *File) part(off int64) (*File, int64) { return concatenation(f.parts).at(off) }

// A concatenation reads the bytes of files one after the other. A read does not
// go on from one file to the next, as no block does.
type concatenation []*File

func (c concatenation) at(off int64) (*File, int64) {
	for _, p := range c[:len(c)-1] {
		if off < p.size {
			return p, off
		}
		off -= p.size
	}
	return c[len(c)-1], off
}

func (c concatenation) ReadAt(b []byte, off int64) (int, error) {
	p, off := c.at(off)
	n, err := p.r.ReadAt(b[:max(min(int64(len(b)), p.size-off), 0)], off)
	if err == nil && n < len(b) {
		err = io.EOF
	}
	return n, err
}
