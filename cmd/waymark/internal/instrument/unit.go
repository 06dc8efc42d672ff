package instrument

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
)

// A unit is a parsed group.
type unit struct {
	group *Group
	opts  *Options
	fset  *token.FileSet
	files []*source // Group.Files, in their order
	build []*source // all that can be compiled together, in the compiler's order
	info  *types.Info

	constants *constants
	symbols   map[*ast.FuncDecl]symbol
}

// load parses the files of g and checks their types as far as that is
// possible without what they import.
func load(g *Group, o *Options) *unit {
	u := &unit{group: g, opts: o, fset: token.NewFileSet()}
	with := make([]*source, len(g.With))
	for i, f := range g.With {
		with[i] = u.parse(f)
	}
	for _, f := range g.Files {
		src := u.parse(f)
		src.own = true
		u.files = append(u.files, src)
	}
	u.build = slices.Concat(compileOrder(with), compileOrder(u.files))
	u.build = slices.DeleteFunc(u.build, func(src *source) bool { return src.tree == nil })
	u.check()
	u.constants = newConstants(u)
	u.symbols = nameFuncs(u)
	return u
}

// compileOrder sorts the files of a package as the go command hands them to
// the compiler: by name, those that have passed through cgo last.
func compileOrder(files []*source) []*source {
	files = slices.Clone(files)
	slices.SortStableFunc(files, func(a, b *source) int {
		if a.Cgo != b.Cgo {
			if b.Cgo {
				return -1
			}
			return 1
		}
		return cmp.Compare(filepath.Base(a.Path), filepath.Base(b.Path))
	})
	return files
}

// library returns the path of the package with type Group.
func (o *Options) library() string {
	return cmp.Or(o.Library, libraryPath)
}

// runtime returns the path of the package with the hooks.
func (o *Options) runtime() string {
	return cmp.Or(o.Runtime, "runtime")
}
