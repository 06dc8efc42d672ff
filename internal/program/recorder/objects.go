package recorder

import (
	"cmp"
	"slices"

	"github.com/waymark-go/waymark/internal/program/objects"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// mostTypes bounds a block of objects, bytes. Types that are left out have made the fewest.
const mostTypes = 64 << 10

// countObjects has objects counted from now on, if they are to be recorded.
func (r *Recorder) countObjects() {
	if r.config.Objects {
		r.counting = true
		r.rt.Objects(true)
		r.made = objects.Read(r.rt.ObjectCounts)
	}
}

// ignoreObjects ends that, if it has begun: a program that goes on untraced should not pay for it.
func (r *Recorder) ignoreObjects() {
	if r.counting {
		r.counting = false
		r.rt.Objects(false)
	}
}

// putObjects appends what was made until the given clock, by type.
func (r *Recorder) putObjects(o *output, clock uint64) {
	if r.config.Objects {
		o.block(format.BlockObjects, format.AppendObjects(nil, clock, fewTypes(objects.Read(r.rt.ObjectCounts).Since(r.made))))
	}
}

// fewTypes returns the types that find room in a block, those that made most first, and the sum of the
// others as one.
func fewTypes(list []format.TypeCount) []format.TypeCount {
	slices.SortFunc(list, func(a, b format.TypeCount) int {
		if a.Objects != b.Objects {
			return cmp.Compare(b.Objects, a.Objects)
		}
		return cmp.Compare(a.Type, b.Type)
	})
	const numbers = 32 // bytes at most, of an entry without its names
	size := 0
	for i := range list {
		if size += numbers + len(list[i].Type) + len(list[i].Package); size <= mostTypes-2*numbers {
			continue
		}
		rest := format.TypeCount{Type: objects.Other}
		for _, t := range list[i:] {
			rest.Objects += t.Objects
			rest.Bytes += t.Bytes
		}
		return append(list[:i], rest)
	}
	return list
}

// objectsRoom is what the last block of objects needs, bytes.
func (r *Recorder) objectsRoom() int {
	if !r.config.Objects {
		return 0
	}
	return format.BlockHeader + mostTypes
}
