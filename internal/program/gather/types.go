package gather

import (
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/value"
)

// Types are the types of the values in traces. They don't change.
type Types struct {
	era  uint32
	size int // of the descriptions, bytes
	list map[uint32]value.Type
}

// Find returns the type of an id, for value.Decode.
func (t *Types) Find(id uint32) (value.Type, bool) {
	if v, ok := value.Predeclared(id); ok {
		return v, true
	}
	v, ok := t.list[id]
	return v, ok
}

// typesOf returns the types of an era, nil if nobody knows them any more.
func (d *decoder) typesOf(era uint32) *Types {
	known := -1
	if d.types != nil && d.types.era == era {
		known = d.types.size
	}
	list, ok := rt.TypesOf(era, known)
	if !ok {
		return nil
	}
	if list == nil && known >= 0 {
		return d.types
	}
	types, _ := value.ParseTypes(list) // values of those that follow damage can't be read
	d.types = &Types{era, len(list), make(map[uint32]value.Type, len(types))}
	for _, t := range types {
		d.types.list[t.ID] = t
	}
	return d.types
}
