package timing

import (
	"sync/atomic"

	"github.com/waymark-go/waymark"
	"github.com/waymark-go/waymark/internal/program/console"
	"github.com/waymark-go/waymark/internal/wire/format"
	"github.com/waymark-go/waymark/monitor"
)

// Attach measures calls of the functions in groups by timers of s, and enables the timer groups
// that stand for these groups. Attach registers Monitor(s) against each group, in the place of what
// the program has registered. monitor.Clear ends the measuring.
//
// Errors are those of [Set.GroupOf] and monitor.Register, and [ErrNil]. Groups before the wrong one
// stay attached. In a program that plain Go has built, Attach makes groups without timers.
func Attach(s *Set, groups ...*waymark.Group) error {
	if s == nil {
		return nilError("the set")
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

// Monitor returns a factory of monitors that enter and exit timers of s. Each function with a
// directive has a timer with the names of package and function, such as
// example.com/m/store.Stream.Read. The timer's description is the first sentence of the function's
// comment. Each call is a measurement, also if a panic or runtime.Goexit ends the call.
//
// Info functions that are marked enter and exit begin and end measurements of a timer, on any
// goroutines. Two info functions share the timer by their names without a word such as enter, exit,
// begin or end. enterMarshal and exitMarshal have the timer example.com/m/store.marshal. A function
// marshal has the same timer; the timer then adds up both.
//
// The timers of functions are in the groups that stand for the functions' groups, see
// [Set.GroupOf]. The timer of an info function is in the groups of the functions that have called
// the info function.
//
// Unlike Attach, Monitor enables no timer, and monitor.Compose can join its factory with others.
func Monitor(s *Set) monitor.Factory { return factory{s} }

// GroupOf returns the group of s that stands for g, a group of functions. The returned group has
// the name of g, and contains the timers of the functions in g and the groups that stand for g's
// subgroups. A subgroup that is added to g later takes effect at the next call of Enable, Disable,
// Attach, Groups or Members. If s has a group of the name already, GroupOf uses that group.
//
// Errors are that of g.Err, [ErrNil], and [ErrDuplicate] if a timer has the name.
func (s *Set) GroupOf(g *waymark.Group) (*Group, error) {
	if g == nil {
		return nil, nilError("the group")
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

// follow adds the subgroups of groups of functions to the groups that stand for them. The caller
// has the lock.
func (s *Set) follow() {
	for i := 0; i < len(s.groups); i++ { // groupOf appends to s.groups
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

// A factory makes monitors of a set. Two factories of one set are equal.
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
	points atomic.Pointer[[]*point] // by the function's id; the slice never changes
}

// A point is a function, or what an info function begins or ends.
type point struct {
	timer  *Timer
	group  *Group                   // of a function
	within atomic.Pointer[[]*Group] // of an info function: the groups of its callers
}

// read makes timers for the package's functions. The package has more functions than before if it
// has tests that have registered meanwhile.
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
					console.Say("%v: %s.%s isn't timed", err, m.pkg, d.TracingName)
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

// point returns the point of a function.
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
		p.timer.enterAny()
	} else {
		p.timer.exitAny()
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
	for { // only now: whoever finds the group in p.within finds the timer active
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
