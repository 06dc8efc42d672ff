package calltree

// openRows is the set of rows that have an open call on a goroutine. A call is
// the outermost one of its row if its row was not in the set.
//
// It is a hash table with linear probing. Rows leave it in the reverse order of
// coming, as calls end innermost first. So a slot is just cleared: a row that
// was placed behind it, because it was taken, is gone already.
type openRows struct {
	slots []uint32 // row plus one, 0 if empty; a power of two of them
	n     int      // rows
}

const minSlots = 8

// notOutermost stands for the slot of a call whose row was in the set.
const notOutermost = -1

// add puts a row into the set, which must have room, and returns its slot, or
// notOutermost if the row was there.
func (o *openRows) add(row uint32) int32 {
	mask := uint32(len(o.slots) - 1)
	h := row * 0x9E3779B1
	for i := (h ^ h>>15) & mask; ; i = (i + 1) & mask {
		switch o.slots[i] {
		case row + 1:
			return notOutermost
		case 0:
			o.slots[i] = row + 1
			o.n++
			return int32(i)
		}
	}
}

// has reports whether a row is in the set.
func (o *openRows) has(row uint32) bool {
	if o.n == 0 {
		return false
	}
	mask := uint32(len(o.slots) - 1)
	h := row * 0x9E3779B1
	for i := (h ^ h>>15) & mask; o.slots[i] != 0; i = (i + 1) & mask {
		if o.slots[i] == row+1 {
			return true
		}
	}
	return false
}

// remove takes the row out that was put in last.
func (o *openRows) remove(slot int32) {
	o.slots[slot] = 0
	o.n--
}

// full reports whether there is no room: half of the slots stay empty.
func (o *openRows) full() bool { return 2*o.n >= len(o.slots) }

// growOpen makes room in the set of g. It puts the rows in anew, in the order of the stack.
func (g *goroutine) growOpen() {
	g.open = openRows{slots: make([]uint32, max(2*len(g.open.slots), minSlots))}
	for i := range g.stack {
		if f := &g.stack[i]; f.slot != notOutermost {
			f.slot = g.open.add(f.row)
		}
	}
}
