package waymark

import (
	"os"
	"sync"

	"github.com/waymark-go/waymark/internal/agent"
	"github.com/waymark-go/waymark/internal/format"
	"github.com/waymark-go/waymark/internal/recorder"
	"github.com/waymark-go/waymark/internal/rt"
)

// A Group is a set of functions that belong together by what they do, wherever they
// are, so that they can be observed together. It may contain other groups, to any
// depth: what is in those is in it, too.
//
// A function becomes a member by a directive over it that names the variable which
// holds the group, as Go code in that place would:
//
//	var IORead = waymark.NewGroup("IORead")
//	var IO = waymark.NewGroup("IO", IORead, IOWrite)
//
//	//waymark:trace IORead
//	func (s *Stream) ReadInt() int { ... }
//
// Over a type the directive is for all its methods, over a package clause for all functions
// of the package, but for those that have one of their own. If it names several groups there, it only
// declares what is used below, and each function must name one of them. A
// function is directly in one group at most.
type Group struct {
	name string

	// Guarded by groups.mu; it only grows.
	subgroups []*Group
	err       error
}

// groups are all groups, in the order of their creation.
var groups struct {
	mu   sync.RWMutex
	list []*Group
	name map[string]*Group
	doc  map[string]string // by name; a group may come after it
}

// NewGroup makes a group of that name, which contains the subgroups. It is for
// initialising variables of packages. Names consist of letters, digits and _ - . /
// and differ from each other in the whole program.
//
// What is wrong with a group is told by Err and by all that is asked to use it.
func NewGroup(name string, subgroups ...*Group) *Group {
	g := newGroup(name, subgroups)
	if g.err != nil {
		recorder.Say("%v", g.err)
		return g
	}
	g.tell(subgroups)
	record, print := agent.Wanted(name)
	if record {
		g.byEnvironment(Record())
	}
	if print {
		g.byEnvironment(toStderr())
	}
	return g
}

// tell has recordings say that g contains the subgroups.
func (g *Group) tell(subgroups []*Group) {
	if !rt.Enabled {
		return
	}
	known := format.Group{Name: g.name}
	for _, sub := range subgroups {
		if sub.err == nil {
			known.Subgroups = append(known.Subgroups, sub.name)
		}
	}
	agent.AddGroups(known)
}

// toStderr gives the one printer for those who have no code for it, so that a function in several of
// their groups is printed once.
var toStderr = sync.OnceValue(func() MonitorFactory { return Print(os.Stderr) })

// byEnvironment registers what WAYMARK asks for, beside what it has asked for before.
func (g *Group) byEnvironment(f MonitorFactory) {
	if old := registeredBy(g, Environment); old != nil {
		f = Compose(old, f)
	}
	if err := register(g, f, Environment); err != nil {
		recorder.Say("WAYMARK: %v", err)
	}
}

func newGroup(name string, subgroups []*Group) *Group {
	g := &Group{name: name}
	groups.mu.Lock()
	defer groups.mu.Unlock()
	switch {
	case !format.ValidGroupName(name):
		g.err = &NameError{Name: name}
	case groups.name[name] != nil:
		g.err = &DuplicateGroupError{Name: name}
	}
	for i, sub := range subgroups {
		if sub == nil {
			if g.err == nil {
				g.err = &NilError{What: "a subgroup", Of: name, Index: i}
			}
			continue
		}
		if sub.err == nil { // else it has said so
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

// Name gives the group's name.
func (g *Group) Name() string { return g.name }

func (g *Group) String() string { return g.name }

// Doc gives the first sentence of the comment at the variable that the group was made for, in a program that was built by
// waymark; empty if there is none.
func (g *Group) Doc() string {
	groups.mu.RLock()
	defer groups.mu.RUnlock()
	return groups.doc[g.name]
}

// documentGroups keeps what comments say of groups.
func documentGroups(list []format.GroupDoc) {
	groups.mu.Lock()
	defer groups.mu.Unlock()
	if groups.doc == nil {
		groups.doc = make(map[string]string)
	}
	for _, d := range list {
		groups.doc[d.Name] = d.Doc
	}
}

// Err tells what is wrong with the group: a NameError, DuplicateGroupError or NilError;
// nil if it can be used.
func (g *Group) Err() error { return g.err }

// Subgroups gives the groups that g directly contains.
func (g *Group) Subgroups() []*Group {
	groups.mu.RLock()
	defer groups.mu.RUnlock()
	return append([]*Group(nil), g.subgroups...)
}

// Contains tells whether h is g or in it, at any depth.
func (g *Group) Contains(h *Group) bool { return g.all()[h] }

// path gives the groups from g to h, each in the one before; nil if g doesn't contain h.
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

// all gives g and all groups in it.
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

// Add puts h into g: a package can so put its functions into a group of another one.
// Monitors registered against g see h's functions from then on. It gives a CycleError if h
// contains g, a NilError if h is nil, and what Err gives of either.
func (g *Group) Add(h *Group) error {
	if h == nil {
		return &NilError{What: "a subgroup", Of: g.name}
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
	registry.mu.Lock()
	defer registry.mu.Unlock()
	registry.apply()
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
		return &CycleError{Groups: names}
	}
	for _, sub := range g.subgroups {
		if sub == h {
			return nil
		}
	}
	g.subgroups = append(g.subgroups, h)
	return nil
}

// Groups gives all groups that can be used, in the order of their creation.
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

// GroupByName gives the group of that name, or an UnknownGroupError.
func GroupByName(name string) (*Group, error) {
	groups.mu.RLock()
	defer groups.mu.RUnlock()
	if g := groups.name[name]; g != nil {
		return g, nil
	}
	return nil, &UnknownGroupError{Name: name}
}
