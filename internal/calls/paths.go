package calls

// Paths are the nodes of call trees: of one function, reached by one path of callers. S is what is
// added up of the calls. The zero value has no node.
//
// Nodes are a list, in which callers come before callees, and not linked: a tree may be a million
// calls deep. A node is named by its index. Node 0 is no call, and there from the first Child on:
// root calls are its children.
type Paths[S any] struct {
	Nodes []PathNode[S]
	index map[uint64]uint32 // by parent<<32 | row
}

// A PathNode is one of Paths.
type PathNode[S any] struct {
	Parent, Row uint32
	recent      uint32 // the child asked for last: most calls repeat the one before
	Sum         S
}

// Child returns the node of the calls of row that those of the node parent make.
func (p *Paths[S]) Child(parent, row uint32) uint32 {
	if p.index == nil {
		p.Nodes, p.index = make([]PathNode[S], 1), make(map[uint64]uint32)
	}
	if r := p.Nodes[parent].recent; r != 0 && p.Nodes[r].Row == row {
		return r
	}
	key := uint64(parent)<<32 | uint64(row)
	n, ok := p.index[key]
	if !ok {
		n = uint32(len(p.Nodes))
		p.Nodes = append(p.Nodes, PathNode[S]{Parent: parent, Row: row})
		p.index[key] = n
	}
	p.Nodes[parent].recent = n
	return n
}

// Has returns the node that Child would return, if it is there.
func (p *Paths[S]) Has(parent, row uint32) (node uint32, ok bool) {
	node, ok = p.index[uint64(parent)<<32|uint64(row)]
	return node, ok
}
