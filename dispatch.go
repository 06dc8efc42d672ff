package waymark

import (
	"strings"
	"sync/atomic"
	"unsafe"

	"github.com/waymark-go/waymark/internal/agent"
	"github.com/waymark-go/waymark/internal/recorder"
	"github.com/waymark-go/waymark/internal/rt"
)

func init() {
	if rt.Enabled {
		agent.SetMonitor(rt.Monitor{Enter: enter, Exit: exit, Panic: panicking, Info: info})
		if agent.RecordsAll() {
			registry.list = append(registry.list, &registration{factory: Record(), caller: Environment})
			registry.everything = true
		}
		rt.OnBind(bind)
	}
}

// A slot is a monitor of a package in use, with the factory that made it.
type slot struct {
	pkg     string
	factory MonitorFactory
	monitor Monitor     // nil if there is nothing to call
	records bool        // calls are recorded
	broken  atomic.Bool // it has panicked
}

// A watch is what calls of a site are reported to.
type watch struct {
	id       int
	function string // as runtime.FuncForPC names it
	slots    []*slot
}

// watches are those of all sites, by the sites' ids. There is another slice when it grows.
var watches atomic.Pointer[[]atomic.Pointer[watch]]

// grow makes room for watches of sites with ids below n.
func grow(n uint32) {
	old := watches.Load()
	if old != nil && len(*old) >= int(n) {
		return
	}
	list := make([]atomic.Pointer[watch], 2*n)
	if old != nil {
		for i := range *old {
			list[i].Store((*old)[i].Load())
		}
	}
	watches.Store(&list)
}

// watch has calls of m reported to the slots of w, if there are some.
func (m member) watch(w *watch) {
	at := &(*watches.Load())[m.pkg.Base+uint32(m.index)]
	if len(w.slots) == 0 {
		agent.Watch(m.pkg, m.index, false)
		at.Store(nil)
		return
	}
	at.Store(w)
	agent.Watch(m.pkg, m.index, true)
}

// watchOf returns what calls of a function are reported to, nil if they aren't.
func watchOf(function string) *watch {
	if site, ok := (*sites.Load())[function]; ok {
		return (*watches.Load())[site].Load()
	}
	return nil
}

// standsIn reports whether a function literal stands in a function, by their names. One ends as in
// F.func1, F.func1.2 and F-range1; where F was inlined into G, it is G.F.func1.
func standsIn(literal, function string) bool {
	_, local, _ := strings.Cut(short(function), ".")
	for outer := literal; ; {
		name := strings.TrimRight(outer, "0123456789")
		cut := name
		for _, ending := range []string{".func", "-range", "."} {
			if cut = strings.TrimSuffix(name, ending); cut != name {
				break
			}
		}
		if len(name) == len(outer) || len(cut) == len(name) {
			return false
		}
		if outer = cut; outer == function || strings.HasSuffix(outer, "."+local) {
			return true
		}
	}
}

// guard is deferred around calls of a monitor: it stays as if there were none. It doesn't recover where the monitor has
// returned, as that isn't free even if nothing panics.
func (s *slot) guard(returned *bool) {
	if *returned {
		return
	}
	if v := recover(); v != nil && !s.broken.Swap(true) {
		recorder.Say("monitor %s of package %s panicked, and is not called any more: %v", KindOf(s.factory), s.pkg, v)
	}
}

// What follows is called for each call of a watched site, by the hooks.

func enter(site uint32, args []any) unsafe.Pointer {
	w := (*watches.Load())[site].Load()
	if w == nil {
		return nil // switched off a moment ago
	}
	if hidden.Load() {
		args = nil
	}
	for _, s := range w.slots {
		s.enter(w.id, args)
	}
	return unsafe.Pointer(w)
}

func (s *slot) enter(id int, args []any) {
	if s.broken.Load() {
		return
	}
	returned := false
	defer s.guard(&returned)
	s.monitor.Enter(id, args...)
	returned = true
}

func exit(call unsafe.Pointer, results []any, returned bool) {
	w := (*watch)(call)
	if hidden.Load() || !returned {
		results = nil
	}
	for i := len(w.slots) - 1; i >= 0; i-- {
		w.slots[i].exit(w.id, results)
	}
}

func (s *slot) exit(id int, results []any) {
	if s.broken.Load() {
		return
	}
	returned := false
	defer s.guard(&returned)
	if results == nil {
		s.monitor.Exit(id)
	} else {
		s.monitor.ExitResults(id, results...)
	}
	returned = true
}

func panicking(call unsafe.Pointer, value any, isGoexit bool) {
	w := (*watch)(call)
	switch {
	case isGoexit:
		value = Goexit
	case hidden.Load():
		value = nil
	}
	for _, s := range w.slots {
		s.panic(w.id, value)
	}
}

func (s *slot) panic(id int, value any) {
	if s.broken.Load() {
		return
	}
	returned := false
	defer s.guard(&returned)
	s.monitor.Panic(id, value)
	returned = true
}

func info(call unsafe.Pointer, site uint32, args []any, callers []string) bool {
	m, ok := (*infos.Load())[site]
	if !ok {
		return false
	}
	last := len(callers) - 1
	w := (*watch)(call)
	if w == nil { // its function has started this goroutine, and may have returned
		if w = watchOf(callers[last]); w == nil {
			return false
		}
	}
	if callers[last] != w.function || last > 0 && !standsIn(callers[0], w.function) {
		return false
	}
	if hidden.Load() {
		args = nil
	}
	for _, s := range w.slots {
		s.info(args, w.id, m)
	}
	return true
}

func (s *slot) info(args []any, caller int, self member) {
	if s.broken.Load() {
		return
	}
	returned := false
	defer s.guard(&returned)
	s.monitor.Info(args, caller, self.id, self.point)
	returned = true
}
