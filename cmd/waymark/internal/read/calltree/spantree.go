package calltree

// A spanTree collects the nodes of a span. Its hash table is emptied by counting
// generations: spans may be as short as one call.
type spanTree struct {
	nodes []spanNode // number 1 first
	slots []spanSlot // a power of two of them, less than half of which are in use
	epoch uint32     // of the slots that are in use
}

type spanSlot struct {
	epoch, node uint32
}

const minSpanSlots = 64

// child returns the node of the calls of row by those of the node parent.
func (t *spanTree) child(parent, row uint32) uint32 {
	if 2*len(t.nodes) >= len(t.slots) {
		t.grow()
	}
	slot := t.find(parent, row)
	if slot.epoch != t.epoch {
		t.nodes = append(t.nodes, spanNode{parent: parent, row: row})
		*slot = spanSlot{t.epoch, uint32(len(t.nodes))}
	}
	return slot.node
}

// find returns the slot of a node, or the free one where it belongs.
func (t *spanTree) find(parent, row uint32) *spanSlot {
	mask := uint64(len(t.slots) - 1)
	h := (uint64(parent)<<32 | uint64(row)) * 0x9E3779B97F4A7C15
	for i := h >> 32; ; i++ {
		s := &t.slots[i&mask]
		if s.epoch != t.epoch {
			return s
		}
		if n := &t.nodes[s.node-1]; n.parent == parent && n.row == row {
			return s
		}
	}
}

func (t *spanTree) grow() {
	t.slots = make([]spanSlot, max(2*len(t.slots), minSpanSlots))
	t.epoch = 1
	for i := range t.nodes {
		n := &t.nodes[i]
		*t.find(n.parent, n.row) = spanSlot{t.epoch, uint32(i + 1)}
	}
}

func (t *spanTree) add(node uint32, total, self, errors uint64) {
	n := &t.nodes[node-1]
	n.errors += errors
	n.calls++
	n.total += total
	n.self += self
}

// appendTo appends the nodes to list, callers first, and forgets them.
func (t *spanTree) appendTo(list []spanNode) []spanNode {
	list = append(list, t.nodes...)
	t.nodes = t.nodes[:0]
	if t.epoch++; t.epoch == 0 {
		clear(t.slots)
		t.epoch = 1
	}
	return list
}
