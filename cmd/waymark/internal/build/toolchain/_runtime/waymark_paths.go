// Package runtime, as waymark adds to it: timed calls, added up by path.
//
// A path is a function with the function that called it, and so on, up to the outermost timed call
// of the goroutine. That one was called, so to speak, by the call that started the goroutine. Each
// path has a node, which is found from its caller's node and the site. Nodes are the same for all
// Ps and are never removed. The sums lie in cells of the P, as those of sites do.
//
// There is room for wmMostPaths nodes, none deeper than wmDeepestPath. A path beyond that has no
// node. Its calls, and all that they call, are in the other cell of the path's deepest node.

package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

const (
	wmPathBits    = 16 // of a node
	wmMostPaths   = 1 << wmPathBits
	wmDeepestPath = 1000

	wmPathSlots = 2 * wmMostPaths // of the index, at most half full
)

// Node 0 is no call: what goroutines begin below. The other cell of a node has an id as well, the node's
// and wmMostPaths.
//
// A word of the index, and of a call, has the node's id above its key: the caller's node and the
// site. The word of a call in an other cell has no key. Calls leave their words on the stack, where
// the next call of the same path finds its node. What a word says is so for ever.
const (
	wmPathNodeShift = 64 - wmPathBits - 1
	wmPathKeyBits   = wmPathBits + 1 + wmSiteBits
)

func wmPathKey(parent, site uint32) uint64 { return uint64(parent)<<wmSiteBits | uint64(site) }

// node returns the id of the node of the call's path.
func (call *wmCall) node() uint32 { return uint32(call.path >> wmPathNodeShift) }

// A wmPathNode is a path. Once others can find it, it stays as it is.
type wmPathNode struct{ parent, site, depth uint32 }

// A wmPathCell adds up the calls of a path on a P.
type wmPathCell struct {
	calls  uint64 // that have begun
	self   uint64 // time of those that have ended, without the timed calls that they made, ticks
	panics uint64 // as in wmCellMore
	errors uint64
}

// wmPathCellShift is of the size of a cell.
const wmPathCellShift = 5

// A wmPathTable has the cells of a P. Its memory is mapped and empty until it is used.
type wmPathTable struct {
	cells atomic.Uintptr // by node
	other atomic.Uintptr // of other cells, by node; 0 if there is none
	next  *wmPathTable
}

// wmPaths has all paths. The assembly knows index.
var wmPaths struct {
	index uintptr // of words, by hash of their keys; 0 if there is none
	nodes uintptr // of wmPathNode
	n     atomic.Uint32
	on    bool // paths are kept; it changes while the world stands still
	lock  mutex
	list  *wmPathTable
}

// WMPaths says whether timed calls are added up by path, too. Calls in progress when that begins have
// no path: what they call is outermost. The world stands still for it.
func WMPaths(on bool) {
	if on {
		wmMakePaths()
	}
	stw := stopTheWorld(stwReadMemStats)
	if on != wmPaths.on {
		wmPaths.on = on
		forEachGRace(func(gp *g) {
			gp.slowCalls()
			if s := wmStackOf(gp); on && s != nil {
				for top := gp.wm.top; top >= s.base(); top -= wmCallBytes {
					call := wmBelow(top)
					call.path, call.flags = 0, call.flags&^(wmCallPath|wmCallOther)
				}
			}
			if on {
				gp.wm.node = 0
			}
		})
	}
	startTheWorld(stw)
}

// wmMakePaths makes memory for paths, once.
func wmMakePaths() {
	if wmPaths.n.Load() > 0 {
		return
	}
	systemstack(func() {
		index := uintptr(persistentalloc(wmPathSlots*8, 64, &memstats.other_sys))
		nodes := uintptr(persistentalloc(wmMostPaths*unsafe.Sizeof(wmPathNode{}), 64, &memstats.other_sys))
		lock(&wmPaths.lock)
		if wmPaths.nodes == 0 {
			wmPaths.index, wmPaths.nodes = index, nodes
			wmPaths.n.Store(1)
		}
		unlock(&wmPaths.lock)
	})
}

// wmStartPath returns the node below which the calls of a goroutine are that gp starts.
func wmStartPath(gp *g) uint32 {
	switch {
	case gp.wm.flags&wmMuted != 0:
		return 0
	case gp.wm.stack == 0: // it makes no timed calls
		return gp.wm.node
	}
	return wmBelow(gp.wm.top).node()
}

// wmPathOf returns the word of the calls of a site that calls of the node parent make.
func wmPathOf(parent, site uint32) uint64 {
	if parent >= wmMostPaths {
		return uint64(parent) << wmPathNodeShift
	}
	key := wmPathKey(parent, site)
	for i := wmPathHash(key); ; i++ {
		switch word := atomic.Load64(wmPathSlot(i)); {
		case word == 0:
			return wmNewPath(parent, site, key)
		case word&(1<<wmPathKeyBits-1) == key:
			return word
		}
	}
}

// Both spread keys over slots.
const (
	wmPathFactor = 0x9E3779B97F4A7C15
	wmPathShift  = 64 - wmPathBits - 1
)

// wmPathHash returns the first slot for a key.
func wmPathHash(key uint64) uintptr { return uintptr(key * wmPathFactor >> wmPathShift) }

func wmPathSlot(i uintptr) *uint64 {
	return (*uint64)(unsafe.Pointer(wmPaths.index + i%wmPathSlots*8))
}

func wmPathNodeAt(node uint32) *wmPathNode {
	return (*wmPathNode)(unsafe.Pointer(wmPaths.nodes + uintptr(node)*unsafe.Sizeof(wmPathNode{})))
}

// wmNewPath makes a node, unless another thread has just made it.
func wmNewPath(parent, site uint32, key uint64) (word uint64) {
	other := uint64(parent+wmMostPaths) << wmPathNodeShift
	depth := wmPathNodeAt(parent).depth + 1
	if depth > wmDeepestPath || wmPaths.n.Load() == wmMostPaths {
		return other
	}
	systemstack(func() {
		lock(&wmPaths.lock)
		i := wmPathHash(key)
		for ; ; i++ {
			word = *wmPathSlot(i)
			if word == 0 {
				break
			}
			if word&(1<<wmPathKeyBits-1) == key {
				unlock(&wmPaths.lock)
				return
			}
		}
		if node := wmPaths.n.Load(); node == wmMostPaths {
			word = other
		} else {
			word = uint64(node)<<wmPathNodeShift | key
			*wmPathNodeAt(node) = wmPathNode{parent, site, depth}
			wmPaths.n.Store(node + 1)
			atomic.Store64(wmPathSlot(i), word)
		}
		unlock(&wmPaths.lock)
	})
	return word
}

// wmPathCellOf returns the cell of a node on the P, which stays ours until the caller is preempted.
func wmPathCellOf(pp *p, node uint32) *wmPathCell {
	cells := pp.wm.paths
	if cells == 0 || node >= wmMostPaths {
		systemstack(func() { cells = wmPathCells(pp, node >= wmMostPaths) })
	}
	return wmPathCellAt(cells, node%wmMostPaths)
}

func wmPathCellAt(cells uintptr, node uint32) *wmPathCell {
	return (*wmPathCell)(unsafe.Pointer(cells + uintptr(node)<<wmPathCellShift))
}

// wmPathCells returns the cells of pp, or its other cells, which it makes if there are none.
func wmPathCells(pp *p, other bool) uintptr {
	const size = wmMostPaths << wmPathCellShift
	t := pp.wm.pathTable
	if t == nil {
		t = (*wmPathTable)(persistentalloc(unsafe.Sizeof(wmPathTable{}), 8, &memstats.other_sys))
		pp.wm.paths = uintptr(persistentalloc(size, 64, &memstats.other_sys))
		t.cells.Store(pp.wm.paths)
		lock(&wmPaths.lock)
		t.next, wmPaths.list = wmPaths.list, t
		unlock(&wmPaths.lock)
		pp.wm.pathTable = t
	}
	if !other {
		return pp.wm.paths
	}
	if t.other.Load() == 0 {
		t.other.Store(uintptr(persistentalloc(size, 64, &memstats.other_sys)))
	}
	return t.other.Load()
}

// beginPath counts a call that begins, on the P, and notes its node.
func (call *wmCall) beginPath(pp *p) {
	call.path = wmPathOf(wmBelow(uintptr(unsafe.Pointer(call))).node(), call.frame.site())
	call.flags |= wmCallPath
	if call.node() >= wmMostPaths {
		call.flags |= wmCallOther
	}
	wmPathCellOf(pp, call.node()).calls++
}

// endPath adds the time that a call took itself, on the P.
func (call *wmCall) endPath(pp *p, self uint64, panicked bool) {
	c := wmPathCellOf(pp, call.node())
	c.self += self
	if panicked {
		c.panics++
	}
}

// wmFailedPath returns the node of the call f, which is in progress, and whether it has one.
func wmFailedPath(gp *g, f WMFrame) (node uint32, ok bool) {
	s := wmStackOf(gp)
	if !wmPaths.on || s == nil {
		return 0, false
	}
	top := s.find(gp.wm.top, f)
	if top == 0 || wmBelow(top).flags&wmCallPath == 0 {
		return 0, false
	}
	return wmBelow(top).node(), true
}

// A WMPathSum adds up calls of a path. Times are in ticks.
type WMPathSum struct {
	Calls  uint64 // that have begun
	Open   uint64 // calls in progress
	Self   uint64 // time of all calls, without the timed calls that they made
	Panics uint64 // calls that a panic ended, or that recovered a panic
	Errors uint64 // calls that returned an error
}

func (s *WMPathSum) add(c *wmPathCell) {
	s.Calls += c.calls
	s.Self += c.self
	s.Panics += c.panics
	s.Errors += c.errors
}

// A WMPath is a node: the calls of a site that calls of the node Parent made, or goroutines began with
// if Parent is 0.
type WMPath struct {
	Parent, Site uint32

	Own    WMPathSum
	Other  WMPathSum // of calls below these that have no node
	Sample WMSample  // of samples; Own is 0 then
}

// WMPathNodes returns the number above all nodes that there are.
func WMPathNodes() int { return int(wmPaths.n.Load()) }

// wmSumPaths stores the nodes to list, by id, without calls in progress. The world stands still, or
// can't be stopped: tables are complete when they are in the list of them.
func wmSumPaths(list []WMPath) {
	nodes := min(len(list), int(wmPaths.n.Load()))
	for id := 1; id < nodes; id++ {
		n := wmPathNodeAt(uint32(id))
		list[id] = WMPath{Parent: n.parent, Site: n.site}
	}
	wmSumSamples(list)
	for t := wmPaths.list; t != nil; t = t.next {
		cells, other := t.cells.Load(), t.other.Load()
		for id := range nodes {
			list[id].Own.add(wmPathCellAt(cells, uint32(id)))
			if other != 0 {
				list[id].Other.add(wmPathCellAt(other, uint32(id)))
			}
		}
	}
}

// addOpenPath adds a call in progress to the sums of its path.
func (call *wmCall) addOpenPath(list []WMPath, self, panics uint64) {
	id := int(call.node() % wmMostPaths)
	if call.flags&wmCallPath == 0 || id >= len(list) || call.frame.sampled() {
		return
	}
	sum := &list[id].Own
	if call.node() >= wmMostPaths {
		sum = &list[id].Other
	}
	sum.Open++
	sum.Self += self
	sum.Panics += panics
}
