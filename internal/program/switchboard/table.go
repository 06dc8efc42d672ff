package switchboard

import (
	"slices"
	"sync/atomic"

	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/internal/program/console"
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/text/names"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// A Table is the functions of a package, or of its own tests, by the indexes of their sites.
type Table struct {
	Base uint32 // the id of the first site

	pkg   *rt.Package
	words []uint32                         // what is done with calls of each site
	funcs atomic.Pointer[[]*function.Func] // nil until somebody asks; replaced and never changed

	// Guarded by the board's lock, from here on.
	wants    []uint32   // what owners want of each site, which a budget may cut
	levels   [2][]uint8 // of sites, by limits; nil: all are at level full
	unit     *unit
	vars     []string                   // that hold the sites' groups, "" for none; nil if no site has one
	rest     []restID                   // functions with an id that are not instrumented
	recorded bool                       // a function is recorded
	observed bool                       // a function is observed
	outside  bool                       // a policy does not allow the group of a function
	left     function.LeftOut           // functions of the package that are not instrumented
	seats    []*seat                    // of observers in use
	sites    []format.Site              // see site
	changed  func(i int, recorded bool) // of Markers; nil: the package registered by itself
}

// A restID is a function with an id and without a site.
type restID struct {
	f        *function.Func
	variable string
}

// A unit is all tables of an import path: those of a package and of its tests.
type unit struct {
	path   string
	tables []*Table
	byID   atomic.Pointer[[]*function.Func] // functions with directives; replaced and never changed
}

// Funcs returns the package's functions, info functions too. Nobody may change the slice.
func (t *Table) Funcs() []*function.Func {
	if list := t.funcs.Load(); list != nil {
		return *list
	}
	return nil
}

// load parses the table, once. The caller has the board's lock.
func (b *Board) load(t *Table) {
	if t.funcs.Load() != nil {
		return
	}
	path, sites, err := format.ParseTable([]byte(t.pkg.Table))
	var f format.Facility
	if err == nil {
		_, f, err = format.ParseFacility([]byte(t.pkg.Table))
	}
	if err != nil {
		console.Say("table of package %s: %v", path, err) // the command wrote it
		t.funcs.Store(new([]*function.Func))
		return
	}
	list := make([]*function.Func, len(sites))
	for i := range sites {
		s := &sites[i]
		list[i] = &function.Func{Name: s.Name, Package: path, File: s.File, Line: s.Line, Tiny: s.TinyNames(), Roles: b.groups.Roles(s.Flags.Roles()),
			Valued: s.Args != nil || s.Results != nil}
	}
	t.vars = f.Vars(len(sites))
	if len(sites) > 0 {
		pkg, _ := names.Split(sites[0].Name)
		t.left = f.Left.Of(pkg)
	}
	b.join(t, path)
	b.direct(t, list, f)
	if t.vars != nil {
		b.group(t, list)
	}
	t.funcs.Store(&list)
}

// site returns a function's site, with the names of its arguments and results. It parses the table once,
// for the few programs whose calls are looked at one by one.
func (t *Table) site(i int) *format.Site {
	if t.sites == nil {
		_, t.sites, _ = format.ParseTable([]byte(t.pkg.Table)) // load has reported an error
	}
	if i >= len(t.sites) {
		return new(format.Site)
	}
	return &t.sites[i]
}

// Signature returns the names of a function's arguments and results; _ is none.
func (b *Board) Signature(f *function.Func) (args, results []string) {
	b.list()
	defer b.lock().unlock()
	for _, t := range b.tables {
		b.load(t)
		for i, one := range t.Funcs() {
			if one.Identity() == f.Identity() {
				s := t.site(i)
				return s.Args, s.Results
			}
		}
	}
	return nil, nil
}

// join puts a table into its unit.
func (b *Board) join(t *Table, path string) {
	u, _ := b.units.LoadOrStore(path, &unit{path: path})
	t.unit = u.(*unit)
	t.unit.tables = append(t.unit.tables, t)
}

// direct takes in what directives say of functions.
func (b *Board) direct(t *Table, list []*function.Func, f format.Facility) {
	if len(f.Functions) == 0 {
		return
	}
	var old []*function.Func
	if known := t.unit.byID.Load(); known != nil {
		old = *known
	}
	byID := make([]*function.Func, max(len(old), f.First+len(f.Functions)))
	copy(byID, old)
	for i, d := range f.Functions {
		fn := &function.Func{Package: t.unit.path}
		if d.Site >= 0 {
			fn = list[d.Site]
		} else if d.Info == format.NotInfo {
			t.rest = append(t.rest, restID{fn, f.Groups[d.Group]})
		}
		fn.TracingName, fn.ID, fn.Doc = d.Name, f.First+i, d.Doc
		fn.Marker = d.Info != format.NotInfo
		switch d.Info {
		case format.InfoEnter:
			fn.Point = function.Begin
		case format.InfoExit:
			fn.Point = function.End
		}
		byID[fn.ID] = fn
	}
	for id, fn := range byID { // ids between two tables
		if fn == nil {
			byID[id] = &function.Func{Package: t.unit.path, ID: id}
		}
	}
	t.unit.byID.Store(&byID)
}

// group sets the groups of the functions in list, in place.
func (b *Board) group(t *Table, list []*function.Func) {
	for i, v := range t.vars {
		if v != "" {
			list[i].Groups, list[i].Group = b.groups.Of(v), b.names[v]
		}
	}
	for _, r := range t.rest {
		r.f.Groups, r.f.Group = b.groups.Of(r.variable), b.names[r.variable]
	}
}

// regroup makes functions anew whose groups have changed, and reports whether there are some. The
// caller has the lock.
func (b *Board) regroup(t *Table) (changed bool) {
	old := t.Funcs()
	list, news := slices.Clone(old), make(map[*function.Func]*function.Func)
	renew := func(f *function.Func, v string) *function.Func {
		groups, name, roles := b.groups.Of(v), b.names[v], b.groups.Roles(f.Roles)
		if f.Group == name && slices.Equal(f.Groups, groups) && len(f.Roles) == len(roles) {
			return f
		}
		c := *f
		c.Groups, c.Group, c.Roles = groups, name, roles
		news[f] = &c
		return &c
	}
	for i, f := range list {
		v := ""
		if t.vars != nil {
			v = t.vars[i]
		}
		if v != "" || f.Roles != nil {
			list[i] = renew(f, v)
		}
	}
	for i := range t.rest {
		t.rest[i].f = renew(t.rest[i].f, t.rest[i].variable)
	}
	if len(news) == 0 {
		return false
	}
	t.funcs.Store(&list)
	known := t.unit.byID.Load()
	if known == nil { // roles have changed
		return true
	}
	byID := slices.Clone(*known)
	for id, f := range byID {
		if c := news[f]; c != nil {
			byID[id] = c
		}
	}
	t.unit.byID.Store(&byID)
	return true
}

// ByID returns the functions of a package that have directives, info functions too, by id. It
// reports false if there are none. It takes no lock. Nobody may change the slice.
func (b *Board) ByID(path string) (list []*function.Func, ok bool) {
	if u, known := b.units.Load(path); known {
		if list := u.(*unit).byID.Load(); list != nil {
			return *list, true
		}
	}
	return nil, false
}

// Tables returns the tables of all packages, in the order of their registration.
func (b *Board) Tables() []*Table {
	b.list()
	defer b.lock().unlock()
	for _, t := range b.tables {
		b.load(t)
	}
	return slices.Clone(b.tables)
}

// LeftOut returns which functions of the packages are not instrumented.
func (b *Board) LeftOut() (l function.LeftOut) {
	for _, t := range b.Tables() {
		l.Add(t.left)
	}
	return l
}

// Funcs returns the functions that are selected, without info functions.
func (b *Board) Funcs(s Selection) (list []*function.Func) {
	for _, t := range b.Tables() {
		for _, f := range t.Funcs() {
			if !f.Marker && s.has(f) {
				list = append(list, f)
			}
		}
	}
	return list
}

// AddGroups takes in groups, or what else is known of some: which variables hold them, and which
// groups they contain. Functions that are in groups with wishes are switched.
func (b *Board) AddGroups(list ...format.Group) {
	if len(list) == 0 {
		return
	}
	defer b.lock().unlock()
	b.groups.Add(list)
	for _, g := range list {
		for _, v := range g.Vars {
			b.names[v] = g.Name
		}
	}
	if b.recording != nil && b.recording.Groups != nil {
		b.recording.Groups(list)
	}
	directed := !slices.ContainsFunc(list, func(g format.Group) bool { return format.FindRole(g.Name) != nil })
	for _, t := range b.tables {
		if t.vars == nil && directed || !b.regroup(t) {
			continue
		}
		for _, o := range b.owners {
			for _, w := range o.wishes {
				delete(w.chosen, t)
			}
		}
		b.apply(t)
	}
}

// Groups returns all that is known of groups.
func (b *Board) Groups() []format.Group {
	defer b.lock().unlock()
	return slices.Clone(b.groups.List())
}

// Bind makes known which groups the variables hold that p's table names. nil stands for what is no
// group, and Bound{} for a group that can't be used.
func (b *Board) Bind(p *rt.Package, held []*Bound) {
	b.list()
	path, f, err := format.ParseFacility([]byte(p.Table))
	if err != nil {
		return // load says so
	}
	var groups []format.Group
	for i, g := range held {
		if i < len(f.Groups) && g != nil && g.Name != "" {
			groups = append(groups, format.Group{Name: g.Name, Vars: []string{f.Groups[i]}})
		}
	}
	for _, fn := range f.Functions {
		if fn.Info == format.NotInfo && fn.Site >= 0 && (fn.Group >= len(held) || held[fn.Group] == nil) {
			console.Say("package %s: %s is in %s, which is no group", path, fn.Name, f.Groups[fn.Group])
		}
	}
	func() {
		defer b.lock().unlock()
		for _, d := range f.Docs {
			b.docs.Store(d.Name, d.Doc)
		}
		if len(f.Functions) > 0 {
			t := b.table(p)
			b.load(t)
			b.apply(t)
		}
	}()
	b.AddGroups(groups...)
}

// A Bound is what a variable holds that is named by directives.
type Bound struct{ Name string }

// GroupDoc returns the first sentence of the comment at the variable that a group was made for. It
// takes no lock.
func (b *Board) GroupDoc(name string) string {
	doc, _ := b.docs.Load(name)
	text, _ := doc.(string)
	return text
}
