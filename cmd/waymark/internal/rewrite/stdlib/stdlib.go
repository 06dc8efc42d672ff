// Package stdlib knows the standard library as its users see it: its
// declarations, and what a call of each function costs to the compiler's
// inliner.
//
// That saves the reading of the library's source, which would take longer than all other work of
// waymark in a build. The declarations of net/http and of what they refer to take some 25 ms of a
// processor's time. The file declarations.txt holds them as Go source without bodies, comments and
// unexported declarations that no exported one needs. In place of a function's body stands the
// price of a call,
//
//	func (*Buffer) Len() int { 7 }
//
// without which a call costs what calls cost that aren't inlined. Two numbers
// are the prices of two releases, in the order of the file's first line. 0 is
// an intrinsic, which the compiler replaces by instructions. The test writes
// the file: it has the compilers of these releases say what functions cost
// that do nothing but call one of the library's.
//
// Values of constants, prices and the packages themselves are those of
// linux/amd64. Other targets have some other ones.
package stdlib

import (
	_ "embed"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:embed declarations.txt
var declarations string

// A library is the standard library, as far as it was asked for.
type library struct {
	mu       sync.Mutex
	packages map[string]*types.Package
	prices   map[string][]int // by types.Func.FullName, one for each release or one for all
}

var std = newLibrary()

func newLibrary() *library {
	return &library{packages: make(map[string]*types.Package), prices: make(map[string][]int)}
}

// sources finds the declarations of each package, and the releases.
var sources = sync.OnceValues(func() (bySource map[string]string, releases []string) {
	bySource = make(map[string]string)
	first, rest, _ := strings.Cut(declarations, "\n")
	for _, part := range strings.Split("\n"+rest, "\n-- ")[1:] {
		path, source, _ := strings.Cut(part, " --\n")
		bySource[path] = source + "\n"
	}
	return bySource, strings.Fields(first)
})

// Import returns a package of the standard library, or nil if path isn't one that is known.
// Packages may be shared by type checkers that run at the same time.
func Import(path string) *types.Package {
	std.mu.Lock()
	defer std.mu.Unlock()
	return std.load(path)
}

// Has reports whether obj was declared by a package that Import returned.
func Has(obj types.Object) bool {
	std.mu.Lock()
	defer std.mu.Unlock()
	return obj.Pkg() != nil && std.packages[obj.Pkg().Path()] == obj.Pkg()
}

// load imports a package. The errors that it passes over are checked by a test.
func (l *library) load(path string) *types.Package {
	if path == "unsafe" {
		return types.Unsafe
	}
	if pkg, ok := l.packages[path]; ok {
		return pkg
	}
	bySource, _ := sources()
	source, ok := bySource[path]
	if !ok {
		return nil
	}
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, path, source, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	conf := types.Config{Importer: importerFunc(l.load), IgnoreFuncBodies: true, Error: func(error) {}}
	info := &types.Info{Defs: make(map[*ast.Ident]types.Object)}
	pkg, _ := conf.Check(path, fset, []*ast.File{tree}, info)
	l.packages[path] = pkg
	for _, decl := range tree.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && fn.Body != nil {
			if f, ok := info.Defs[fn.Name].(*types.Func); ok {
				l.prices[f.FullName()] = prices(fn.Body)
			}
		}
	}
	return pkg
}

type importerFunc func(path string) *types.Package

func (f importerFunc) Import(path string) (*types.Package, error) {
	if pkg := f(path); pkg != nil {
		return pkg, nil
	}
	pkg := types.NewPackage(path, path[strings.LastIndexByte(path, '/')+1:])
	pkg.MarkComplete()
	return pkg, nil
}

func prices(body *ast.BlockStmt) (list []int) {
	for _, stmt := range body.List {
		if stmt, ok := stmt.(*ast.ExprStmt); ok {
			if lit, ok := stmt.X.(*ast.BasicLit); ok {
				n, _ := strconv.Atoi(lit.Value)
				list = append(list, n)
			}
		}
	}
	return list
}

// Price returns what a call of f costs on top of its nodes in a release such as
// "go1.26.8". It reports false if f isn't known to be inlined.
func Price(f *types.Func, release string) (int, bool) {
	if f.Pkg() == nil {
		return 0, false
	}
	std.mu.Lock()
	defer std.mu.Unlock()
	std.load(f.Pkg().Path())
	list := std.prices[f.FullName()]
	if len(list) == 0 {
		return 0, false
	}
	_, releases := sources()
	i := slices.IndexFunc(releases, func(r string) bool { return release == r || strings.HasPrefix(release, r+".") })
	switch {
	case i >= len(list):
		i = len(list) - 1 // the same in all
	case i < 0 && release == "":
		i = 0
	case i < 0:
		i = len(list) - 1 // another release is rather a newer one
	}
	return list[i], list[i] != notInlined
}

// notInlined is the price of a call that isn't inlined, where another release inlines it.
const notInlined = 57
