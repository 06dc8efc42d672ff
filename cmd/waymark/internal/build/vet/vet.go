// Package vet reports mistakes in directives, with the types of all that packages import. The go
// command runs it:
//
//	go vet -vettool=$(which waymark) ./...        # as `waymark vet ./...` does
//	go vet -vettool=$(which waymark) -fix ./...   # mends directives that are nearly right
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

	"github.com/waymark-go/waymark/cmd/waymark/internal/build/library"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/directive"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/syntax"
)

// Analyzer reports mistakes in directives.
var Analyzer = &analysis.Analyzer{
	Name: "waymark",
	Doc:  "report mistakes in waymark's directives and in the use of info functions",
	URL:  "https://github.com/waymark-go/waymark",
	Run:  run,
}

// IsCall reports whether a command line is one with which go vet calls its tool. go vet asks
// for the tool's version or its flags. Or it has the tool check a package, behind flags that it
// passes on.
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
	var own, tests []syntax.File
	directives := false
	for _, f := range pass.Files {
		file := pass.Fset.File(f.FileStart)
		src, err := os.ReadFile(file.Name())
		if err != nil {
			return nil, err
		}
		files[file.Name()] = file
		one := syntax.File{Path: file.Name(), Source: src}
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
	at := func(file string, offset int) token.Pos {
		if f := files[file]; f != nil && offset <= f.Size() {
			return f.Pos(offset)
		}
		return token.NoPos
	}
	imported := imports(pass.Pkg)
	// As builds do it: the package's own files first, and then its tests with those.
	check := func(u *syntax.Unit) {
		if len(u.Files) == 0 {
			return
		}
		mistakes, uses := directive.Check(u, &syntax.Config{Importer: imported, PackageNames: imported.names()})
		for _, d := range mistakes {
			if pos := at(d.File, d.Pos.Offset); pos.IsValid() {
				pass.Report(analysis.Diagnostic{Pos: pos, Message: d.Text, SuggestedFixes: fixes(d, at)})
			}
		}
		for _, use := range uses {
			if pos := at(use.File, use.Pos.Offset); pos.IsValid() {
				if text := wrong(imported, pass.Pkg, path, use); text != "" {
					pass.Reportf(pos, "//waymark:group: %s", text)
				}
			}
		}
	}
	main := pass.Pkg.Name() == "main"
	check(&syntax.Unit{ImportPath: path, Main: main, Files: own})
	check(&syntax.Unit{ImportPath: path, Main: main, Kind: syntax.Test, Files: tests, With: own})
	return nil, nil
}

// fixes returns what mends a mistake, if that is obvious.
func fixes(d directive.Diagnostic, at func(file string, offset int) token.Pos) []analysis.SuggestedFix {
	if d.Fix == (directive.Fix{}) {
		return nil
	}
	edit := analysis.TextEdit{Pos: at(d.File, d.Fix.Start), End: at(d.File, d.Fix.End), NewText: []byte(d.Fix.New)}
	return []analysis.SuggestedFix{{Message: "write " + d.Fix.New, TextEdits: []analysis.TextEdit{edit}}}
}

// packages are packages by import path.
type packages map[string]*types.Package

// imports returns the packages that p imports, directly or not.
func imports(p *types.Package) packages {
	found, seen := make(packages), make(map[*types.Package]bool)
	var visit func(p *types.Package)
	visit = func(p *types.Package) {
		for _, q := range p.Imports() {
			if seen[q] {
				continue
			}
			seen[q] = true
			if path := importPath(q); found[path] == nil {
				found[path] = q
			}
			visit(q)
		}
	}
	visit(p)
	return found
}

// Import implements types.Importer.
func (p packages) Import(path string) (*types.Package, error) {
	if found := p[path]; found != nil {
		return found, nil
	}
	return nil, fmt.Errorf("package %s is not imported", path)
}

func (p packages) names() map[string]string {
	names := make(map[string]string)
	for path, pkg := range p {
		names[path] = pkg.Name()
	}
	return names
}

// importPath returns the path by which a package is imported: that of one which is compiled again
// for a test has the test behind it.
func importPath(p *types.Package) string {
	path, _, _ := strings.Cut(p.Path(), " [")
	return path
}

// wrong says what is wrong with a variable that is taken for a group; nothing if it is one.
func wrong(imported packages, pkg *types.Package, path string, use *directive.Ref) string {
	name := use.Name
	if use.Package != path {
		if pkg = imported[use.Package]; pkg == nil {
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
