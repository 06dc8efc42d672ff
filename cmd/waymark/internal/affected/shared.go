package affected

import (
	"go/ast"
	"go/token"
	"go/types"
)

// variable notes how a declaration uses a variable of a package. stack ends with the identifier.
// The variable is only read if nothing can change by it: neither its value nor what it points to.
func (p *part) variable(key string, stack []ast.Node) {
	p.reads = append(p.reads, key)
	if p.changes(stack) {
		p.writes = append(p.writes, key)
	}
}

// changes climbs from a variable to the whole operand, as in v.f[i], and looks at what is done with it.
func (p *part) changes(stack []ast.Node) bool {
	i := len(stack) - 1
	for ; i > 0; i-- {
		switch up := stack[i-1].(type) {
		case *ast.SelectorExpr:
			if up.Sel == stack[i] {
				continue // of a package: pkg.V
			}
			sel := p.info.Selections[up]
			if sel == nil || sel.Kind() == types.FieldVal {
				continue
			}
			recv := sel.Obj().(*types.Func).Signature().Recv().Type()
			t := p.info.Types[up.X].Type
			if _, ok := types.Unalias(recv).(*types.Pointer); ok {
				return refers(t) || !harmless(t) && !empty(t) // the call takes its address
			}
			return refers(t)
		case *ast.IndexExpr:
			if up.X == stack[i] {
				continue
			}
		case *ast.ParenExpr, *ast.StarExpr, *ast.SliceExpr:
			continue
		}
		break
	}
	if i == 0 {
		return false
	}
	top := stack[i].(ast.Expr)
	switch up := stack[i-1].(type) {
	case *ast.AssignStmt:
		for _, lhs := range up.Lhs {
			if lhs == top {
				return true
			}
		}
	case *ast.IncDecStmt, *ast.SendStmt:
		return true
	case *ast.UnaryExpr:
		if up.Op == token.AND || up.Op == token.ARROW {
			return true
		}
	case *ast.RangeStmt:
		if up.Key == top || up.Value == top {
			return true
		}
		t := p.info.Types[top].Type
		return t == nil || elements(t)
	case *ast.BinaryExpr:
		return false // a comparison, or values without pointers
	case *ast.CallExpr:
		if up.Fun == top {
			return p.made(top)
		}
		if tv := p.info.Types[up.Fun]; tv.IsBuiltin() {
			if id, ok := ast.Unparen(up.Fun).(*ast.Ident); ok && (id.Name == "len" || id.Name == "cap") {
				return false
			}
		}
	}
	return refers(p.info.Types[top].Type)
}

// made reports whether a called variable may hold a function with variables of its own.
func (p *part) made(fun ast.Expr) bool {
	id, ok := fun.(*ast.Ident)
	if sel, isSel := fun.(*ast.SelectorExpr); isSel {
		id, ok = sel.Sel, true
	}
	return !ok || p.closures[keyOf(p.info.Uses[id])]
}

// elements reports whether the elements of a ranged value refer to something.
func elements(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Slice:
		return refers(t.Elem())
	case *types.Array:
		return refers(t.Elem())
	case *types.Map:
		return refers(t.Key()) || refers(t.Elem())
	}
	return refers(t)
}

// refers reports whether a value of the type can be used to change something that others see.
func refers(t types.Type) bool {
	if t == nil {
		return true
	}
	if harmless(t) {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() == types.UnsafePointer || u.Kind() == types.Invalid
	case *types.Pointer:
		return !empty(u.Elem())
	case *types.Array:
		return refers(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if refers(f.Type()) {
				return true
			}
		}
		return false
	case *types.Signature:
		return false
	}
	return true
}

// empty reports whether values of the type have nothing in them, as those of many types that are there
// for their methods.
func empty(t types.Type) bool {
	s, ok := t.Underlying().(*types.Struct)
	return ok && s.NumFields() == 0
}

// harmless reports whether the type is of values that do not change, or of locks.
func harmless(t types.Type) bool {
	if t == nil {
		return false
	}
	switch types.TypeString(t, nil) {
	case "error", "reflect.Type", "*regexp.Regexp", "*time.Location", "*strings.Replacer", "sync.Mutex", "*sync.Mutex", "sync.RWMutex", "*sync.RWMutex":
		return true
	}
	return false
}
