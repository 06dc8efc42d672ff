package monitor

import (
	"fmt"
	"slices"
	"sync"

	"github.com/waymark-go/waymark"
	"github.com/waymark-go/waymark/internal/program/linked"
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/program/switchboard"
)

// registry knows which factories the program has registered against which groups. Each registration
// is an owner on the switchboard, with a wish for each factory that the registered one is composed
// of. So a factory that panics takes no other one along.
var registry struct {
	mu   sync.Mutex
	list []*registration // in the order of registration
}

// A registration is a factory registered against a group.
type registration struct {
	group   *waymark.Group
	factory Factory
	owner   *switchboard.Owner
}

// Register has calls of all functions in g told to monitors that f makes, one for each package. The
// program registers one factory against a group; a later one takes the earlier one's place. What
// the environment has registered stays beside it. A function that is in several groups with
// factories is told to all, once to each, also if the same factory is registered twice.
//
// Errors are what g.Err returns, one that wraps waymark.ErrNil, and a waymark.PolicyError. In a
// program that was not built by waymark nothing is ever told.
func Register(g *waymark.Group, f Factory) error {
	switch {
	case g == nil:
		return fmt.Errorf("the group %w", waymark.ErrNil)
	case g.Err() != nil:
		return g.Err()
	case f == nil:
		return fmt.Errorf("the factory %w", waymark.ErrNil)
	}
	registry.mu.Lock()
	defer registry.mu.Unlock()
	r := find(g)
	owner := switchboard.Default.Join(switchboard.KindOf(f), switchboard.Program)
	if owner.Group = g.Name(); r != nil {
		r.owner.Kind, owner = owner.Kind, r.owner
	}
	wishes := wishesOf(g, f)
	err := owner.Check(wishes...)
	if err == nil && linked.Agent != nil && slices.ContainsFunc(wishes, func(w switchboard.Wish) bool { return w.Want&rt.Recorded != 0 }) {
		if err := linked.Agent.Recorded(); err != nil {
			return err
		}
	}
	if err == nil {
		forgetBroken(f)
		err = owner.Set(wishes...)
	}
	if err != nil {
		return err
	}
	remove(g)
	registry.list = append(registry.list, &registration{g, f, owner})
	forgetUnused()
	return nil
}

// wishesOf returns what f wants of the functions in g.
func wishesOf(g *waymark.Group, f Factory) (wishes []switchboard.Wish) {
	for _, part := range parts(f) {
		w := switchboard.Wish{Kind: switchboard.KindOf(part), Select: switchboard.Selection{Groups: []string{g.Name()}}}
		if _, ok := part.(recording); ok {
			w.Want = rt.Recorded
		} else {
			part := part
			w.Want = rt.Watched
			w.Observer = func(pkg string) switchboard.Observer { return slotOf(pkg, part).observer() }
		}
		wishes = append(wishes, w)
	}
	return wishes
}

// find returns the registration against g, nil if there is none. A policy may have removed it.
func find(g *waymark.Group) *registration {
	for _, r := range registry.list {
		if r.group == g && r.owner.Active() {
			return r
		}
	}
	return nil
}

func remove(g *waymark.Group) {
	registry.list = slices.DeleteFunc(registry.list, func(r *registration) bool { return r.group == g })
}

// Clear takes the factory that is registered against g away, if there is one. Its monitors are told
// nothing any more, except the ends of calls whose beginning they have seen.
func Clear(g *waymark.Group) {
	registry.mu.Lock()
	defer registry.mu.Unlock()
	if r := find(g); r != nil {
		r.owner.Close()
	}
	remove(g)
	forgetUnused()
}

// RegisteredFactory returns the factory that the program has registered against g, nil if there is
// none.
func RegisteredFactory(g *waymark.Group) Factory {
	registry.mu.Lock()
	defer registry.mu.Unlock()
	if r := find(g); r != nil {
		return r.factory
	}
	return nil
}

// For returns the monitor that functions of the package in group g are told to, nil if there is
// none. If there are several, because groups that contain g have factories too, it is one that
// passes everything on to them. Errors wrap ErrNotTraced, ErrNotInGroup and waymark.ErrNil.
func For(pkg string, g *waymark.Group) (Monitor, error) {
	registry.mu.Lock()
	defer registry.mu.Unlock()
	funcs, err := Functions(pkg)
	if err != nil {
		return nil, err
	}
	if g == nil {
		return nil, fmt.Errorf("the group %w", waymark.ErrNil)
	}
	if !slices.ContainsFunc(funcs, func(f waymark.Func) bool { return slices.Contains(f.Groups, g.Name()) && f.Name != "" }) {
		return nil, fmt.Errorf("package %s %w %s", pkg, ErrNotInGroup, g.Name())
	}
	var used []*slot
	var list []Monitor
	for _, r := range registry.list {
		if !r.group.Contains(g) || !r.owner.Active() || !switchboard.Default.Permits(g.Name()) {
			continue
		}
		for _, part := range parts(r.factory) {
			if s := slotOf(pkg, part); s.monitor != nil && !slices.Contains(used, s) {
				used, list = append(used, s), append(list, s.monitor)
			}
		}
	}
	switch len(list) {
	case 0:
		return nil, nil
	case 1:
		return list[0], nil
	}
	return &composite{pkg, list}, nil
}

// parts returns the factories that f is composed of.
func parts(f Factory) []Factory {
	c, ok := f.(*compose)
	if !ok {
		return []Factory{f}
	}
	var list []Factory
	for _, part := range c.factories {
		list = append(list, parts(part)...)
	}
	return list
}
