package diff

import (
	"cmp"
	"slices"
)

// A Path is the calls of a function that were made through certain callers.
type Path struct {
	Functions   []*Function // outermost caller first
	Calls       Change
	Total, Self Change // ns

	// Follows says that the calls have changed by the same factor as those of the caller, so that
	// the change is further out.
	Follows bool
}

// comparePaths keeps the paths that have changed.
func (d *Diff) comparePaths(samples [2]int) {
	calls := make([]Change, len(d.tree.Nodes)) // by node
	for i := 1; i < len(d.tree.Nodes); i++ {
		n := &d.tree.Nodes[i]
		p := &Path{}
		p.Calls, p.Total, p.Self = n.Sum.compare(samples, d.Alpha, d.all[n.Row].Demoted)
		calls[i] = p.Calls
		caller := &calls[n.Parent]
		p.Follows = n.Parent != 0 && caller.Verdict == Changed && p.Calls.Verdict == Changed &&
			float64(p.Calls.Before)*float64(caller.After) == float64(p.Calls.After)*float64(caller.Before)
		if p.Calls.Verdict != Changed && p.Total.Verdict != Changed && p.Self.Verdict != Changed {
			continue
		}
		for at := uint32(i); at != 0; at = d.tree.Nodes[at].Parent {
			p.Functions = append(p.Functions, d.all[d.tree.Nodes[at].Row])
		}
		slices.Reverse(p.Functions)
		d.Paths = append(d.Paths, p)
	}
	slices.SortStableFunc(d.Paths, func(a, b *Path) int {
		return cmp.Or(compareBool(a.Follows, b.Follows), -cmp.Compare(a.Self.size(), b.Self.size()), -cmp.Compare(a.Calls.size(), b.Calls.size()),
			slices.CompareFunc(a.Functions, b.Functions, func(f, g *Function) int { return cmp.Compare(f.Name, g.Name) }))
	})
}

// shownPaths returns the paths where something has changed first: in calls, or in their own time.
func (d *Diff) shownPaths() (list []*Path, follow int) {
	for _, p := range d.Paths {
		switch {
		case p.Follows && p.Self.Verdict != Changed:
			follow++
		case p.Calls.Verdict == Changed || p.Self.Verdict == Changed:
			list = append(list, p)
		}
	}
	return list, follow
}
