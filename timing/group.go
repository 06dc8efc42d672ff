package timing

import "github.com/waymark-go/waymark"

// A Group contains timers and other groups, to any depth, so that they can be switched together.
type Group struct {
	node

	// Guarded by set.mu.
	members []Member
	of      *waymark.Group // that it follows, nil if none
}

// Add puts a member into the group. Errors are a CycleError if it contains the group, a ForeignError if it is of another set, and
// a NilError.
func (g *Group) Add(m Member) error {
	return g.set.change(func() error { return g.add(m) })
}

// add is Add with the set's lock held.
func (g *Group) add(m Member) error {
	switch m := m.(type) {
	case nil:
		return &NilError{What: "a member", Of: g.name}
	case *Timer:
		if m == nil {
			return &NilError{What: "a member", Of: g.name}
		}
	case *Group:
		if m == nil {
			return &NilError{What: "a member", Of: g.name}
		}
		if m.set == g.set {
			if path := m.path(g); path != nil {
				return &CycleError{Groups: append([]string{g.name}, path...)}
			}
		}
	}
	if m.base().set != g.set {
		return &ForeignError{Name: m.Name(), Group: g.name}
	}
	if !g.has(m) {
		g.members = append(g.members, m)
	}
	return nil
}

// Remove takes a member out of the group, and tells whether it was directly in it.
func (g *Group) Remove(m Member) bool {
	removed := false
	g.set.change(func() error {
		for i, old := range g.members {
			if old == m {
				g.members = append(g.members[:i:i], g.members[i+1:]...)
				removed = true
				break
			}
		}
		return nil
	})
	return removed
}

// Members gives what is directly in the group, in the order in which it was added.
func (g *Group) Members() []Member {
	g.set.mu.Lock()
	defer g.set.mu.Unlock()
	g.set.follow()
	return append([]Member(nil), g.members...)
}

func (g *Group) has(m Member) bool {
	for _, old := range g.members {
		if old == m {
			return true
		}
	}
	return false
}

// path gives the names of the groups from g to h, each in the one before; nil if g doesn't contain h.
func (g *Group) path(h *Group) []string {
	if g == h {
		return []string{g.name}
	}
	for _, m := range g.members {
		if sub, ok := m.(*Group); ok {
			if p := sub.path(h); p != nil {
				return append([]string{g.name}, p...)
			}
		}
	}
	return nil
}

// activate marks what g contains.
func (g *Group) activate() {
	if g.active {
		return
	}
	g.active = true
	for _, m := range g.members {
		if sub, ok := m.(*Group); ok {
			sub.activate()
		} else {
			m.base().active = true
		}
	}
}
