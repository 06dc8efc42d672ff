package tracefile

import (
	"slices"

	"github.com/waymark-go/waymark/internal/text/names"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// A TypeCount is how many heap objects of a type the recorded program made.
//
//	Type    string // with import paths, as in package stats
//	Package string // import path of the type's package; "" if the type has no name or none
//	Objects uint64
//	Bytes   uint64 // that the allocator took for them
type TypeCount = format.TypeCount

// Objects returns the heap objects that the program made while it was recorded, by type, in no
// order. It returns nil if the recording does not say that. Of a program that was killed it is what
// was known some time before.
func (f *File) Objects() []TypeCount { return slices.Clone(f.objects) }

// addObjects takes in an Objects block.
func (f *File) addObjects(payload []byte) error {
	clock, list, err := format.ParseObjects(payload)
	if err != nil || clock < f.objectsAt {
		return err
	}
	names.MakePrintable(&list)
	f.objectsAt, f.objects = clock, append([]TypeCount(nil), list...) // nil if there are none
	return nil
}
