package paths

import (
	"maps"
	"slices"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/internal/calls"
	"github.com/waymark-go/waymark/tracefile"
)

// follow is Read with the goroutine of each node. It reads the events in order, which no workers
// can do.
func (r *reader) follow(set *tracefile.Set, tell func(events int)) ([]recording.Summary, error) {
	all := *r.filter
	all.Show, all.Root, all.Callers, all.Min, all.Depth = nil, nil, nil, 0, 0 // which the adder chooses
	var list []*gatherer
	read, err := all.Follow(set, func(p *recording.Process) recording.Follower {
		g := &gatherer{keyOf: r.keyOf(p), keys: make(map[uint32]uint32), long: make(map[uint32]uint64), stacks: make(map[uint64][]uint32)}
		list = append(list, g)
		events := 0
		return recording.Follower{Enter: g.enter, Call: g.call, End: g.end, Done: func(uint64) bool {
			if events++; events == tellStep {
				tell(events)
				events = 0
			}
			return false
		}}
	})
	if read == nil {
		return nil, err
	}
	several := len(set.Processes) > 1
	for i, p := range recording.Processes(set) {
		nodes, owners := list[i].nodes()
		label := ""
		if several {
			label = p.Label
		}
		calls := r.add(nodes, p.Scale, func(node int) uint32 {
			return r.tree.owner(recording.GoroutineID{Process: label, ID: owners[node]})
		})
		for _, site := range slices.Sorted(maps.Keys(read[i].Counted.Calls)) {
			key, n := list[i].key(site), read[i].Counted.Calls[site]
			calls += r.count(key, n-min(n, list[i].long[key]))
		}
		read[i].Calls = calls
	}
	return read, err
}

// tellStep is how many events pass between two calls of tell.
const tellStep = 1 << 18

// A gatherer adds up the calls of a process by goroutine and path. Nodes without a caller stand for
// goroutines, and have their indices in ids as rows.
type gatherer struct {
	keyOf  func(site uint32) uint32
	keys   map[uint32]uint32 // its answers
	paths  calls.Paths[calltree.Node]
	ids    []uint64
	long   map[uint32]uint64   // by key: calls that were counted, and recorded because they took long
	stacks map[uint64][]uint32 // of each goroutine: its node, and those of its open calls
}

func (g *gatherer) key(site uint32) uint32 {
	key, ok := g.keys[site]
	if !ok {
		key = g.keyOf(site)
		g.keys[site] = key
	}
	return key
}

// stack returns the stack of a goroutine with as many open calls.
func (g *gatherer) stack(goroutine uint64, depth int) []uint32 {
	s := g.stacks[goroutine]
	if s == nil {
		s = []uint32{g.paths.Child(0, uint32(len(g.ids)))}
		g.ids = append(g.ids, goroutine)
	}
	return s[:depth+1]
}

func (g *gatherer) enter(c *calltree.Call) {
	s := g.stack(c.Goroutine, c.Depth)
	g.stacks[c.Goroutine] = append(s, g.paths.Child(s[c.Depth], g.key(c.Site)))
}

func (g *gatherer) call(c *calltree.Call) {
	if c.Flags&calltree.Info != 0 {
		return
	}
	s := g.stack(c.Goroutine, c.Depth)
	key := g.key(c.Site)
	node := g.paths.Child(s[c.Depth], key)
	g.stacks[c.Goroutine] = s
	g.paths.Nodes[node].Sum.Add(c)
	if c.Flags&(calltree.Long|calltree.Unfolded) != 0 {
		g.long[key]++
	}
}

func (g *gatherer) end(e *calltree.Goroutine) { delete(g.stacks, e.ID) }

// nodes returns the nodes without those of goroutines, and the goroutine of each.
func (g *gatherer) nodes() (nodes []calltree.Node, owners []uint64) {
	index := make([]int, len(g.paths.Nodes)) // in nodes
	for i := 1; i < len(g.paths.Nodes); i++ {
		n := &g.paths.Nodes[i]
		if n.Parent == 0 {
			index[i] = -1 - int(n.Row)
			continue
		}
		node := n.Sum
		node.Key = n.Row
		owner := uint64(0)
		if caller := index[n.Parent]; caller < 0 {
			node.Caller, owner = calltree.NoCaller, g.ids[-1-caller]
		} else {
			node.Caller, owner = caller, owners[caller]
		}
		index[i] = len(nodes)
		nodes, owners = append(nodes, node), append(owners, owner)
	}
	return nodes, owners
}
