package stats

import (
	"github.com/waymark-go/waymark/internal/format"
	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/internal/rt"
)

// A Func is an instrumented function. Functions of this package set these fields:
//
//	Name    string   // as runtime.FuncForPC returns it: example.com/app/store.(*Store).Get
//	Package string   // import path
//	File    string
//	Line    int      // of the keyword func
//	Groups  []string // names of the groups that the function is in, directly or not, sorted
//	Tiny    []string // names of functions that the compiler inlines into this function
//
// The functions in Tiny are not instrumented: their time is this function's own.
type Func = function.Func

// A table is the functions of a package.
type table struct {
	pkg   *rt.Package
	path  string
	sites []format.Site
	vars  []string     // that hold the sites' groups
	tiny  [][]string   // the sites' Func.Tiny
	infos map[int]bool // sites that aren't functions but info functions: they have no calls
}

// newTable reads the table of a package.
func newTable(p *rt.Package) (*table, error) {
	path, sites, err := format.ParseTable([]byte(p.Table))
	if err != nil {
		return nil, err
	}
	_, f, err := format.ParseFacility([]byte(p.Table))
	t := &table{p, path, sites, f.Vars(len(sites)), make([][]string, len(sites)), make(map[int]bool)}
	for i := range sites {
		t.tiny[i] = sites[i].TinyNames()
	}
	for _, fn := range f.Functions {
		if fn.Info != format.NotInfo {
			t.infos[fn.Site] = true
		}
	}
	return t, err
}

// function describes the i-th function.
func (t *table) function(i int, groups *format.GroupIndex) Func {
	site := &t.sites[i]
	f := Func{Name: site.Name, Package: t.path, File: site.File, Line: site.Line, Tiny: t.tiny[i]}
	if t.vars != nil {
		f.Groups = groups.Of(t.vars[i])
	}
	return f
}

// id returns the id of the i-th function's site.
func (t *table) id(i int) uint32 { return t.pkg.Base + uint32(i) }
