package instrument

import (
	"go/ast"
	"go/types"
	"maps"
	"slices"
)

// Tiny is the reason why a function is left out that the compiler would inline.
const Tiny = "tiny: the compiler would inline it"

// findTiny notes for each instrumented function which tiny ones run as part of it: those that it
// calls, and those that they call. Only functions of the same files are known.
func findTiny(e *estimator, funcs []*function) {
	tiny := make(map[*types.Func]*function)
	for _, f := range funcs {
		if f.decl != nil && f.Reason == Tiny {
			if obj, ok := e.info.Defs[f.decl.Name].(*types.Func); ok {
				tiny[obj] = f
			}
		}
	}
	if len(tiny) == 0 {
		return
	}
	instrumented := make(map[ast.Node]bool) // literals, which are functions of their own
	for _, f := range funcs {
		instrumented[f.body] = f.decl == nil && f.Instrumented
	}
	for _, f := range funcs {
		if !f.Instrumented {
			continue
		}
		found := make(map[string]bool)
		var visit func(body *ast.BlockStmt)
		visit = func(body *ast.BlockStmt) {
			ast.Inspect(body, func(n ast.Node) bool {
				if lit, ok := n.(*ast.FuncLit); ok && instrumented[lit.Body] {
					return false
				}
				if call, ok := n.(*ast.CallExpr); ok {
					if t := tiny[e.callee(ast.Unparen(call.Fun))]; t != nil && !found[t.Name] {
						found[t.Name] = true
						visit(t.body)
					}
				}
				return true
			})
		}
		visit(f.body)
		f.tiny = slices.Sorted(maps.Keys(found))
	}
}
