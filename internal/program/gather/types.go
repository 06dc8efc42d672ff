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
	list, ok := rt.TypesOf(era)
	if !ok {
		return nil
	}
	if d.types != nil && d.types.era == era && d.types.size == len(list) {
		return d.types
	}
	types, _ := value.ParseTypes(list) // the runtime has made the list
	d.types = &Types{era, len(list), make(map[uint32]value.Type, len(types))}
	for _, t := range types {
		d.types.list[t.ID] = t
	}
	return d.types
}
