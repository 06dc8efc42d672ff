package timing

import (
	"slices"

	"github.com/waymark-go/waymark"
)

// A Group contains timers and other groups, to any depth, so that they can be switched together.
type Group struct {
	node

	// Guarded by set.mu.
	members []Member
	of      *waymark.Group // the group of functions that it stands for, nil if there is none
}

// Add puts a member into the group. Errors are [ErrCycle] if m contains the group, [ErrForeign] if
// m is of another set, and [ErrNil].
func (g *Group) Add(m Member) error {
	return g.set.change(func() error { return g.add(m) })
}

// add is Add with the set's lock held.
func (g *Group) add(m Member) error {
	if m == nil || m == Member((*Timer)(nil)) || m == Member((*Group)(nil)) {
		return memberError(g.name, ErrNil, "a member is nil")
	}
	if m.base().set != g.set {
		return memberError(g.name, ErrForeign, m.Name()+" is of another set")
	}
	if sub, ok := m.(*Group); ok {
		if path := sub.path(g); path != nil {
			return cycleError(append([]string{g.name}, path...))
		}
	}
	if !slices.Contains(g.members, m) {
		g.members = append(g.members, m)
	}
	return nil
}

// Remove takes a member out of the group. It reports whether m was directly in the group.
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

// Members returns the timers and groups that are directly in the group, in the order in which they
// were added.
func (g *Group) Members() []Member {
	g.set.mu.Lock()
	defer g.set.mu.Unlock()
	g.set.follow()
	return append([]Member(nil), g.members...)
}

// path returns the names of the groups from g to h, of which each is in the one before. It returns
// nil if g does not contain h.
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

// activate marks g and all that g contains as active.
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
