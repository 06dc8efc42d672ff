package capture

import (
	"debug/dwarf"

	"github.com/waymark-go/waymark/internal/wire/format"
)

// running returns the type that the runtime has described at an address of the process; nil: it isn't known.
func (ts *Types) running(at uint64, m Memory) *Type {
	at -= m.Bias()
	if ts.byRun == nil {
		ts.index()
	}
	offset, ok := ts.byRun[at]
	if !ok {
		return nil
	}
	t, err := ts.at(offset)
	if err != nil {
		return nil
	}
	return t
}

// index reads which types the runtime has described where.
func (ts *Types) index() {
	ts.byRun = make(map[uint64]dwarf.Offset)
	base := ts.image.Types()
	r := ts.data.Reader()
	for {
		e, err := r.Next()
		if err != nil || e == nil {
			return
		}
		if v, ok := e.Val(attrRuntime).(uint64); ok && v != 0 {
			if v < base { // it counts from where all descriptions begin
				v += base
			}
			ts.byRun[v] = e.Offset
		}
		if e.Children && e.Tag != dwarf.TagCompileUnit {
			r.SkipChildren()
		}
	}
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
