package waymark

import (
	"slices"
	"sync"

	"github.com/waymark-go/waymark/internal/agent"
	"github.com/waymark-go/waymark/internal/rt"
)

// The registry knows which factories are registered against which groups, makes their monitors, and
// switches the sites that these want to see. Calls never take its lock: what a site's
// calls are reported to is in a watch, which is replaced and never changed.
var registry = &registryState{packages: make(map[string]*tracedPackage)}

type registryState struct {
	mu       sync.Mutex
	list     []*registration // in the order of registration
	policies []policy
	packages map[string]*tracedPackage

	// everything says that a recording of all functions is going on: there is nothing to choose.
	everything bool
}

// A registration is a factory registered against a group.
type registration struct {
	group   *Group // nil: all functions, which only WAYMARK=record does
	factory MonitorFactory
	caller  Caller
}

// Register has calls of all functions in g reported to monitors that f makes, one for each
// package. Only one factory is registered against a group; a later one
// takes the earlier one's place, but not that of what the environment or a command has registered. A function that is in several groups with factories is
// reported to all, once to each: also if the same factory is registered twice.
//
// Errors are what g.Err gives, a NilError or a ForbiddenError. In a program that wasn't
// built by waymark nothing is ever reported.
func Register(g *Group, f MonitorFactory) error { return register(g, f, InProcess) }

func register(g *Group, f MonitorFactory, caller Caller) error {
	switch {
	case g == nil:
		return &NilError{What: "the group"}
	case g.err != nil:
		return g.err
	case f == nil:
		return &NilError{What: "the factory"}
	}
	registry.mu.Lock()
	defer registry.mu.Unlock()
	r := &registration{g, f, caller}
	if reason := registry.refusal(r); reason != "" {
		return r.forbidden(reason)
	}
	if rt.Enabled {
		if err := startRecording(f); err != nil {
			return err
		}
	}
	registry.remove(g, caller)
	registry.list = append(registry.list, r)
	for _, p := range registry.packages {
		p.forgetBroken(f)
	}
	registry.apply()
	return nil
}

// Clear takes the factory that is registered against g away, if there is one: nothing is reported to its monitors any more,
// but the ends of calls whose beginning they have seen.
func Clear(g *Group) {
	registry.mu.Lock()
	defer registry.mu.Unlock()
	if registry.remove(g, InProcess) {
		registry.apply()
	}
}

// RegisteredFactory gives the factory that the program has registered against g, nil if there is none.
func RegisteredFactory(g *Group) MonitorFactory { return registeredBy(g, InProcess) }

func registeredBy(g *Group, caller Caller) MonitorFactory {
	registry.mu.Lock()
	defer registry.mu.Unlock()
	for _, r := range registry.list {
		if r.group == g && r.caller == caller {
			return r.factory
		}
	}
	return nil
}

// MonitorFor gives the monitor that functions of the package in group g are reported to, nil
// if there is none. If there are several, because groups that contain g have factories
// too, it is one that passes everything on to them. Errors are a NotTracedError and a NotInGroupError.
func MonitorFor(pkg string, g *Group) (Monitor, error) {
	registry.mu.Lock()
	defer registry.mu.Unlock()
	p := registry.packages[pkg]
	if p == nil {
		return nil, &NotTracedError{Package: pkg}
	}
	if g == nil {
		return nil, &NilError{What: "the group"}
	}
	in := false
	for _, m := range p.members {
		in = in || m.group != nil && g.Contains(m.group)
	}
	if !in {
		return nil, &NotInGroupError{Package: pkg, Group: g.name}
	}
	var list []Monitor
	for _, s := range registry.wanted(p, g) {
		if s.monitor != nil {
			list = append(list, s.monitor)
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

func (r *registryState) remove(g *Group, caller Caller) bool {
	for i, reg := range r.list {
		if reg.group == g && reg.caller == caller {
			r.list = append(r.list[:i:i], r.list[i+1:]...)
			return true
		}
	}
	return false
}

// apply makes all that is reported follow from what is registered.
func (r *registryState) apply() {
	for _, p := range r.packages {
		r.applyTo(p)
	}
}

func (r *registryState) applyTo(p *tracedPackage) {
	byGroup := make(map[*Group][]*slot)
	used := make(map[*slot]bool)
	var watched, recorded, forbidden bool
	for _, m := range p.members {
		if m.group == nil {
			continue
		}
		slots, ok := byGroup[m.group]
		if !ok {
			slots = r.wanted(p, m.group)
			byGroup[m.group] = slots
			forbidden = forbidden || !r.permitted(m.group)
		}
		var called []*slot
		record := false
		for _, s := range slots {
			used[s] = true
			record = record || s.records
			if s.monitor != nil {
				called = append(called, s)
			}
		}
		r.record(m, record)
		m.watch(&watch{m.id, m.function, called})
		watched, recorded = watched || len(called) > 0, recorded || record
	}
	for _, m := range p.members {
		if m.info {
			r.record(m, recorded && !forbidden) // whoever calls it
			agent.Watch(m.pkg, m.index, watched)
		}
	}
	var slots []*slot
	for _, s := range p.slots {
		if used[s] {
			slots = append(slots, s)
		}
	}
	p.slots = slots
}

// record has calls of m recorded, or not.
func (r *registryState) record(m member, on bool) {
	if !r.everything {
		rt.Switch(m.pkg, m.index, on)
	}
}

// wanted gives the monitors for p's functions in g, without those that are there twice. It makes those
// that are not there yet.
func (r *registryState) wanted(p *tracedPackage, g *Group) []*slot {
	var list []*slot
	for _, reg := range r.list {
		if reg.group != nil && !reg.group.Contains(g) || !r.permitted(g) {
			continue
		}
		for _, f := range parts(reg.factory) {
			if !slices.ContainsFunc(list, func(s *slot) bool { return same(s.factory, f) }) {
				list = append(list, p.slot(f))
			}
		}
	}
	return list
}

// parts gives the factories that f is composed of: each is served by itself, so that one which
// panics takes no other one along.
func parts(f MonitorFactory) []MonitorFactory {
	c, ok := f.(*compose)
	if !ok {
		return []MonitorFactory{f}
	}
	var list []MonitorFactory
	for _, part := range c.factories {
		list = append(list, parts(part)...)
	}
	return list
}

// slot gives the monitor that f has made for p. There may be none in it.
func (p *tracedPackage) slot(f MonitorFactory) *slot {
	for _, s := range p.slots {
		if same(s.factory, f) {
			return s
		}
	}
	s := &slot{pkg: p.path, factory: f, records: records(f)}
	func() {
		if rt.Enabled {
			rt.Mute(true)
			defer rt.Mute(false)
		}
		returned := false
		defer s.guard(&returned)
		s.monitor = f.Create(p.path)
		returned = true
	}()
	p.slots = append(p.slots, s)
	return s
}

// forgetBroken has monitors of f that panicked made anew.
func (p *tracedPackage) forgetBroken(f MonitorFactory) {
	for _, part := range parts(f) {
		p.slots = slices.DeleteFunc(p.slots, func(s *slot) bool { return s.broken.Load() && same(s.factory, part) })
	}
}
