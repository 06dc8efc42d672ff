// Package runtime, as waymark adds to it: entries of maps, read without the help of the
// map's own code, which would end the program if it met a writer.
//
// A map may be written meanwhile, by goroutines that hold locks which nobody here knows of. So
// its words are trusted as little as others: a group of entries is read only as far as it is
// one object that can be read. What keeps this from being nonsense, mostly, is that a map that
// has changed while it was read isn't shown, see sound.

package runtime

import (
	"internal/abi"
	"internal/runtime/atomic"
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

// A wmMapIter finds the entries of a map.
type wmMapIter struct {
	gp        *g
	m         uintptr
	head      wmMap // as it was at first
	key, elem *wmType

	// Of a group: where its entries are. The compiler's type says it, in each release its own way.
	size                uintptr
	keys, keyStride     uintptr
	elems, elemStride   uintptr
	keyAway, elemAway   bool // large ones are elsewhere
	table               int  // next one of the directory
	last                uintptr
	groups, group, more uintptr // of the table: address, next index, how many are left
	left                int
	at                  uintptr // group
	full                uint64  // a bit in the highest place of each byte that stands for an entry of it
}

// init begins with the map of type t at m, whose head can be read. It reports whether there may
// be anything to see.
func (it *wmMapIter) init(gp *g, t *wmType, m uintptr) bool {
	it.gp, it.m, it.left = gp, m, wmMapGroups
	if !it.read(&it.head) || it.head.used == 0 || it.head.writing != 0 {
		return false
	}
	it.key, it.elem = wmTypeOf(t.keyKey), wmTypeOf(t.elemKey)
	if it.key.id == wmUnread || it.elem.id == wmUnread || !it.layout(wmTypeOf(t.groupKey)) {
		return false
	}
	it.keyAway, it.elemAway = it.key.size > abi.MapMaxKeyBytes, it.elem.size > abi.MapMaxElemBytes
	if it.head.dirLen == 0 {
		it.groups, it.more = it.head.dirPtr, 1
	}
	return true
}

// read reads the map's head.
func (it *wmMapIter) read(head *wmMap) bool {
	if wmReadable(it.gp, it.m, unsafe.Sizeof(*head)) < unsafe.Sizeof(*head) {
		return false
	}
	m := (*wmMap)(unsafe.Pointer(it.m))
	head.used, head.writing = m.used, m.writing
	head.dirPtr, head.dirLen = atomic.Loaduintptr(&m.dirPtr), m.dirLen
	return true
}

// sound reports whether the map is as it was at first, and has as many entries as it says if n of
// them were all that there was to see.
func (it *wmMapIter) sound(n int, all bool) bool {
	var now wmMap
	return it.read(&now) && now == it.headOnly() && (!all || uint64(n) == now.used)
}

// headOnly returns what read reads.
func (it *wmMapIter) headOnly() wmMap {
	return wmMap{used: it.head.used, dirPtr: it.head.dirPtr, dirLen: it.head.dirLen, writing: it.head.writing}
}

// layout takes apart the type of a group: a control word, then 8 pairs, or 8 keys and 8 elements.
func (it *wmMapIter) layout(group *wmType) bool {
	it.size = group.size
	if group.kind != abi.Struct || group.size < 8 {
		return false
	}
	switch group.nfields {
	case 2:
		pairs := group.field(1)
		if pairs.typ.kind != abi.Array || pairs.typ.len != abi.MapGroupSlots || pairs.typ.elem.kind != abi.Struct || pairs.typ.elem.nfields != 2 {
			return false
		}
		pair := pairs.typ.elem
		it.keys, it.keyStride = pairs.offset+pair.field(0).offset, pair.size
		it.elems, it.elemStride = pairs.offset+pair.field(1).offset, pair.size
		return it.fits(pair.field(0).typ, it.key, abi.MapMaxKeyBytes) && it.fits(pair.field(1).typ, it.elem, abi.MapMaxElemBytes)
	case 3:
		keys, elems := group.field(1), group.field(2)
		if keys.typ.kind != abi.Array || elems.typ.kind != abi.Array || keys.typ.len != abi.MapGroupSlots || elems.typ.len != abi.MapGroupSlots {
			return false
		}
		it.keys, it.keyStride = keys.offset, keys.typ.elem.size
		it.elems, it.elemStride = elems.offset, elems.typ.elem.size
		return it.fits(keys.typ.elem, it.key, abi.MapMaxKeyBytes) && it.fits(elems.typ.elem, it.elem, abi.MapMaxElemBytes)
	}
	return false
}

// fits reports whether a place of type stored holds a value of type t, or a pointer to it if that is large.
func (it *wmMapIter) fits(stored, t *wmType, most uintptr) bool {
	return stored == t || t.size > most && stored.kind == abi.Pointer
}

// next returns where the next key and its element are, 0 if there are no more or if it has looked
// long enough: then all is false.
func (it *wmMapIter) next() (key, elem uintptr, all bool) {
	for {
		for it.full == 0 {
			if it.more == 0 && !it.nextTable() {
				return 0, 0, true
			}
			if it.left--; it.left < 0 {
				return 0, 0, false
			}
			it.at = it.groups + it.group*it.size
			it.group++
			it.more--
			if wmReadable(it.gp, it.at, it.size) < it.size {
				return 0, 0, false
			}
			it.full = ^*(*uint64)(unsafe.Pointer(it.at)) & 0x8080808080808080
		}
		slot := uintptr(0)
		for it.full>>(8*slot)&0x80 == 0 {
			slot++
		}
		it.full &^= 0x80 << (8 * slot)
		key, elem = it.at+it.keys+slot*it.keyStride, it.at+it.elems+slot*it.elemStride
		if it.keyAway {
			key = wmWord(key)
		}
		if it.elemAway {
			elem = wmWord(elem)
		}
		if it.keyAway && wmReadable(it.gp, key, it.key.size) < it.key.size || it.elemAway && wmReadable(it.gp, elem, it.elem.size) < it.elem.size {
			return 0, 0, false
		}
		return key, elem, true
	}
}

// nextTable goes on to the next table of the directory, in which one may be listed several times in a row.
func (it *wmMapIter) nextTable() bool {
	for it.table < it.head.dirLen {
		if it.left--; it.left < 0 {
			return false
		}
		at := it.head.dirPtr + uintptr(it.table)*wmWordSize
		it.table++
		if wmReadable(it.gp, at, wmWordSize) < wmWordSize {
			return false
		}
		p := wmWord(at)
		if p == it.last || wmReadable(it.gp, p, unsafe.Sizeof(wmMapTable{})) < unsafe.Sizeof(wmMapTable{}) {
			continue
		}
		it.last = p
		t := (*wmMapTable)(unsafe.Pointer(p))
		it.groups, it.group, it.more = atomic.Loaduintptr(&t.groups), 0, uintptr(t.lengthMask)+1
		return it.more > 0
	}
	return false
}

// secret reports whether a key is a string that looks like the name of a secret.
func (it *wmMapIter) secret(key uintptr) bool {
	const most = 64 // bytes of a name
	t := it.key
	if t.kind == abi.Interface && !t.methods && wmWord(key) != 0 {
		if t, key = wmTypeOf(wmWord(key)), wmWord(key+wmWordSize); wmReadable(it.gp, key, t.size) < t.size {
			return false
		}
	}
	if t.kind != abi.String {
		return false
	}
	p, n := wmWord(key), wmWord(key+wmWordSize)
	n = wmReadable(it.gp, p, min(n, most))
	return n > 0 && wmSecret(unsafe.String((*byte)(unsafe.Pointer(p)), int(n)), wmCaptured.redact)
}

// mapping writes the map at p: its length and, if it is to be opened and nobody changes it, entries.
func (c *wmCursor) mapping(t *wmType, p uintptr, depth int) {
	var it wmMapIter
	if p == 0 || depth <= 0 || c.full() || t.groupKey == 0 || wmReadable(c.gp, p, unsafe.Sizeof(wmMap{})) < unsafe.Sizeof(wmMap{}) || !it.init(c.gp, t, p) {
		c.header(p, 1)
		return
	}
	start := *c
	c.byte(3)
	c.uvarint(it.head.used)
	c.uvarint(uint64(it.key.id))
	c.uvarint(uint64(it.elem.id))
	at, n, all := c.count(), 0, false
	for n < wmMaxCount && !c.full() {
		var key, elem uintptr
		if key, elem, all = it.next(); key == 0 {
			break
		}
		all = false
		c.value(it.key, key, depth-1)
		if it.secret(key) {
			c.byte(1)
		} else {
			c.byte(0)
			c.value(it.elem, elem, depth-1)
		}
		n++
	}
	c.setCount(at, n)
	if !it.sound(n, all) {
		*c = start
		c.header(p, 1)
	}
}
