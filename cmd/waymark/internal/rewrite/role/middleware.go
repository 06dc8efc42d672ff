package role

import (
	"go/ast"
	"slices"

	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/candidate"
)

// HandsOn reports whether a function literal is middleware or an adapter: it hands all its parameters on to a call, or
// the request to a function that the function around it got, or calls a method that libraries have for it.
func HandsOn(f *candidate.Func) (found bool) {
	names, around := namesOf(f.Type), []string(nil)
	if f.Within != nil {
		around = namesOf(f.Within.Type)
	}
	is := func(e ast.Expr, name string) bool {
		id, ok := ast.Unparen(e).(*ast.Ident)
		return ok && id.Name == name
	}
	ast.Inspect(f.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(names) == 0 {
			return !found
		}
		if slices.EqualFunc(call.Args, names, is) {
			found = true
		}
		switch fun := call.Fun.(type) {
		case *ast.Ident:
			request := func(arg ast.Expr) bool { return is(arg, names[len(names)-1]) }
			found = found || slices.Contains(around, fun.Name) && slices.ContainsFunc(call.Args, request)
		case *ast.SelectorExpr:
			serves := fun.Sel.Name == "ServeHTTP" && len(call.Args) == len(names) // perhaps of another writer
			goesOn := fun.Sel.Name == "Next" && is(fun.X, names[0])               // gin, fiber
			found = found || serves || goesOn
		}
		return !found
	})
	return found
}

// namesOf returns the names of parameters.
func namesOf(t *ast.FuncType) (names []string) {
	for _, field := range t.Params.List {
		for _, id := range field.Names {
			names = append(names, id.Name)
		}
	}
	return names
}
