package format

import "encoding/binary"

const BlockObjects BlockKind = 15

// Bytes returns how many bytes the allocator took for the objects of an event Made. The goroutine made
// them since its event before that is not Start, Parked or Waited.
func (ev *Event) Bytes() uint64 {
	c := cursor{b: ev.Data}
	c.uvarint()
	return c.uvarint() // 0 if it is damaged
}

// AppendMade appends the Data of an event of kind Made.
func AppendMade(dst []byte, objects, bytes uint64) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(dst, objects), bytes)
}

// appendMade appends recs[0], which is of code Made, unless the bytes are missing because a kill cut
// them off. It returns the clock that the next record's delta counts from.
func appendMade(dst []byte, clock uint64, recs []Record) ([]byte, uint64) {
	if len(recs) < 2 {
		return dst, clock
	}
	delta := recs[0].Clock - clock
	if int64(delta) < 0 {
		dst, delta = appendSkew(dst, -delta), 0
	}
	var b [2 * binary.MaxVarintLen64]byte
	rest := AppendMade(b[:0], recs[0].Word&ValueMask, recs[1].Word)
	dst = append(appendTagged(dst, delta, tagOther), CodeMade, byte(len(rest)))
	return append(dst, rest...), recs[0].Clock
}

// A TypeCount is how many heap objects of a type the recorded program made.
type TypeCount struct {
	Type    string // with import paths, as in package stats
	Package string // import path of the type's package; "" if the type has no name or none
	Objects uint64
	Bytes   uint64 // that the allocator took for them
}

// AppendObjects appends the payload of an Objects block. clock is when the counts were read.
func AppendObjects(dst []byte, clock uint64, list []TypeCount) []byte {
	dst = binary.AppendUvarint(dst, clock)
	dst = binary.AppendUvarint(dst, uint64(len(list)))
	for i := range list {
		t := &list[i]
		dst = appendString(dst, t.Type)
		dst = appendString(dst, t.Package)
		dst = AppendMade(dst, t.Objects, t.Bytes)
	}
	return dst
}

// ParseObjects reads the payload of an Objects block.
func ParseObjects(payload []byte) (clock uint64, list []TypeCount, err error) {
	c := cursor{b: payload}
	clock = c.uvarint()
	list = make([]TypeCount, 0, c.count(4))
	for i := cap(list); i > 0 && c.err == nil; i-- {
		list = append(list, TypeCount{Type: c.string(), Package: c.string(), Objects: c.uvarint(), Bytes: c.uvarint()})
	}
	return clock, list, c.err
}
