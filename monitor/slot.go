package monitor

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/waymark-go/waymark"
	"github.com/waymark-go/waymark/internal/program/console"
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/program/switchboard"
)

// A slot is the monitor that a factory has made for a package: an observer of the package's
// functions.
type slot struct {
	pkg     string
	factory Factory
	monitor Monitor     // nil if there is nothing to call
	broken  atomic.Bool // it has panicked
}

// slots are the monitors in use, by package. The lock is taken with the switchboard's.
var slots struct {
	mu   sync.Mutex
	list map[string][]*slot
}

// slotOf returns the monitor that f makes for a package, which it makes once.
func slotOf(pkg string, f Factory) *slot {
	slots.mu.Lock()
	defer slots.mu.Unlock()
	for _, s := range slots.list[pkg] {
		if same(s.factory, f) {
			return s
		}
	}
	s := &slot{pkg: pkg, factory: f}
	s.create()
	if slots.list == nil {
		slots.list = make(map[string][]*slot)
	}
	slots.list[pkg] = append(slots.list[pkg], s)
	return s
}

func (s *slot) create() {
	if rt.Enabled {
		rt.Mute(true)
		defer rt.Mute(false)
	}
	returned := false
	defer func() {
		if !returned {
			s.Broken(recover())
		}
	}()
	s.monitor = s.factory.Create(s.pkg)
	returned = true
}

// observer returns what the switchboard tells of calls; nil: nothing.
func (s *slot) observer() switchboard.Observer {
	if s.monitor == nil {
		return nil
	}
	if p, ok := s.factory.(*print); ok {
		return p.printer // one for all packages, which is told once
	}
	return s
}

// Broken is called when the monitor has panicked. It makes way for another one, see forgetBroken.
func (s *slot) Broken(value any) {
	if !s.broken.Swap(true) {
		console.Say("monitor %s of package %s panicked, and is not called any more: %v", KindOf(s.factory), s.pkg, value)
	}
}

// forgetBroken has monitors of f that panicked made anew.
func forgetBroken(f Factory) {
	list := parts(f)
	dropSlots(func(s *slot) bool {
		return s.broken.Load() && slices.ContainsFunc(list, func(part Factory) bool { return same(s.factory, part) })
	})
}

// forgetUnused drops the monitors of factories that are not registered any more.
func forgetUnused() {
	var used []Factory
	for _, r := range registry.list {
		used = append(used, parts(r.factory)...)
	}
	dropSlots(func(s *slot) bool {
		return !slices.ContainsFunc(used, func(f Factory) bool { return same(s.factory, f) })
	})
}

func dropSlots(drop func(*slot) bool) {
	slots.mu.Lock()
	defer slots.mu.Unlock()
	for pkg, list := range slots.list {
		slots.list[pkg] = slices.DeleteFunc(list, drop)
	}
}

// Direct implements switchboard.Director: the monitor itself is told of beginnings and ends.
func (s *slot) Direct() switchboard.Direct { return s.monitor }

// Observe tells the monitor of another event.
func (s *slot) Observe(e *waymark.Event) {
	m := s.monitor
	switch e.Kind {
	case waymark.Panic:
		m.Panic(e.Func.ID, e.Value)
	case waymark.Goexit:
		m.Panic(e.Func.ID, Goexit)
	case waymark.Marker:
		m.Info(e.Args(), e.Caller.ID, e.Func.ID, e.Point)
	}
}
