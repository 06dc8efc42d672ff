package timing

import (
	"reflect"
	"sort"
	"sync"
	"time"

	"github.com/waymark-go/waymark"
	"github.com/waymark-go/waymark/monitor"
)

// A Set holds timers and groups by name, and the handlers of its active timers.
type Set struct {
	config Config
	made   time.Time

	mu       sync.Mutex
	timers   []*Timer
	groups   []*Group
	names    map[string]Member
	handlers []Handler
	followed map[*waymark.Group]*Group // groups that stand for groups of functions
}

// A Config has the functions that a Set asks for time and goroutine, and the function that it calls
// for stray exits. The zero Config will do.
type Config struct {
	// Clock returns the time since some instant. If the clock goes back, a duration is 0. nil means
	// the time since the set was made, by the monotonic clock.
	Clock func() time.Duration

	// Goroutine returns the id of the calling goroutine, for events. The calls of info functions
	// find their enters by it. The id 0 stands for all goroutines without an id. nil means
	// monitor.GoroutineID, which is 0 in programs that plain Go has built.
	Goroutine func() uint64

	// Stray is called for the first stray exit of each timer, with the goroutine that made the exit:
	// see Timer.Exit. nil means a line on stderr.
	Stray func(t *Timer, goroutine uint64)
}

// Default is a set for programs that need only one set.
var Default = NewSet(Config{})

// NewSet returns a set without timers.
func NewSet(c Config) *Set {
	s := &Set{
		config: c, made: time.Now(),
		names: make(map[string]Member), followed: make(map[*waymark.Group]*Group),
	}
	if s.config.Goroutine == nil {
		s.config.Goroutine = monitor.GoroutineID
	}
	if s.config.Stray == nil {
		s.config.Stray = sayStray
	}
	return s
}

func (s *Set) now() time.Duration {
	if s.config.Clock != nil {
		return s.config.Clock()
	}
	return time.Since(s.made)
}

func (s *Set) goroutine() uint64 { return s.config.Goroutine() }

func (s *Set) stray(t *Timer, goroutine uint64) { s.config.Stray(t, goroutine) }

// Timer makes a timer, which is not enabled. Errors are [ErrName] and [ErrDuplicate].
func (s *Set) Timer(name, description string) (*Timer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.timer(name, description)
}

// timer is Timer with the set's lock held.
func (s *Set) timer(name, description string) (*Timer, error) {
	t := new(Timer)
	if err := s.name(t, name, description); err != nil {
		return nil, err
	}
	t.index = int(count.Add(1) - 1)
	s.timers = append(s.timers, t)
	return t, nil
}

// Group makes a group with these members, which is not enabled. Errors are [ErrName],
// [ErrDuplicate], and those of [Group.Add].
func (s *Set) Group(name, description string, members ...Member) (*Group, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.group(name, description, members)
}

// group is Group with the set's lock held.
func (s *Set) group(name, description string, members []Member) (*Group, error) {
	g := &Group{node: node{set: s, name: name}}
	for _, m := range members {
		if err := g.add(m); err != nil {
			return nil, err
		}
	}
	if err := s.name(g, name, description); err != nil {
		return nil, err
	}
	s.groups = append(s.groups, g)
	return g, nil
}

// name makes m a member of the set. The caller has the lock.
func (s *Set) name(m Member, name, description string) error {
	if !validName(name) {
		return nameError(name)
	}
	if s.names[name] != nil {
		return duplicateError(name)
	}
	*m.base() = node{set: s, name: name, description: description}
	s.names[name] = m
	return nil
}

// Lookup returns the timer or the group of a name. The error is [ErrUnknown].
func (s *Set) Lookup(name string) (Member, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m := s.names[name]; m != nil {
		return m, nil
	}
	return nil, unknownError(name)
}

// Timers returns all timers, sorted by name.
func (s *Set) Timers() []*Timer {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := append([]*Timer(nil), s.timers...)
	sort.Slice(list, func(i, j int) bool { return list[i].name < list[j].name })
	return list
}

// Groups returns all groups, sorted by name.
func (s *Set) Groups() []*Group {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.follow()
	list := append([]*Group(nil), s.groups...)
	sort.Slice(list, func(i, j int) bool { return list[i].name < list[j].name })
	return list
}

// AddHandler calls h for events from now on: for enters, and for the exits that belong to them.
// AddHandler does nothing if h is nil or has been added already.
func (s *Set) AddHandler(h Handler) {
	s.change(func() error {
		for _, old := range s.handlers {
			if same(old, h) {
				return nil
			}
		}
		if h != nil {
			s.handlers = append(s.handlers[:len(s.handlers):len(s.handlers)], h)
		}
		return nil
	})
}

// RemoveHandler calls h for no more enters. It still calls h for the ends of measurements whose
// enters h has seen.
func (s *Set) RemoveHandler(h Handler) {
	s.change(func() error {
		for i, old := range s.handlers {
			if same(old, h) {
				s.handlers = append(s.handlers[:i:i], s.handlers[i+1:]...)
				break
			}
		}
		return nil
	})
}

// change does something to the set that may switch timers.
func (s *Set) change(f func() error) error {
	s.mu.Lock()
	err := f()
	var dropped map[*Timer][]*open
	if err == nil {
		dropped = s.apply()
	}
	s.mu.Unlock()
	for t, list := range dropped { // without the lock, which handlers may need
		t.drop(list)
	}
	return err
}

// apply sets which timers are active, and their handlers, from what is enabled. It returns what was
// open in timers that are no longer active. The caller has the lock.
func (s *Set) apply() map[*Timer][]*open {
	s.follow()
	for _, t := range s.timers {
		t.active = t.enabled
	}
	for _, g := range s.groups {
		g.active = false
	}
	for _, g := range s.groups {
		if g.enabled {
			g.activate()
		}
	}
	dropped := make(map[*Timer][]*open)
	told := &audience{s.handlers}
	for _, t := range s.timers {
		switch {
		case t.active && len(s.handlers) > 0:
			if t.opens.Load() == nil {
				t.opens.Store(new(opens))
			}
			t.told.Store(told)
		case t.told.Load() != nil:
			t.told.Store(nil)
			if list := t.opens.Load().drain(false); list != nil {
				dropped[t] = list
			}
		}
	}
	return dropped
}

// same reports whether two handlers are one. Handlers that can't be compared are different.
func same(a, b Handler) bool {
	comparable := func(h Handler) bool { return h != nil && reflect.ValueOf(h).Comparable() }
	return comparable(a) && comparable(b) && a == b
}
