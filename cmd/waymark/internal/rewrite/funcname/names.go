// Package funcname names functions and function literals as runtime.FuncForPC does.
//
//	names := funcname.Of(tree, flow.Of(tree))
//	names.Func(decl)        // example.com/m/p.(*T[...]).M
//	names.Literals[literal] // F.func1.2, with the package's path left out
//
// # Limits
//
// Function literals are counted as the compiler counts them, which skips code that constants make
// dead. The count may be off where it depends on a constant of an imported package. It may be off
// where it depends on whether a range clause over something unknown is over a function (Go 1.27 and
// later). And it may be off behind a method value or an instantiated function in generic code. For
// these the compiler makes literals of its own. In the go command itself, the names of 3 literals
// of 1160 are wrong (TestNames). When a function that isn't instrumented is inlined, the literals
// in it run under longer names, too.
package funcname

import (
	"cmp"
	"go/ast"

	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/flow"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/syntax"
)

// Names are those of the functions in a Tree.
type Names struct {
	Prefix   string // the package's path as it begins all names, with the dot behind it
	Symbols  map[*ast.FuncDecl]Symbol
	Literals map[*ast.FuncLit]string // without Prefix; those that the compiler drops have none

	links map[*ast.FuncDecl]string
}

// Of names the functions in a Tree with the given Flow.
func Of(t *syntax.Tree, f *flow.Flow) *Names {
	symbols := nameFuncs(t)
	return &Names{Prefix(t.Unit), symbols, nameLiterals(t, f, symbols), linkNames(t)}
}

// Own returns the name that a declared function has without //go:linkname directives.
func (n *Names) Own(fn *ast.FuncDecl) string { return n.Prefix + n.Symbols[fn].String() }

// Func returns the name of a declared function.
func (n *Names) Func(fn *ast.FuncDecl) string { return cmp.Or(n.links[fn], n.Own(fn)) }
