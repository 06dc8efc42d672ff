package capture

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/waymark-go/waymark/internal/wire/format"
)

// Of a map, see internal/runtime/maps: offsets in its head, which is a Map, in a table and in a
// group of slots, bytes. A map of up to eight entries has one group, at MapGroup of the head; then
// the number at MapTables is 0. A larger one has the addresses of tables there, each with an array
// of groups.
const (
	MapGroup  = 2 * word
	MapTables = 3 * word
	MapSlots  = word // of a group, behind the control word

	mapWriting = 4*word + 2 // of the head: somebody is writing
	// MapHead is how much of the head is copied.
	MapHead = 5 * word

	tableCapacity = 2 // slots in its groups, two bytes
	// TableGroups is where a table has the address of its groups, and TableLast how many there
	// are behind the first one.
	TableGroups = 2 * word
	TableLast   = 3 * word
	// MapTable is how much of a table is copied.
	MapTable = 4 * word
	// MostGroups is how many groups are looked at, of the first table: a map that has several of
	// them has 64 groups or more in each.
	MostGroups = 8

	mapSlots   = 8
	mostStored = 128 // bytes of keys and elements that are in slots: for larger ones pointers to them are
	mostGroup  = 1 << 10
)

// A mapLayout says what the slots of a map's groups have.
type mapLayout struct {
	size      int
	key, elem stored
}

// A stored is where a slot has a key or an element.
type stored struct {
	at  int
	typ *Type // of what is there
	of  *Type // of the key or element: if it is another one a pointer to it is there
}

// layout returns what slots of a map type's groups have; nil: the program's maps aren't as they are
// known to be.
func (t *Type) layout() *mapLayout {
	if t.made == 0 {
		return nil
	}
	pointer, err := t.types.at(t.made)
	if err != nil {
		return nil
	}
	head := pointer.Elem()
	if head.offset("used") != 0 || head.offset("dirPtr") != MapGroup || head.offset("dirLen") != MapTables || head.offset("writing") != mapWriting {
		return nil
	}
	table := head.fieldType("dirPtr").Elem().Elem()
	groups := table.fieldType("groups")
	if table.offset("capacity") != tableCapacity || table.offset("groups") != TableGroups || groups.offset("data") != 0 || groups.offset("lengthMask") != TableLast-TableGroups {
		return nil
	}
	group := groups.fieldType("data").Elem()
	list := group.fieldType("slots")
	if group.offset("ctrl") != 0 || group.offset("slots") != MapSlots || list.Kind != format.KindArray || list.Len != mapSlots {
		return nil
	}
	slot := list.Elem()
	if slot == nil || slot.Size == 0 || group.Size != MapSlots+mapSlots*slot.Size {
		return nil
	}
	key, err := t.types.at(t.key)
	if err != nil {
		return nil
	}
	s := &mapLayout{size: slot.Size, key: stored{slot.offset("key"), slot.fieldType("key"), key}, elem: stored{slot.offset("elem"), slot.fieldType("elem"), t.Elem()}}
	// Types of one name, as of two functions, share what the linker says of maps.
	if !s.key.known() || !s.elem.known() {
		return nil
	}
	return s
}

func (s *stored) known() bool {
	if s.of == nil || s.typ == nil || s.at < 0 {
		return false
	}
	return s.typ == s.of && s.of.Size <= mostStored || s.of.Size > mostStored && s.typ.Kind == format.KindPointer && s.typ.Elem() == s.of
}

// offset returns where a struct has a field; below 0: it has none. The struct may be nil.
func (t *Type) offset(field string) int {
	if f := t.field(field); f != nil {
		return f.Offset
	}
	return -1
}

// fieldType returns the type of a field, nil if there is none.
func (t *Type) fieldType(field string) *Type {
	if f := t.field(field); f != nil {
		return f.Type
	}
	return nil
}

func (t *Type) field(name string) *Field {
	if t == nil || t.Kind != format.KindStruct {
		return nil
	}
	for i := range t.Fields {
		if t.Fields[i].Name == name {
			return &t.Fields[i]
		}
	}
	return nil
}

// mapping returns what is followed of a map: its length, and if it is opened the slots of groups.
func (f *follower) mapping(t *Type, depth, level int) Follow {
	s := t.layout()
	if depth == 0 || s == nil {
		return Follow{Kind: Whole, Bytes: word}
	}
	most := min(MapSlots+mapSlots*s.size, max(mostGroup, MapSlots+s.size))
	one := Follow{Kind: Map, Bytes: most, Step: s.size}
	for _, in := range []stored{s.key, s.elem} {
		if !in.of.hidden() {
			f.value(in.typ, in.at, depth-1, level+1, &one.Inside)
		}
	}
	return one
}

// mapped takes apart what was copied behind the head of a map: its groups, each with its slots.
func (d *decoder) mapped(head []byte, f *Follow) *block {
	out := &block{bytes: head, kind: Map, read: true}
	if len(head) < MapHead {
		return out
	}
	groups := uint64(1)
	if out.word(MapTables) != 0 {
		var table []byte
		for _, size := range []int{word, MapTable} { // its address, and the table
			if len(d.rest) < word {
				return out
			}
			if table, _ = d.piece(); len(table) < size {
				return out
			}
		}
		one := &block{bytes: table, kind: Whole, read: true}
		out.blocks = map[int]*block{MapTables: one}
		groups = min(one.word(TableLast), MostGroups-1) + 1
	}
	for range groups {
		if len(d.rest) < word {
			break
		}
		b, ok := d.piece()
		group := &block{bytes: b, kind: List, read: ok}
		for at := MapSlots; at+f.Step <= len(b); at += f.Step {
			group.each = append(group.each, d.block(b[at:at+f.Step], f.Inside))
		}
		out.each = append(out.each, group)
	}
	return out
}

// full returns a bit for each slot of a map's group that has an entry: the highest one of the
// slot's byte. Of an empty group, or of one that couldn't be read, nothing was copied.
func (b *block) full() uint64 {
	if len(b.bytes) < MapSlots {
		return 0
	}
	return ^b.word(0) & 0x8080808080808080
}

// sound reports whether what was copied of a map's groups can be what the map had at one time.
func (b *block) sound() bool {
	all, known := true, uint64(0)
	for _, group := range b.each {
		all = all && group.read
		known += uint64(bits.OnesCount64(group.full()))
	}
	if b.word(MapTables) != 0 {
		table := b.to(MapTables, Whole)
		if table == nil {
			return false
		}
		groups := table.word(TableLast) + 1
		if bits.OnesCount64(groups) != 1 || uint64(table.number(tableCapacity, 2)) != mapSlots*groups {
			return false
		}
		all = all && b.word(MapTables) == 1 && uint64(len(b.each)) == groups
	}
	used := b.word(0)
	return len(b.each) > 0 && b.bytes[mapWriting] == 0 && known <= used && (!all || known == used)
}

// entries appends a map with the entries that were copied; of one that was being written to the
// length.
func (d *decoder) entries(out []byte, t *Type, b *block, at, depth int) []byte {
	head, s := b.to(at, Map), t.layout()
	if head == nil || len(head.bytes) < MapHead || s == nil || !head.sound() {
		return header(out, t, b, at)
	}
	out = binary.AppendUvarint(append(out, 3), head.word(0))
	out = binary.AppendUvarint(out, uint64(s.key.of.ID()))
	out = binary.AppendUvarint(out, uint64(s.elem.of.ID()))
	start, n := len(out), 0
	out = count(out, 0)
	for _, group := range head.each {
		for full := group.full(); full != 0; full &= full - 1 {
			i := bits.TrailingZeros64(full) / 8
			if i >= len(group.each) {
				break
			}
			key, keyAt := s.key.in(group.each[i])
			elem, elemAt := s.elem.in(group.each[i])
			if key == nil || elem == nil || n > 0 && (d.cut(s.key.of, key, keyAt, depth-1) || d.cut(s.elem.of, elem, elemAt, depth-1)) {
				break
			}
			n++
			out = d.value(out, s.key.of, key, keyAt, depth-1)
			if d.names(s.key.of, key, keyAt) {
				out = append(out, 1)
			} else {
				out = d.value(append(out, 0), s.elem.of, elem, elemAt, depth-1)
			}
		}
	}
	binary.LittleEndian.PutUint16(out[start:], uint16(n))
	return out
}

// cut reports whether what a key or an element leads to found no room, or not all of it that is
// wanted.
func (d *decoder) cut(t *Type, b *block, at, depth int) bool {
	if t.hidden() {
		return false
	}
	switch t.Kind {
	case format.KindString:
		n, to := min(b.word(at+word), uint64(d.plan.limits.Bytes)), b.to(at, List)
		return n > 0 && (to == nil || to.read && uint64(len(to.bytes)) < n)
	case format.KindInterface:
		return b.word(at) != 0 && b.to(at, Interface) == nil
	case format.KindStruct:
		return depth > 0 && slices.ContainsFunc(t.Fields, func(f Field) bool { return !t.types.masked(&f) && d.cut(f.Type, b, at+f.Offset, depth-1) })
	}
	return false
}

// in returns where a key or an element of a slot is; nil: it wasn't copied.
func (s *stored) in(slot *block) (*block, int) {
	if s.typ == s.of || s.of.hidden() {
		return slot, s.at
	}
	to := slot.to(s.at, Whole)
	if to == nil || len(to.bytes) < min(s.of.Size, mostTarget) {
		return nil, 0
	}
	return to, 0
}

// names reports whether a key is a text that looks like the name of a secret, or may do so where it
// isn't known.
func (d *decoder) names(key *Type, b *block, at int) bool {
	words := d.plan.types.words
	if words == nil {
		return false
	}
	if key.Kind == format.KindInterface {
		if b.word(at) == 0 {
			return false
		}
		if key = d.held(key, b, at); key == nil {
			return true
		}
		if b, at = b.to(at, Interface), 0; key.Kind == format.KindString && (b == nil || len(b.bytes) < 2*word) {
			return true
		}
	}
	if key.Kind != format.KindString {
		return false
	}
	n, to := b.word(at+word), b.to(at, List)
	if to == nil || uint64(len(to.bytes)) < n {
		return n > 0
	}
	return format.LooksSecret(string(to.bytes[:n]), words)
}
