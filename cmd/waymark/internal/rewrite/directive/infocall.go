package directive

import (
	"go/ast"
	"go/types"
	"slices"

	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/candidate"
)

// infoCalls reports uses of info functions from where they would tell nobody anything: calls from
// functions that aren't traced, and all that isn't a call. A call from a literal is one of the
// function that it stands in.
func (r *reader) infoCalls(funcs, with []*candidate.Func) {
	byName := make(map[*ast.Ident]*candidate.Func)
	for _, list := range [][]*candidate.Func{with, funcs} {
		for _, f := range list {
			if r.marks[f].IsInfo() {
				byName[f.Decl.Name] = f
			}
		}
	}
	if len(byName) == 0 {
		return
	}
	r.infos = make(map[types.Object]*candidate.Func)
	for id, obj := range r.tree.Info.Defs {
		if f := byName[id]; f != nil && obj != nil {
			r.infos[obj] = f
		}
	}
	declared := make(map[*ast.FuncDecl]*candidate.Func)
	for _, f := range funcs {
		if f.Decl != nil {
			declared[f.Decl] = f
		}
	}
	for _, src := range r.tree.Files {
		if src.AST == nil {
			continue
		}
		for _, decl := range src.AST.Decls {
			fn, _ := decl.(*ast.FuncDecl)
			r.usesIn(decl, declared[fn])
		}
	}
}

// usesIn reports the uses of info functions in a declaration, which is that of f or of no function.
func (r *reader) usesIn(decl ast.Decl, f *candidate.Func) {
	wrong := func(at ast.Node, info *candidate.Func, text string) {
		r.wrongAt(at.Pos(), info.Decl.Name.Name+" is an info function"+text)
	}
	called := make(map[*ast.Ident]bool)
	ast.Inspect(decl, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			id := calleeName(n)
			info := r.infos[origin(r.tree.Info.Uses[id])]
			if id == nil || info == nil {
				break
			}
			called[id] = true
			switch {
			case f == nil:
				wrong(n, info, ", and called by no function")
			case !r.marks[f].InGroup() && !r.meantForGroup(f):
				wrong(n, info, ", and "+f.Decl.Name.Name+", which calls it, is in no group")
			}
		case *ast.Ident:
			if info := r.infos[origin(r.tree.Info.Uses[n])]; info != nil && !called[n] {
				wrong(n, info, ": it can only be called")
			}
		}
		return true
	})
}

// meantForGroup reports whether a directive puts f into a group, if a mistaken one.
func (r *reader) meantForGroup(f *candidate.Func) bool {
	return slices.ContainsFunc(r.funcs[f.Decl], func(one *comment) bool { return one.kind == "group" })
}

// calleeName returns the name of what a call calls, nil if it has none.
func calleeName(call *ast.CallExpr) *ast.Ident {
	fun := ast.Unparen(call.Fun)
	switch e := fun.(type) {
	case *ast.IndexExpr:
		fun = ast.Unparen(e.X)
	case *ast.IndexListExpr:
		fun = ast.Unparen(e.X)
	}
	switch e := fun.(type) {
	case *ast.Ident:
		return e
	case *ast.SelectorExpr:
		return e.Sel
	}
	return nil
}

// origin returns the declared function of an instance.
func origin(obj types.Object) types.Object {
	if f, ok := obj.(*types.Func); ok {
		return f.Origin()
	}
	return obj
}
