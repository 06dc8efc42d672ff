package timing

import (
	"fmt"
	"sync/atomic"

	"github.com/waymark-go/waymark"
	"github.com/waymark-go/waymark/internal/format"
	"github.com/waymark-go/waymark/internal/recorder"
	"github.com/waymark-go/waymark/monitor"
)

// Attach has calls of the functions in groups measured by timers of s, and enables the timer groups that stand for these groups. It
// registers Monitor(s) against each, in the place of what the program has registered; monitor.Clear ends it.
//
// Errors are those of GroupOf and monitor.Register, and a NilError; groups before the wrong one stay attached. In a program that plain Go has
// built there are groups without timers then.
func Attach(s *Set, groups ...*waymark.Group) error {
	if s == nil {
		return &NilError{What: "the set"}
	}
	for _, g := range groups {
		follower, err := s.GroupOf(g)
		if err != nil {
			return err
		}
		if err := monitor.Register(g, Monitor(s)); err != nil {
			return err
		}
		follower.Enable()
	}
	return nil
}

// Monitor makes a factory of monitors that enter and exit timers of s: each function with a directive has one, by the name of
// package and function, as in example.com/m/store.Stream.Read; described by the first sentence of its comment. Each call is a
// measurement, also if it ends by a panic or runtime.Goexit.
//
// Info functions that are marked enter and exit begin and end measurements of a timer that they share by their names, as enterMarshal
// and exitMarshal do; on any goroutines. How these are cut is said at format.PointName: here the timer is example.com/m/store.marshal. A
// function of that name has the same timer, in which both then add up.
//
// The timers are in groups that stand for waymark's, see GroupOf, those of info functions in the groups of the functions that have called
// them. All are made when the factory is registered, and measure nothing before they or their groups are enabled. That is how it
// differs from Attach, and that it can be composed with others by monitor.Compose.
func Monitor(s *Set) monitor.Factory { return factory{s} }

// GroupOf gives the group of s that stands for a group of functions: it has its name, contains the timers of its functions, and
// the groups that stand for its subgroups; one that is added to it later comes with the next thing that is enabled, disabled, attached or
// listed. A group of s that has the name already is used. Errors are what g.Err returns, one that wraps waymark.ErrNil, and a DuplicateError if a
// timer has the name.
func (s *Set) GroupOf(g *waymark.Group) (*Group, error) {
	if g == nil {
		return nil, fmt.Errorf("the group %w", waymark.ErrNil)
	}
	if err := g.Err(); err != nil {
		return nil, err
	}
	var follower *Group
	err := s.change(func() (err error) {
		follower, err = s.groupOf(g)
		return err
	})
	return follower, err
}

// groupOf is GroupOf with the set's lock held.
func (s *Set) groupOf(g *waymark.Group) (*Group, error) {
	if follower := s.followed[g]; follower != nil {
		return follower, nil
	}
	follower, ok := s.names[g.Name()].(*Group)
	if !ok {
		var err error
		if follower, err = s.group(g.Name(), format.GroupDoc{Name: g.Name(), Doc: g.Doc()}.Describe(), nil); err != nil {
			return nil, err
		}
	}
	follower.of = g
	s.followed[g] = follower
	return follower, nil
}

// follow has groups contain what those of waymark contain that they stand for. The caller has the lock.
func (s *Set) follow() {
	for i := 0; i < len(s.groups); i++ { // it grows
		g := s.groups[i]
		if g.of == nil {
			continue
		}
		for _, sub := range g.of.Subgroups() {
			if follower, err := s.groupOf(sub); err == nil {
				g.add(follower)
			}
		}
	}
}

// A factory makes monitors of a set. Two of one set are the same.
type factory struct{ set *Set }

func (f factory) Kind() string { return "Timing" }

func (f factory) Create(pkg string) monitor.Monitor {
	m := &timers{set: f.set, pkg: pkg}
	m.read()
	return m
}

// A timers monitor enters and exits the timers of a package's functions.
type timers struct {
	set    *Set
	pkg    string
	points atomic.Pointer[[]*point] // by the function's id; never changed
}

// A point is a function, or what an info function begins or ends.
type point struct {
	timer  *Timer
	group  *Group                   // of a function
	within atomic.Pointer[[]*Group] // of an info function: those of its callers
}

// read makes timers for the package's functions. There are more than before if those in its tests have become known.
func (m *timers) read() {
	list, err := monitor.Functions(m.pkg)
	if err != nil {
		return
	}
	points := make([]*point, len(list))
	m.set.change(func() error {
		for i, d := range list {
			points[i] = new(point)
			name, info := d.TracingName, format.NotInfo
			group, _ := waymark.GroupByName(d.Group)
			switch {
			case d.Point != waymark.NoPoint:
				name, info = format.PointName(name), format.InfoEnter
			case group == nil:
				continue // an info function without a meaning for timers, or a function left over
			}
			if name = m.pkg + "." + name; name == m.pkg+"." {
				name = m.pkg
			}
			t, ok := m.set.names[name].(*Timer)
			if !ok {
				var err error
				description := format.TracedFunction{Name: d.TracingName, Doc: d.Doc, Info: info}.Describe(m.pkg)
				if t, err = m.set.timer(name, description); err != nil {
					recorder.Say("%v: %s.%s isn't timed", err, m.pkg, d.TracingName)
					continue
				}
			}
			points[i].timer = t
			if group == nil {
				continue
			}
			if g, err := m.set.groupOf(group); err == nil {
				g.add(t)
				points[i].group = g
			}
		}
		return nil
	})
	m.points.Store(&points)
}

// point gives that of a function.
func (m *timers) point(id int) *point {
	points := m.points.Load()
	if points == nil || id >= len(*points) {
		m.read()
		if points = m.points.Load(); points == nil || id >= len(*points) {
			return new(point)
		}
	}
	return (*points)[id]
}

func (m *timers) Package() string { return m.pkg }

func (m *timers) Enter(id int, args ...any) {
	if t := m.point(id).timer; t != nil {
		t.enterOwn()
	}
}

func (m *timers) Exit(id int) {
	if t := m.point(id).timer; t != nil {
		t.exitOwn()
	}
}

func (m *timers) ExitResults(id int, results ...any) { m.Exit(id) }

func (m *timers) Panic(id int, value any) {}

func (m *timers) Info(args []any, caller, self int, what waymark.Point) {
	if what == waymark.NoPoint {
		return
	}
	p := m.point(self)
	if p.timer == nil {
		return
	}
	m.put(p, m.point(caller).group)
	if what == waymark.Begin {
		p.timer.Enter()
	} else {
		p.timer.Exit()
	}
}

// put puts an info function's timer into the group of a function that calls it.
func (m *timers) put(p *point, g *Group) {
	if g == nil {
		return
	}
	if list := p.within.Load(); list != nil {
		for _, known := range *list {
			if known == g {
				return
			}
		}
	}
	m.set.change(func() error { return g.add(p.timer) })
	for { // only now, so that whoever finds it there finds the timer active
		old := p.within.Load()
		list := []*Group{g}
		if old != nil {
			list = append(list, *old...)
		}
		if p.within.CompareAndSwap(old, &list) {
			return
		}
	}
}

// Clear forgets the calls that are in progress.
func (m *timers) Clear() {
	points := m.points.Load()
	if points == nil {
		return
	}
	for _, p := range *points {
		if p.timer == nil {
			continue
		}
		if o := p.timer.opens.Load(); o != nil {
			p.timer.drop(o.drain(true))
		}
	}
}
