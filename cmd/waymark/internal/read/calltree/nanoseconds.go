package calltree

import "github.com/waymark-go/waymark/internal/calls"

// AddTo adds a tree to one in ns. Its rows are the nodes' keys.
func AddTo(t *calls.Tree, list []Node, scale Scale) {
	at := make([]uint32, len(list))
	for i := range list {
		n := &list[i]
		parent := uint32(0)
		if n.Caller != NoCaller {
			parent = at[n.Caller]
		}
		sum := n.Counts()
		sum.Total, sum.Self = scale.Nanoseconds(n.Total), scale.Nanoseconds(n.Self)
		if n.Off != nil {
			sum.Off = new(calls.Offs)
			n.Off.AddTo(sum.Off, scale)
		}
		at[i] = t.Add(parent, n.Key, &sum)
	}
}

// Counts returns the numbers of a node but times.
func (n *Node) Counts() calls.Numbers {
	return calls.Numbers{Calls: n.Calls, Panics: n.Panics, Errors: n.Errors, Objects: n.Made.Objects, Bytes: n.Made.Bytes, About: n.About}
}

// AddTo adds o to a time in ns. Each number is the difference of two sums that were rounded, so that what
// they add up to is what the whole comes to.
func (o *Off) AddTo(to *calls.Off, scale Scale) {
	sum, before := o.Runnable, scale.Nanoseconds(o.Runnable)
	to.Runnable += before
	for i, n := range o.Waiting {
		if n == 0 {
			continue
		}
		sum += n
		after := scale.Nanoseconds(sum)
		to.Waiting[i] += after - before
		before = after
	}
}

// AddTo adds o, which may be nil, to times in ns.
func (o *Offs) AddTo(to *calls.Offs, scale Scale) {
	if o != nil {
		o.Total.AddTo(&to.Total, scale)
		o.Self.AddTo(&to.Self, scale)
	}
}
