package waymark

import (
	"maps"
	"sort"
	"sync"
	"sync/atomic"

	"github.com/waymark-go/waymark/internal/agent"
	"github.com/waymark-go/waymark/internal/format"
	"github.com/waymark-go/waymark/internal/recorder"
	"github.com/waymark-go/waymark/internal/rt"
)

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

	function string // as runtime.FuncForPC names it

	group *Group // nil: of info functions
	info  bool
	point TimingPoint
}

// infos are the info functions, by the sites' ids.
var infos atomic.Pointer[map[uint32]member]

// sites has the ids of the sites of functions in groups, by names as in member.function.
var sites atomic.Pointer[map[string]uint32]

// functions has what is known of packages' functions, by import path: *catalogue, never
// changed. Monitors ask for names all the time.
var functions sync.Map

// A catalogue lists the functions of a package by id.
type catalogue struct {
	names        []string
	descriptions []Description
}

// A Description says what is known of a function that has a directive.
type Description struct {
	Package string
	ID      int
	Name    string      // that tracing knows it by
	Doc     string      // the first sentence of its comment
	Group   *Group      // that it is directly in; nil of info functions
	Point   TimingPoint // what an info function means to timers
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

// Describe says what is known of a package's functions that have directives, info functions too, by id. Factories may
// ask for that of the package that they make a monitor for. The error is a NotTracedError.
func Describe(pkg string) ([]Description, error) {
	c, err := catalogueOf(pkg)
	return append([]Description(nil), c.descriptions...), err
}

func functionsOf(pkg string) ([]string, error) {
	c, err := catalogueOf(pkg)
	return c.names, err
}

func catalogueOf(pkg string) (catalogue, error) {
	c, ok := functions.Load(pkg)
	if !ok {
		return catalogue{}, &NotTracedError{Package: pkg}
	}
	return *c.(*catalogue), nil
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

// bind makes the functions of p known, whose groups are there now.
func bind(p *rt.Package) {
	path, f, err := format.ParseFacility([]byte(p.Table))
	var table []format.Site
	if err == nil {
		_, table, err = format.ParseTable([]byte(p.Table))
	}
	if err != nil {
		recorder.Say("table of package %s: %v", path, err) // the command wrote it
		return
	}
	registry.mu.Lock()
	defer registry.mu.Unlock()
	documentGroups(f.Docs)
	if len(f.Functions) == 0 {
		return // it has comments only
	}
	t := registry.packages[path]
	if t == nil {
		t = &tracedPackage{path: path}
		registry.packages[path] = t
	}
	old, _ := catalogueOf(path)
	n := max(len(old.names), f.First+len(f.Functions))
	c := &catalogue{make([]string, n), make([]Description, n)}
	copy(c.names, old.names)
	copy(c.descriptions, old.descriptions)
	known, ids := make(map[uint32]member), make(map[string]uint32)
	if old := infos.Load(); old != nil {
		maps.Copy(known, *old)
		maps.Copy(ids, *sites.Load())
	}
	for i, fn := range f.Functions {
		m := member{pkg: p, index: fn.Site, id: f.First + i}
		switch fn.Info {
		case format.NotInfo:
			m.group, _ = p.Groups[fn.Group].(*Group)
		case format.InfoEnter:
			m.info, m.point = true, Enter
		case format.InfoExit:
			m.info, m.point = true, Exit
		default:
			m.info = true
		}
		c.names[m.id] = fn.Name
		c.descriptions[m.id] = Description{path, m.id, fn.Name, fn.Doc, m.group, m.point}
		if fn.Site < 0 {
			continue
		}
		if m.group == nil && !m.info {
			recorder.Say("package %s: %s is in %s, which is no group", path, fn.Name, f.Groups[fn.Group])
			continue
		}
		m.function = table[fn.Site].Name
		if m.info {
			known[p.Base+uint32(fn.Site)] = m
		} else {
			ids[m.function] = p.Base + uint32(fn.Site)
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
	functions.Store(path, c)
	sites.Store(&ids)
	infos.Store(&known)
	grow(p.Base + uint32(len(p.Sites)))
	registry.applyTo(t)
}
