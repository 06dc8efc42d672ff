package instrument

import (
	"go/ast"
	"go/types"
	"slices"
)

// infoCalls reports uses of info functions from where they would tell nobody anything: calls from functions that
// aren't traced, and all that isn't a call. A call from a literal is one of the function that it stands in.
func (d *directives) infoCalls(funcs, with []*function) {
	byName := make(map[*ast.Ident]*function)
	for _, list := range [][]*function{with, funcs} {
		for _, f := range list {
			if f.info {
				byName[f.decl.Name] = f
			}
		}
	}
	if len(byName) == 0 {
		return
	}
	d.infos = make(map[types.Object]*function)
	for id, obj := range d.unit.info.Defs {
		if f := byName[id]; f != nil && obj != nil {
			d.infos[obj] = f
		}
	}
	declared := make(map[*ast.FuncDecl]*function)
	for _, f := range funcs {
		if f.decl != nil {
			declared[f.decl] = f
		}
	}
	for _, src := range d.files {
		if src.tree == nil {
			continue
		}
		for _, decl := range src.tree.Decls {
			fn, _ := decl.(*ast.FuncDecl)
			d.usesIn(decl, declared[fn])
		}
	}
}

// usesIn reports the uses of info functions in a declaration, which is that of f or of no function.
func (d *directives) usesIn(decl ast.Decl, f *function) {
	wrong := func(at ast.Node, info *function, text string) {
		d.errors = append(d.errors, Diagnostic{d.place(at.Pos()), info.decl.Name.Name + " is an info function" + text})
	}
	called := make(map[*ast.Ident]bool)
	ast.Inspect(decl, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			id := calleeName(n)
			info := d.infos[origin(d.unit.info.Uses[id])]
			if id == nil || info == nil {
				break
			}
			called[id] = true
			switch {
			case f == nil:
				wrong(n, info, ", and called by no function")
			case f.group == nil && !d.meantForGroup(f):
				wrong(n, info, ", and "+f.decl.Name.Name+", which calls it, is in no group")
			}
		case *ast.Ident:
			if info := d.infos[origin(d.unit.info.Uses[n])]; info != nil && !called[n] {
				wrong(n, info, ": it can only be called")
			}
		}
		return true
	})
}

// meantForGroup tells whether a directive puts f into a group, if a mistaken one.
func (d *directives) meantForGroup(f *function) bool {
	return slices.ContainsFunc(d.funcs[f.decl], func(one *directive) bool { return one.word == "trace" })
}

// calleeName gives the name of what a call calls, nil if it has none.
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

// origin gives the declared function of an instance.
func origin(obj types.Object) types.Object {
	if f, ok := obj.(*types.Func); ok {
		return f.Origin()
	}
	return obj
}
