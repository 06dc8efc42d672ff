package waymark

import (
	"sort"
	"sync"
	"sync/atomic"

	"github.com/waymark-go/waymark/agent"
	"github.com/waymark-go/waymark/format"
	"github.com/waymark-go/waymark/recorder"
	"github.com/waymark-go/waymark/rt"
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
	group *Group // nil: of info functions
	info  bool
	point TimingPoint
}

// infos are the info functions, by the sites' ids.
var infos atomic.Pointer[map[uint32]member]

// functions has the names of packages' functions by id: []string by import path, never
// changed. Monitors ask for names all the time.
var functions sync.Map

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
