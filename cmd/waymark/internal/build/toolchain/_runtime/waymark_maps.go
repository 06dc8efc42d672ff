// Package runtime, as waymark adds to it: entries of maps, read without the help of the map's
// own code. The map's code would end the program if it met a writer.
//
// A map may be written meanwhile, by goroutines that hold locks which nobody here knows of. So
// a map's words are trusted as little as others. A group of entries is read only as far as it
// is one object that can be read. A map that has changed while it was read isn't shown, see
// sound. That keeps most nonsense out.

package runtime

import (
	"internal/abi"
	"internal/runtime/atomic"
	"internal/runtime/sys"
	"unsafe"
)

// wmMap and wmMapTable are the beginnings of internal/runtime/maps.Map and table.
type wmMap struct {
	used        uint64
	seed        uintptr
	dirPtr      uintptr
	dirLen      int
	globalDepth uint8
	globalShift uint8
	writing     uint8
}

type wmMapTable struct {
	used       uint16
	capacity   uint16
	growthLeft uint16
	localDepth uint8
	index      int
	groups     uintptr
	lengthMask uint64
}

// wmMapGroups is how many groups of 8 entries are looked at: those of a full table.
const wmMapGroups = 128

// wmSlots are the 8 places for keys or for elements in a group.
type wmSlots struct {
	typ            *wmType
	offset, stride uintptr
	away           bool // large ones are elsewhere
}

// set notes where values of typ are, and reports whether they may be stored as the given type.
func (s *wmSlots) set(typ, stored *wmType, most, offset, stride uintptr) bool {
	*s = wmSlots{typ, offset, stride, typ.size > most}
	return stored == typ && !s.away || stored.kind == abi.Pointer && s.away
}

// at returns the address of the i-th value in a group, 0 if it can't be read.
func (s *wmSlots) at(gp *g, group, i uintptr) uintptr {
	p := group + s.offset + i*s.stride
	if s.away {
		if p = wmWord(p); wmReadable(gp, p, s.typ.size) < s.typ.size {
			return 0
		}
	}
	return p
}

// A wmMapIter finds the entries of a map.
type wmMapIter struct {
	gp   *g
	m    uintptr
	head wmMap // as it was at first

	size        uintptr // of a group
	keys, elems wmSlots

	table     int     // next one of the directory
	last      uintptr // table
	groups    uintptr // of the table
	next, end uintptr // indexes of groups
	left      int     // how many groups and tables may still be looked at
	group     uintptr
	full      uint64 // entries in it: the highest bit of a byte for each
}

// init begins with the map of type t at m, whose head can be read. It reports whether there may
// be anything to see.
func (it *wmMapIter) init(gp *g, t *wmType, m uintptr) bool {
	it.gp, it.m, it.left = gp, m, wmMapGroups
	if !it.read(&it.head) || it.head.used == 0 || it.head.writing != 0 {
		return false
	}
	key, elem := wmTypeOf(t.keyKey), wmTypeOf(t.elemKey)
	if key.id == wmTypeUnread || elem.id == wmTypeUnread || !it.layout(wmTypeOf(t.groupKey), key, elem) {
		return false
	}
	if it.head.dirLen == 0 {
		it.groups, it.end = it.head.dirPtr, 1
	}
	return true
}

// read reads what is needed of the map's head.
func (it *wmMapIter) read(head *wmMap) bool {
	const size = unsafe.Sizeof(*head)
	if it.m%wmWordSize != 0 || wmReadable(it.gp, it.m, size) < size {
		return false
	}
	m := (*wmMap)(unsafe.Pointer(it.m))
	head.used, head.writing = m.used, m.writing
	head.dirPtr, head.dirLen = atomic.Loaduintptr(&m.dirPtr), m.dirLen
	return true
}

// sound reports whether the map is as it was at first. all says that n entries were all that
// there was to see: then the map must also say that it has n.
func (it *wmMapIter) sound(n int, all bool) bool {
	var now wmMap
	return it.read(&now) && now == it.head && (!all || uint64(n) == now.used)
}

// layout takes apart the type of a group: a control word, then 8 pairs, or 8 keys and 8 elements.
func (it *wmMapIter) layout(group, key, elem *wmType) bool {
	const mostKey, mostElem = abi.MapMaxKeyBytes, abi.MapMaxElemBytes
	eight := func(t *wmType) bool { return t.kind == abi.Array && t.len == abi.MapGroupSlots }
	if it.size = group.size; group.kind != abi.Struct || it.size < 8 {
		return false
	}
	switch group.nfields {
	case 2:
		pairs := group.field(1)
		if !eight(pairs.typ) || pairs.typ.elem.kind != abi.Struct || pairs.typ.elem.nfields != 2 {
			return false
		}
		pair := pairs.typ.elem
		k, e := pair.field(0), pair.field(1)
		return it.keys.set(key, k.typ, mostKey, pairs.offset+k.offset, pair.size) &&
			it.elems.set(elem, e.typ, mostElem, pairs.offset+e.offset, pair.size)
	case 3:
		k, e := group.field(1), group.field(2)
		return eight(k.typ) && eight(e.typ) &&
			it.keys.set(key, k.typ.elem, mostKey, k.offset, k.typ.elem.size) &&
			it.elems.set(elem, e.typ.elem, mostElem, e.offset, e.typ.elem.size)
	}
	return false
}

// entry returns where the next key and its element are. They are 0 if entry gives up, and if there
// are no more, when all is true.
func (it *wmMapIter) entry() (key, elem uintptr, all bool) {
	for it.full == 0 {
		if it.next == it.end {
			if found, all := it.nextTable(); !found {
				return 0, 0, all
			}
		}
		it.group = it.groups + it.next*it.size
		it.next++
		if it.left--; it.left < 0 || wmReadable(it.gp, it.group, it.size) < it.size {
			return 0, 0, false
		}
		it.full = ^*(*uint64)(unsafe.Pointer(it.group)) & 0x8080808080808080
	}
	slot := uintptr(sys.TrailingZeros64(it.full)) / 8
	it.full &= it.full - 1
	key, elem = it.keys.at(it.gp, it.group, slot), it.elems.at(it.gp, it.group, slot)
	if elem == 0 {
		key = 0
	}
	return key, elem, false
}

// nextTable goes on to the next table of the directory, which may list a table several times in a
// row. If there is no table left, all reports whether the map has been seen whole.
func (it *wmMapIter) nextTable() (found, all bool) {
	for it.table < it.head.dirLen {
		if it.left--; it.left < 0 {
			return false, false
		}
		at := it.head.dirPtr + uintptr(it.table)*wmWordSize
		it.table++
		if wmReadable(it.gp, at, wmWordSize) < wmWordSize {
			return false, false
		}
		const size = unsafe.Sizeof(wmMapTable{})
		p := wmWord(at)
		if p == it.last || p%wmWordSize != 0 || wmReadable(it.gp, p, size) < size {
			continue
		}
		it.last = p
		t := (*wmMapTable)(unsafe.Pointer(p))
		it.groups, it.next, it.end = atomic.Loaduintptr(&t.groups), 0, uintptr(t.lengthMask)+1
		return it.end > 0, false
	}
	return false, true
}

// secret reports whether a key is a string that looks like the name of a secret, or may do so where
// it isn't looked at.
func (it *wmMapIter) secret(key uintptr) bool {
	const most = 1 << 10 // bytes that are looked at
	if len(wmCaptured.redact) == 0 {
		return false
	}
	t := it.keys.typ
	if t.kind == abi.Interface && !t.methods && wmWord(key) != 0 {
		t, key = wmTypeOf(wmWord(key)), wmWord(key+wmWordSize)
		if t.kind == abi.String && wmReadable(it.gp, key, t.size) < t.size {
			return true
		}
	}
	if t.kind != abi.String {
		return false
	}
	p, n := wmWord(key), wmWord(key+wmWordSize)
	seen := wmReadable(it.gp, p, min(n, most))
	name := unsafe.String((*byte)(unsafe.Pointer(p)), int(seen))
	return seen < n || wmLooksSecret(name, wmCaptured.redact)
}

// mapping writes the map at p: its length and, if it is to be opened and nobody changes it, entries.
func (c *wmCursor) mapping(t *wmType, p uintptr, depth int) {
	var it wmMapIter
	if p == 0 || depth <= 0 || c.full() || !it.init(c.gp, t, p) {
		c.header(p, 1)
		return
	}
	start := *c
	c.byte(3)
	c.uvarint(it.head.used)
	c.uvarint(uint64(it.keys.typ.id))
	c.uvarint(uint64(it.elems.typ.id))
	at, n, all := c.count(), 0, false
	for n < wmMaxCount && !c.full() {
		var key, elem uintptr
		if key, elem, all = it.entry(); key == 0 {
			break
		}
		c.value(it.keys.typ, key, depth-1)
		if it.secret(key) {
			c.byte(1)
		} else {
			c.byte(0)
			c.value(it.elems.typ, elem, depth-1)
		}
		n++
	}
	c.setCount(at, n)
	if !it.sound(n, all) {
		*c = start
		c.header(p, 1)
	}
}
