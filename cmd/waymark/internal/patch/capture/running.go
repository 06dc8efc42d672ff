package capture

import (
	"github.com/waymark-go/waymark/internal/wire/format"
)

// running returns the type that the runtime has described at an address of the process; nil: it isn't known.
func (ts *Types) running(at uint64, m Memory) *Type {
	offset, ok := ts.byRun[at-m.Bias()]
	if !ok {
		return nil
	}
	t, err := ts.at(offset)
	if err != nil {
		return nil
	}
	return t
}

// function returns the id of a function that a value leads to.
func (ts *Types) function(pc uint64) uint32 {
	f := ts.image.At(pc)
	if f == nil {
		return format.TypeUnread
	}
	id := ts.functions[f.Entry]
	if id == 0 {
		id = ts.newID()
		ts.functions[f.Entry] = id
		ts.Describe(format.Type{ID: id, Kind: format.KindFunction, Name: f.Name})
	}
	return id
}
