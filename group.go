package waymark

import (
	"fmt"
	"strings"
	"sync"

	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/program/switchboard"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// A Group is a set of functions that belong together by what they do, wherever they are, so that
// they can be observed together. It may contain other groups, to any depth: what is in those is in
// it, too.
//
// A function becomes a member by a directive over it that names the variable which
// holds the group, as Go code in that place would:
//
//	var IORead = waymark.NewGroup("IORead")
//	var IO = waymark.NewGroup("IO", IORead, IOWrite)
//
//	//waymark:group IORead
//	func (s *Stream) ReadInt() int { ... }
//
// Over a type the directive is for all methods of the type, over a package clause for all functions
// of the package. It is not for functions with a directive of their own. If a directive over a type
// or a package clause names several groups, it only declares them, and each function must name one
// of them. A function is directly in one group at most.
type Group struct {
	selecting
	name string

	// Guarded by groups.mu; it only grows.
	subgroups []*Group
	err       error
}

// groups are all groups of the program.
var groups = new(groupSet)

type groupSet struct {
	mu   sync.RWMutex
	list []*Group // in the order of their creation
	name map[string]*Group
}

// NewGroup makes a group of that name, which contains the subgroups. It is for initialising
// variables of packages. Names consist of letters, digits and _ - . / and differ from each other in
// the whole program.
//
// Err says what is wrong with a group, and so does all that is asked to use it.
func NewGroup(name string, subgroups ...*Group) *Group {
	g := newGroup(name, subgroups)
	if g.err == nil {
		g.tell(subgroups)
	}
	return g
}

// tell makes known that g contains the subgroups.
func (g *Group) tell(subgroups []*Group) {
	known := format.Group{Name: g.name}
	for _, sub := range subgroups {
		if sub.err == nil {
			known.Subgroups = append(known.Subgroups, sub.name)
		}
	}
	switchboard.Default.AddGroups(known)
}

func newGroup(name string, subgroups []*Group) *Group {
	g := &Group{name: name}
	g.selecting = switchboard.Selects(func() (switchboard.Selection, string, error) {
		return switchboard.Selection{Groups: []string{g.name}}, g.name, g.err
	})
	groups.mu.Lock()
	defer groups.mu.Unlock()
	switch {
	case !format.ValidGroupName(name):
		g.err = &GroupError{name, ErrName}
	case groups.name[name] != nil:
		g.err = &GroupError{name, ErrDuplicate}
	}
	for i, sub := range subgroups {
		if sub == nil {
			if g.err == nil {
				g.err = &GroupError{name, fmt.Errorf("a subgroup (number %d) %w", i+1, ErrNil)}
			}
			continue
		}
		if sub.err == nil {
			g.subgroups = append(g.subgroups, sub)
		}
	}
	groups.list = append(groups.list, g)
	if g.err == nil {
		if groups.name == nil {
			groups.name = make(map[string]*Group)
		}
		groups.name[name] = g
	}
	return g
}

// Name returns the group's name.
func (g *Group) Name() string { return g.name }

func (g *Group) String() string { return g.name }

// Doc returns the first sentence of the comment at the variable that the group was made for, in a
// program that was built by waymark. It is empty if there is none.
func (g *Group) Doc() string { return switchboard.Default.GroupDoc(g.name) }

// Err returns what is wrong with the group, a GroupError; nil if the group can be used.
func (g *Group) Err() error { return g.err }

// Subgroups returns the groups that g directly contains.
func (g *Group) Subgroups() []*Group {
	groups.mu.RLock()
	defer groups.mu.RUnlock()
	return append([]*Group(nil), g.subgroups...)
}

// Contains reports whether h is g or in it, at any depth.
func (g *Group) Contains(h *Group) bool { return g.all()[h] }

// path returns the groups from g to h, each in the one before; nil if g doesn't contain h.
func (g *Group) path(h *Group) []*Group {
	if g == h {
		return []*Group{g}
	}
	for _, sub := range g.subgroups {
		if p := sub.path(h); p != nil {
			return append([]*Group{g}, p...)
		}
	}
	return nil
}

// all returns g and all groups in it.
func (g *Group) all() map[*Group]bool {
	groups.mu.RLock()
	defer groups.mu.RUnlock()
	list := make(map[*Group]bool)
	var walk func(g *Group)
	walk = func(g *Group) {
		if list[g] {
			return
		}
		list[g] = true
		for _, sub := range g.subgroups {
			walk(sub)
		}
	}
	walk(g)
	return list
}

// Add puts h into g: a package can so put its functions into a group of another one. Observers of g
// see h's functions from then on. It returns a GroupError, of g or of h.
func (g *Group) Add(h *Group) error {
	if h == nil {
		return &GroupError{g.name, fmt.Errorf("a subgroup (number 1) %w", ErrNil)}
	}
	if g.err != nil {
		return g.err
	}
	if h.err != nil {
		return h.err
	}
	if err := g.add(h); err != nil {
		return err
	}
	g.tell([]*Group{h})
	return nil
}

func (g *Group) add(h *Group) error {
	groups.mu.Lock()
	defer groups.mu.Unlock()
	if p := h.path(g); p != nil {
		names := []string{g.name}
		for _, step := range p {
			names = append(names, step.name)
		}
		return &GroupError{g.name, fmt.Errorf("%w: %s", ErrCycle, strings.Join(names, " > "))}
	}
	for _, sub := range g.subgroups {
		if sub == h {
			return nil
		}
	}
	g.subgroups = append(g.subgroups, h)
	return nil
}

// Groups returns all groups that can be used, in the order of their creation.
func Groups() []*Group {
	groups.mu.RLock()
	defer groups.mu.RUnlock()
	var list []*Group
	for _, g := range groups.list {
		if g.err == nil {
			list = append(list, g)
		}
	}
	return list
}

// GroupByName returns the group of that name, or a GroupError that wraps ErrUnknownGroup.
func GroupByName(name string) (*Group, error) {
	groups.mu.RLock()
	defer groups.mu.RUnlock()
	if g := groups.name[name]; g != nil {
		return g, nil
	}
	return nil, &GroupError{name, ErrUnknownGroup}
}

func init() {
	if rt.Enabled {
		rt.OnBind(bind)
	}
}

// bind makes known which groups the functions of p are in, whose variables have been initialised.
func bind(p *rt.Package) {
	held := make([]*switchboard.Bound, len(p.Groups))
	for i, v := range p.Groups {
		switch g, _ := v.(*Group); {
		case g == nil:
		case g.err != nil:
			held[i] = &switchboard.Bound{}
		default:
			held[i] = &switchboard.Bound{Name: g.name}
		}
	}
	switchboard.Default.Bind(p, held)
}
