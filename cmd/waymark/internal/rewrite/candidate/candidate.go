// Package candidate lists the functions of a package that may be instrumented, and says which
// never are:
//
//	own, with := candidate.List(tree, flow.Of(tree))
//	for _, f := range own {
//		fmt.Println(f.Name, f.Line, f.Never) // example.com/m/p.F 12 //go:nosplit
//	}
//
// # What is never rewritten
//
// Never rewritten are functions without a body, and functions named _, which nothing can call. Nor
// are functions with directives that forbid growing the stack or write barriers (//go:nosplit,
// //go:systemstack and their like), since the hooks may do both. Nor is what the cgo command has
// generated. Nor are the few functions of the standard library that run while the world is
// stopped, on the system stack, or between fork and exec. Packages that package runtime imports
// can't import it; to leave them out is up to the caller.
package candidate

import (
	"cmp"
	"go/ast"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/flow"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/funcname"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/syntax"
	"github.com/waymark-go/waymark/internal/function"
)

// A Func is a function, a method or a function literal with its syntax. Literals that the compiler
// drops, because control can't reach them, aren't Funcs.
type Func struct {
	// The position is that of the func keyword, with //line directives applied as the compiler
	// does. Fields about groups are package directive's.
	function.Func

	// Recv and Base are parts of the name for matching: the receiver's type without star and type
	// parameters, and the function's own name. A literal has those of the declared function that
	// it stands in, with the rest of its name in Base ("F.func1.2").
	Recv, Base string

	Never string // why it can't be instrumented; empty if it can

	Source *syntax.Source
	Decl   *ast.FuncDecl // nil of a literal
	Lit    *ast.FuncLit  // nil of a declared function
	Type   *ast.FuncType
	Body   *ast.BlockStmt // nil if it has none
	Within *Func          // of a literal: the declared function that it stands in, if any
}

// List returns the functions of the unit's own files, in source order. Each literal is behind the
// declaration that it stands in. with are the declared functions of the files that are compiled
// with those.
func List(t *syntax.Tree, fl *flow.Flow) (own, with []*Func) {
	l := &lister{tree: t, names: funcname.Of(t, fl), forked: betweenForkAndExec(t)}
	for _, src := range t.Build {
		pragmas := src.Pragmas()
		for _, decl := range src.AST.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			switch {
			case ok && src.Own:
				f := l.declared(src, fn, pragmas[fn])
				l.add(f)
				l.literals(src, fn, f)
			case ok:
				with = append(with, l.declared(src, fn, pragmas[fn]))
			case src.Own:
				l.literals(src, decl, nil)
			}
		}
	}
	return l.funcs, with
}

// A lister gathers the functions of a Tree.
type lister struct {
	tree   *syntax.Tree
	names  *funcname.Names
	forked map[*ast.FuncDecl]bool
	funcs  []*Func
}

func (l *lister) add(f *Func) {
	pos := l.tree.Fset.Position(f.Type.Func)
	f.File, f.Line = pos.Filename, pos.Line
	f.Package = l.tree.Unit.ImportPath
	f.Never = cmp.Or(f.Never, f.Source.Reason)
	l.funcs = append(l.funcs, f)
}

func (l *lister) declared(src *syntax.Source, fn *ast.FuncDecl, pragmas []string) *Func {
	symbol := l.names.Symbols[fn]
	f := &Func{Source: src, Decl: fn, Type: fn.Type, Body: fn.Body, Recv: symbol.Recv, Base: symbol.Base}
	f.Name = l.names.Func(fn)
	switch {
	case fn.Body == nil:
		f.Never = "no body"
	case fn.Name.Name == "_":
		f.Never = "blank function"
	case l.forked[fn]:
		f.Never = forked
	default:
		f.Never = cmp.Or(forbidding(pragmas), unfit[l.names.Own(fn)])
	}
	return f
}

// literals adds the function literals in a declaration, which is that of parent or of variables.
// Literals without a name don't reach the program.
func (l *lister) literals(src *syntax.Source, decl ast.Decl, parent *Func) {
	ast.Inspect(decl, func(n ast.Node) bool {
		lit, ok := n.(*ast.FuncLit)
		if !ok {
			return true
		}
		name, ok := l.names.Literals[lit]
		if !ok {
			return false
		}
		f := &Func{Source: src, Lit: lit, Type: lit.Type, Body: lit.Body, Within: parent, Base: name}
		f.Name = l.names.Prefix + name
		if parent != nil {
			f.Recv = parent.Recv
			if parent.Never == forked {
				f.Never = forked
			}
			f.Base = parent.Base + strings.TrimPrefix(name, l.names.Symbols[parent.Decl].String())
		}
		l.add(f)
		return true
	})
}

// Local returns the function's name in its package, as patterns and tracing know it: Type.Method.
func (f *Func) Local() string {
	if f.Recv == "" {
		return f.Base
	}
	return f.Recv + "." + f.Base
}

// Params returns the receiver and the parameters of f.
func (f *Func) Params() *ast.FieldList {
	if f.Decl == nil || f.Decl.Recv == nil {
		return f.Type.Params
	}
	all := *f.Type.Params
	all.List = append(append([]*ast.Field(nil), f.Decl.Recv.List...), all.List...)
	return &all
}
