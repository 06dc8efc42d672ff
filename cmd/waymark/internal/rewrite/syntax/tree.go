package syntax

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"iter"
	"path/filepath"
	"slices"
)

// A Tree is a parsed Unit.
type Tree struct {
	Unit   *Unit
	Config *Config
	Fset   *token.FileSet
	Files  []*Source // of Unit.Files, in their order
	Build  []*Source // all that can be compiled together, in the compiler's order
	Info   *types.Info
}

// Parse parses the files of u and checks their types as far as that is possible without the
// packages that they import.
func Parse(u *Unit, c *Config) *Tree {
	t := &Tree{Unit: u, Config: c, Fset: token.NewFileSet()}
	with := make([]*Source, len(u.With))
	for i, f := range u.With {
		with[i] = t.parse(f)
	}
	for _, f := range u.Files {
		src := t.parse(f)
		src.Own = true
		t.Files = append(t.Files, src)
	}
	t.Build = slices.Concat(compileOrder(with), compileOrder(t.Files))
	t.Build = slices.DeleteFunc(t.Build, func(src *Source) bool { return src.AST == nil })
	t.check()
	return t
}

// compileOrder sorts the files of a package as the go command hands them to the compiler: by
// name, those that have passed through cgo last.
func compileOrder(files []*Source) []*Source {
	files = slices.Clone(files)
	slices.SortStableFunc(files, func(a, b *Source) int {
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

// Funcs returns the functions that the files of Build declare, in their order.
func (t *Tree) Funcs() iter.Seq2[*Source, *ast.FuncDecl] {
	return func(yield func(*Source, *ast.FuncDecl) bool) {
		for _, src := range t.Build {
			for _, decl := range src.AST.Decls {
				if fn, ok := decl.(*ast.FuncDecl); ok && !yield(src, fn) {
					return
				}
			}
		}
	}
}
