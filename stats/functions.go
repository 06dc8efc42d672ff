package stats

import (
	"fmt"

	"github.com/waymark-go/waymark/internal/format"
	"github.com/waymark-go/waymark/internal/rt"
)

// A Function is an instrumented function.
type Function struct {
	Name    string   `json:"name"`    // as runtime.FuncForPC gives it
	Package string   `json:"package"` // import path
	File    string   `json:"file"`
	Line    int      `json:"line"`             // of the func keyword
	Groups  []string `json:"groups,omitempty"` // names of those that it is in, directly or not, sorted

	// Tiny are the names of functions that run as part of its calls and weren't instrumented, because the
	// compiler inlines them: their time is this one's own.
	Tiny []string `json:"tiny,omitempty"`
}

func (f Function) String() string { return fmt.Sprintf("%s (%s:%d)", f.Name, f.File, f.Line) }

// A table is the functions of a package.
type table struct {
	pkg   *rt.Package
	path  string
	sites []format.Site
	vars  []string     // that hold the sites' groups
	tiny  [][]string   // the sites' Function.Tiny
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
func (t *table) function(i int, groups *format.GroupIndex) Function {
	site := &t.sites[i]
	f := Function{Name: site.Name, Package: t.path, File: site.File, Line: site.Line, Tiny: t.tiny[i]}
	if t.vars != nil {
		f.Groups = groups.Of(t.vars[i])
	}
	return f
}

// id gives the id of the i-th function's site.
func (t *table) id(i int) uint32 { return t.pkg.Base + uint32(i) }
