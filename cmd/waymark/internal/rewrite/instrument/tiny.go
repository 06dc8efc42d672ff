package instrument

import (
	"go/ast"
	"go/types"
	"maps"
	"slices"

	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/inlinecost"
)

// findTiny notes for each instrumented function which tiny ones run as part of it: those that it
// calls, and those that they call. Only functions of the same files are known.
func findTiny(e *inlinecost.Estimator, info *types.Info, funcs []*Func) {
	tiny := make(map[*types.Func]*Func)
	for _, f := range funcs {
		if f.Decl != nil && f.Reason == Tiny {
			if obj, ok := info.Defs[f.Decl.Name].(*types.Func); ok {
				tiny[obj] = f
			}
		}
	}
	if len(tiny) == 0 {
		return
	}
	instrumented := make(map[ast.Node]bool) // literals, which are functions of their own
	for _, f := range funcs {
		instrumented[f.Body] = f.Decl == nil && f.Instrument
	}
	for _, f := range funcs {
		if !f.Instrument {
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
					if t := tiny[e.Callee(ast.Unparen(call.Fun))]; t != nil && !found[t.Name] {
						found[t.Name] = true
						visit(t.Body)
					}
				}
				return true
			})
		}
		visit(f.Body)
		f.Tiny = slices.Sorted(maps.Keys(found))
	}
}
