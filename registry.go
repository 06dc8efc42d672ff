package waymark

import (
	"fmt"
	"reflect"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/waymark-go/waymark/agent"
	"github.com/waymark-go/waymark/format"
	"github.com/waymark-go/waymark/recorder"
	"github.com/waymark-go/waymark/rt"
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
}

// A registration is a factory registered against a group.
type registration struct {
	group   *Group
	factory MonitorFactory
	caller  Caller
}

// A tracedPackage is a package with functions that have directives.
type tracedPackage struct {
	path    string
	members []member
	slots   []*slot // monitors in use
}

// A member is a function or an info function.
type member struct {
	pkg   *rt.Package
	index int // of its site
	id    int
	group *Group // nil: of info functions
	info  bool
	point TimingPoint
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
	id    int
	slots []*slot
}

// watches are those of all sites, by the sites' ids. There is another slice when it grows.
var watches atomic.Pointer[[]atomic.Pointer[watch]]

// infos are the info functions, by the sites' ids.
var infos atomic.Pointer[map[uint32]member]

// functions has the names of packages' functions by id: []string by import path, never
// changed. Monitors ask for names all the time.
var functions sync.Map

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
	if err := registry.allowed(r); err != nil {
		return err
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

// Packages gives the import paths of the packages that have functions in groups, sorted.
func Packages() []string {
	registry.mu.Lock()
	defer registry.mu.Unlock()
	var list []string
	for path := range registry.packages {
		list = append(list, path)
	}
	sort.Strings(list)
	return list
}

// Functions gives the names of a package's functions that have directives, info functions too. The
// index of a name is the id of the function. Names are as in `Type.Method`, or what a directive says, sorted, and those of the
// package's own tests behind the others. The error is a NotTracedError.
func Functions(pkg string) ([]string, error) {
	names, err := functionsOf(pkg)
	return append([]string(nil), names...), err
}

func functionsOf(pkg string) ([]string, error) {
	names, ok := functions.Load(pkg)
	if !ok {
		return nil, &NotTracedError{Package: pkg}
	}
	return names.([]string), nil
}

// FunctionName gives the name of a package's function by its id. Errors are a NotTracedError and an IDError.
func FunctionName(pkg string, id int) (string, error) {
	names, err := functionsOf(pkg)
	if err == nil && (id < 0 || id >= len(names)) {
		err = &IDError{Package: pkg, ID: id, Count: len(names)}
	}
	if err != nil {
		return "", err
	}
	return names[id], nil
}

// FunctionID gives the id of a package's function by its name. Errors are a NotTracedError and a FunctionError.
func FunctionID(pkg, name string) (int, error) {
	names, err := functionsOf(pkg)
	if err != nil {
		return 0, err
	}
	for id, n := range names {
		if n == name {
			return id, nil
		}
	}
	return 0, &FunctionError{Package: pkg, Name: name}
}

// KindOf gives the kind of a factory, for policies and lists: what its method Kind gives, if it has one, else its
// type. Nobody else's factory has the kind of one of this package's.
func KindOf(f MonitorFactory) string {
	k, ok := f.(interface{ Kind() string })
	if !ok {
		return fmt.Sprintf("%T", f)
	}
	kind := k.Kind()
	switch f.(type) {
	case *printer, noOp, recording, *OperationTracer, *slogFactory, *regions, *compose:
		return kind
	}
	if base, _, _ := strings.Cut(kind, "("); slices.Contains(ownKinds, base) {
		return fmt.Sprintf("%T", f)
	}
	return kind
}

// ownKinds are the kinds of this package's factories.
var ownKinds = []string{"Print", "NoOp", "Record", "OperationTracer", "Slog", "RuntimeTrace", "Compose"}

func init() {
	if rt.Enabled {
		rt.SetMonitor(rt.Monitor{Enter: enter, Exit: exit, Panic: panicking, Info: info})
		everything.Store(agent.RecordsAll())
		rt.OnBind(bind)
	}
}

// bind makes the functions of p known, whose groups are there now.
func bind(p *rt.Package) {
	path, f, err := format.ParseFacility([]byte(p.Table))
	if err != nil {
		recorder.Say("table of package %s: %v", path, err) // the command wrote it
		return
	}
	registry.mu.Lock()
	defer registry.mu.Unlock()
	t := registry.packages[path]
	if t == nil {
		t = &tracedPackage{path: path}
		registry.packages[path] = t
	}
	old, _ := functionsOf(path)
	names := make([]string, max(len(old), f.First+len(f.Functions)))
	copy(names, old)
	known := make(map[uint32]member)
	if old := infos.Load(); old != nil {
		for site, m := range *old {
			known[site] = m
		}
	}
	for i, fn := range f.Functions {
		m := member{pkg: p, index: fn.Site, id: f.First + i}
		names[m.id] = fn.Name
		if fn.Site < 0 {
			continue
		}
		switch fn.Info {
		case format.NotInfo:
			if m.group, _ = p.Groups[fn.Group].(*Group); m.group == nil {
				recorder.Say("package %s: %s is in %s, which is no group", path, fn.Name, f.Groups[fn.Group])
				continue
			}
		case format.InfoEnter:
			m.info, m.point = true, Enter
		case format.InfoExit:
			m.info, m.point = true, Exit
		default:
			m.info = true
		}
		if m.info {
			known[p.Base+uint32(fn.Site)] = m
		}
		t.members = append(t.members, m)
	}
	var held []format.Group
	for i, name := range f.Groups {
		if g, ok := p.Groups[i].(*Group); ok && g != nil && g.err == nil {
			held = append(held, format.Group{Name: g.name, Vars: []string{name}})
		}
	}
	if len(held) > 0 {
		agent.AddGroups(held...)
	}
	functions.Store(path, names)
	infos.Store(&known)
	grow(p.Base + uint32(len(p.Sites)))
	registry.applyTo(t)
}

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
	var watched, recorded bool
	for _, m := range p.members {
		if m.group == nil {
			continue
		}
		slots, ok := byGroup[m.group]
		if !ok {
			slots = r.wanted(p, m.group)
			byGroup[m.group] = slots
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
		m.record(record)
		m.watch(&watch{m.id, called})
		watched, recorded = watched || len(called) > 0, recorded || record
	}
	for _, m := range p.members {
		if m.info {
			m.record(recorded)
			rt.Watch(m.pkg, m.index, watched)
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

// watch has calls of m reported to the slots of w, if there are some.
func (m member) watch(w *watch) {
	at := &(*watches.Load())[m.pkg.Base+uint32(m.index)]
	if len(w.slots) == 0 {
		rt.Watch(m.pkg, m.index, false)
		at.Store(nil)
		return
	}
	at.Store(w)
	rt.Watch(m.pkg, m.index, true)
}

// everything says that a recording of all sites is going on: there is nothing to choose.
var everything atomic.Bool

// record has calls of m recorded, or not.
func (m member) record(on bool) {
	if !everything.Load() {
		rt.Switch(m.pkg, m.index, on)
	}
}

// wanted gives the monitors for p's functions in g, without those that are there twice. It makes those
// that are not there yet.
func (r *registryState) wanted(p *tracedPackage, g *Group) []*slot {
	var list []*slot
	for _, reg := range r.list {
		if !reg.group.Contains(g) || !r.permitted(g) {
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
		defer s.guard()
		s.monitor = f.Create(p.path)
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

// same tells whether two factories are one. Those that can't be compared are different.
func same(a, b MonitorFactory) bool {
	return reflect.ValueOf(a).Comparable() && reflect.ValueOf(b).Comparable() && a == b
}

// guard is deferred around calls of a monitor: it stays as if there were none.
func (s *slot) guard() {
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
	defer s.guard()
	s.monitor.Enter(id, args...)
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
	defer s.guard()
	if results == nil {
		s.monitor.Exit(id)
	} else {
		s.monitor.ExitResults(id, results...)
	}
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
	defer s.guard()
	s.monitor.Panic(id, value)
}

func info(call unsafe.Pointer, site uint32, args []any) {
	m, ok := (*infos.Load())[site]
	if !ok {
		return
	}
	w := (*watch)(call)
	if hidden.Load() {
		args = nil
	}
	for _, s := range w.slots {
		s.info(args, w.id, m)
	}
}

func (s *slot) info(args []any, caller int, self member) {
	if s.broken.Load() {
		return
	}
	defer s.guard()
	s.monitor.Info(args, caller, self.id, self.point)
}
