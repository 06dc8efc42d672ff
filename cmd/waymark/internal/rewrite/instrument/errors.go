package instrument

import (
	"go/ast"
	"go/types"
)

// returnsError reports whether the last result of a function is of the predeclared type error, by
// whatever name. An alias is the same type, and another interface type with the same methods is
// not. It knows nothing of aliases that other units declare, those of packages outside of the
// standard library.
func returnsError(info *types.Info, typ *ast.FuncType) bool {
	if count(typ.Results) == 0 {
		return false
	}
	last := typ.Results.List[len(typ.Results.List)-1]
	t := info.TypeOf(last.Type)
	return t != nil && types.Identical(t, types.Universe.Lookup("error").Type())
}

// returned returns the error that a return of f returns; empty if there is none. The error is an
// expression that is evaluated where the exit is reported. Without a statement it is the result's
// variable. Results that are computed have been assigned to the variables by then.
func (w *rewriter) returned(f *Func, ret *ast.ReturnStmt) string {
	if !f.fails {
		return ""
	}
	if ret != nil && len(ret.Results) > 0 {
		id, ok := ast.Unparen(ret.Results[len(ret.Results)-1]).(*ast.Ident)
		if ok && w.info.Uses[id] == types.Universe.Lookup("nil") {
			return ""
		}
		if simple(ret.Results) && !f.needsResults() {
			if !ok {
				return "" // a literal is no error: the compiler is to say so
			}
			return id.Name
		}
	}
	variables := w.variables(f.Type.Results, w.result)
	given := valueNames(f.Type.Results)
	last := len(variables) - 1
	if given[last] == "_" && !f.exits.named && !f.needsResults() && !f.exits.deferred {
		return "" // it has no name, and nothing assigns to it
	}
	return variables[last]
}
