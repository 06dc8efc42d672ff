// Package vet reports mistakes in directives, as `go vet -vettool` runs it: with the types of all that packages import.
package vet

import (
	"bytes"
	"fmt"
	"go/token"
	"go/types"
	"os"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/waymark-go/waymark/cmd/waymark/internal/instrument"
	"github.com/waymark-go/waymark/cmd/waymark/internal/library"
)

// Analyzer reports mistakes in directives.
var Analyzer = &analysis.Analyzer{
	Name: "waymark",
	Doc:  "report mistakes in waymark's directives and in the use of info functions",
	URL:  "https://github.com/waymark-go/waymark",
	Run:  run,
}

// IsCall tells whether a command line is one with which go vet calls its tool: to ask for its version or its
// flags, or to check a package, behind flags that it passes on.
func IsCall(args []string) bool {
	if len(args) == 0 || !strings.HasPrefix(args[0], "-") {
		return len(args) == 1 && strings.HasSuffix(args[0], ".cfg")
	}
	return args[0] == "-V=full" || args[0] == "-flags" || strings.HasSuffix(args[len(args)-1], ".cfg")
}

// Main does what go vet calls its tool for. It doesn't return.
func Main() { unitchecker.Main(Analyzer) }

func run(pass *analysis.Pass) (any, error) {
	path, _, _ := strings.Cut(pass.Pkg.Path(), " ")
	files := make(map[string]*token.File)
	var own, tests []instrument.File
	directives := false
	for _, f := range pass.Files {
		file := pass.Fset.File(f.FileStart)
		src, err := os.ReadFile(file.Name())
		if err != nil {
			return nil, err
		}
		files[file.Name()] = file
		one := instrument.File{Path: file.Name(), Source: src}
		if strings.HasSuffix(file.Name(), "_test.go") {
			tests = append(tests, one)
		} else {
			own = append(own, one)
		}
		directives = directives || bytes.Contains(bytes.ToLower(src), []byte("waymark:")) || bytes.Contains(src, []byte("NewGroup("))
	}
	if !directives {
		return nil, nil
	}
	at := func(p instrument.Place) (token.Pos, bool) {
		file := files[p.File]
		if file == nil || p.Pos.Offset > file.Size() {
			return token.NoPos, false
		}
		return file.Pos(p.Pos.Offset), true
	}
	// As builds do it: the package's own files first, and then its tests with those.
	check := func(g *instrument.Group) {
		if len(g.Files) == 0 {
			return
		}
		mistakes, uses := instrument.Check(g, &instrument.Options{Importer: imports{pass.Pkg}, PackageName: imports{pass.Pkg}.name})
		for _, d := range mistakes {
			if pos, ok := at(d.Place); ok {
				pass.Reportf(pos, "%s", d.Text)
			}
		}
		for _, use := range uses {
			if pos, ok := at(use.Place); ok {
				if text := wrong(pass.Pkg, path, use); text != "" {
					pass.Reportf(pos, "//waymark:trace: %s", text)
				}
			}
		}
	}
	main := pass.Pkg.Name() == "main"
	check(&instrument.Group{ImportPath: path, Main: main, Files: own})
	check(&instrument.Group{ImportPath: path, Main: main, Kind: instrument.Test, Files: tests, With: own})
	return nil, nil
}

// imports finds the packages that one imports, directly or not.
type imports struct{ of *types.Package }

// Import implements types.Importer.
func (i imports) Import(path string) (*types.Package, error) {
	seen := make(map[*types.Package]bool)
	var find func(p *types.Package) *types.Package
	find = func(p *types.Package) *types.Package {
		for _, q := range p.Imports() {
			if seen[q] {
				continue
			}
			seen[q] = true
			if importPath(q) == path {
				return q
			}
			if found := find(q); found != nil {
				return found
			}
		}
		return nil
	}
	if p := find(i.of); p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("package %s is not imported", path)
}

// name gives the name of an imported package, empty if there is none.
func (i imports) name(path string) string {
	if p, err := i.Import(path); err == nil {
		return p.Name()
	}
	return ""
}

// importPath gives the path by which a package is imported: that of one which is compiled again for a test has
// the test behind it.
func importPath(p *types.Package) string {
	path, _, _ := strings.Cut(p.Path(), " [")
	return path
}

// wrong says what is wrong with a variable that is taken for a group; nothing if it is one.
func wrong(pkg *types.Package, path string, use instrument.GroupUse) string {
	name := use.Name
	if use.Package != path {
		var err error
		if pkg, err = (imports{pkg}).Import(use.Package); err != nil {
			return "" // the compiler reports that
		}
		name = pkg.Name() + "." + name
	}
	obj := pkg.Scope().Lookup(use.Name)
	if obj == nil {
		return "undefined: " + name
	}
	if v, ok := obj.(*types.Var); ok {
		if p, ok := types.Unalias(v.Type()).(*types.Pointer); ok {
			if n, ok := types.Unalias(p.Elem()).(*types.Named); ok && n.Obj().Name() == "Group" && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == library.Path {
				return ""
			}
		}
	}
	return fmt.Sprintf("%s is of type %s: want a variable that holds a *waymark.Group", name, types.TypeString(obj.Type(), (*types.Package).Name))
}
