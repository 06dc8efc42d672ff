package inlinecost

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/stdlib"
)

// Slow reports whether a function, however small, may take long: it waits, or
// it calls others in a loop. What happens then must not look like its caller's
// own work. The function literals in it are others.
func (e *Estimator) Slow(body *ast.BlockStmt) bool {
	s := &slowness{Estimator: e}
	ast.Walk(s, body)
	return s.found
}

// A slowness looks for what takes long in a function's body.
type slowness struct {
	*Estimator
	loop  bool // what is visited is in a loop
	found bool
}

func (s *slowness) Visit(n ast.Node) ast.Visitor {
	if s.found {
		return nil
	}
	switch n := n.(type) {
	case *ast.FuncLit:
		return nil
	case *ast.SendStmt:
		s.found = true
	case *ast.UnaryExpr:
		s.found = n.Op == token.ARROW
	case *ast.SelectStmt:
		s.selects(n)
		return nil
	case *ast.ForStmt:
		s.walk(s.loop, n.Init)
		s.walk(true, n.Cond, n.Post, n.Body)
		return nil
	case *ast.RangeStmt:
		if t := s.info.TypeOf(n.X); t != nil {
			_, s.found = t.Underlying().(*types.Chan)
		}
		s.walk(s.loop, n.X)
		s.walk(true, n.Body)
		return nil
	case *ast.CallExpr:
		s.found = waits(s.Callee(n.Fun)) || s.loop && s.calls(n)
	}
	if s.found {
		return nil
	}
	return s
}

func (s *slowness) walk(loop bool, nodes ...ast.Node) {
	inner := &slowness{Estimator: s.Estimator, loop: loop}
	for _, n := range nodes {
		if n != nil {
			ast.Walk(inner, n)
		}
	}
	s.found = s.found || inner.found
}

// selects visits a select. It waits if it has no default.
func (s *slowness) selects(n *ast.SelectStmt) {
	waits := true
	for _, stmt := range n.Body.List {
		clause := stmt.(*ast.CommClause)
		waits = waits && clause.Comm != nil
		switch comm := clause.Comm.(type) { // what is evaluated, apart from the operation itself
		case *ast.SendStmt:
			s.walk(s.loop, comm.Chan, comm.Value)
		case *ast.ExprStmt:
			s.walk(s.loop, received(comm.X))
		case *ast.AssignStmt:
			s.walk(s.loop, received(comm.Rhs[0]))
		}
		for _, stmt := range clause.Body {
			s.walk(s.loop, stmt)
		}
	}
	s.found = s.found || waits
}

// received returns the channel that a clause of a select receives from.
func received(x ast.Expr) ast.Expr {
	if u, ok := ast.Unparen(x).(*ast.UnaryExpr); ok {
		return u.X
	}
	return x
}

// calls reports whether a call, or a call in what it is inlined to, stays a call.
func (e *Estimator) calls(call *ast.CallExpr) bool {
	fun := ast.Unparen(call.Fun)
	if e.info.Types[fun].IsType() || e.builtin(fun) != "" {
		return false
	}
	f := e.Callee(fun)
	if f == nil {
		return true
	}
	if e.decls[f] != nil {
		return !e.declared(f).Inlines() || e.bodyCalls(f)
	}
	price, ok := stdlib.Price(f, e.toolchain)
	return !ok || price >= costCall
}

// bodyCalls reports whether there is a call in the body of a function of the package.
func (e *Estimator) bodyCalls(f *types.Func) bool {
	if found, ok := e.calling[f]; ok {
		return found
	}
	e.calling[f] = true // a recursive call stays one
	found := false
	ast.Inspect(e.decls[f].Body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && !found {
			found = e.calls(call)
		}
		return !found
	})
	e.calling[f] = found
	return found
}

// Packages whose functions ask the operating system or another machine for something where
// they return an error.
var failing = map[string]bool{
	"database/sql": true, "io": true, "net": true, "net/http": true, "net/rpc": true, "net/smtp": true,
	"os": true, "os/exec": true, "syscall": true,
}

// waits reports whether f is a function of the standard library that is known to wait. It
// may wait for time to pass, for another goroutine, or for input and output.
func waits(f *types.Func) bool {
	if f == nil || f.Pkg() == nil {
		return false
	}
	switch path, name := f.Pkg().Path(), f.Name(); {
	case path == "time":
		return name == "Sleep"
	case path == "sync":
		return name == "Lock" || name == "RLock" || name == "Wait"
	case path == "io" && (strings.HasSuffix(name, "Byte") || strings.HasSuffix(name, "Rune")):
		return false // from memory, mostly
	case failing[path]:
		results := f.Signature().Results()
		return results.Len() > 0 && types.Identical(results.At(results.Len()-1).Type(), types.Universe.Lookup("error").Type())
	}
	return false
}
