package instrument

import (
	"go/ast"
	"go/token"
	"go/types"
	"go/version"

	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/flow"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/syntax"
)

// exits is what the rewriter must know of the ways out of a function. Those
// of literals within it aren't its own.
type exits struct {
	returns  []*ast.ReturnStmt
	deferred bool // report the exit from a deferred call
	end      bool // control can reach the end of the body
	named    bool // results without a name need one, for assignments
	fits     bool // every return has as many results as the function
}

// findExits analyses the body of f and chooses the shape of its rewriting.
func findExits(t *syntax.Tree, f *Func) *exits {
	v := &exitVisitor{
		info:       t.Info,
		results:    f.Type.Results,
		record:     f.Results || f.HasProbes() && count(f.Type.Results) > 0,
		rangeFuncs: hasRangeFuncs(t.Unit, f.Source.AST),
		scopes:     newScopes(f.Type),
		exits:      &exits{fits: true},
	}
	v.list(f.Body.List)
	v.exits.end = !flow.Terminates(t.Info, f.Body.List)
	return v.exits
}

// hasRangeFuncs reports whether the language version of a file may have
// range-over-func loops.
func hasRangeFuncs(u *syntax.Unit, tree *ast.File) bool {
	const since = "go1.23"
	if !version.IsValid(u.GoVersion) || version.Compare(u.GoVersion, since) >= 0 {
		return true
	}
	// A build constraint can choose a newer version for one file.
	return version.Compare(tree.GoVersion, since) >= 0
}

// An exitVisitor walks the statements of one function.
type exitVisitor struct {
	info       *types.Info
	results    *ast.FieldList
	record     bool // the results
	rangeFuncs bool // the language has range-over-func loops
	inRange    int  // loops around that may be over functions
	scopes     *scopes
	exits      *exits
}

func (v *exitVisitor) list(list []ast.Stmt) {
	for _, s := range list {
		v.stmt(s)
	}
}

// block walks statements in a scope of their own. Some of them may be nil.
func (v *exitVisitor) block(stmts ...ast.Stmt) {
	v.scopes.open()
	v.list(stmts)
	v.scopes.close()
}

func (v *exitVisitor) stmt(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.ReturnStmt:
		v.ret(s)
	case *ast.DeferStmt:
		v.exits.deferred = true
	case *ast.DeclStmt:
		v.scopes.declare(s.Decl)
	case *ast.AssignStmt:
		v.scopes.assign(s)
	case *ast.LabeledStmt:
		v.stmt(s.Stmt)
	case *ast.BlockStmt:
		v.block(s.List...)
	case *ast.IfStmt:
		v.block(s.Init, s.Body, s.Else)
	case *ast.ForStmt:
		v.block(s.Init, s.Body)
	case *ast.RangeStmt:
		v.rangeStmt(s)
	case *ast.SwitchStmt:
		v.block(s.Init, s.Body)
	case *ast.TypeSwitchStmt:
		// The symbol of the guard belongs to each clause, which makes no
		// difference here.
		v.block(s.Init, s.Assign, s.Body)
	case *ast.SelectStmt:
		v.block(s.Body)
	case *ast.CaseClause:
		v.block(s.Body...)
	case *ast.CommClause:
		v.scopes.open()
		v.stmt(s.Comm)
		v.list(s.Body)
		v.scopes.close()
	}
}

func (v *exitVisitor) rangeStmt(s *ast.RangeStmt) {
	maybeFunc := v.rangeFuncs && flow.RangeOver(v.info, s) != flow.OverValue
	if maybeFunc {
		v.inRange++
	}
	v.scopes.open()
	if s.Tok == token.DEFINE {
		v.scopes.define(s.Key)
		v.scopes.define(s.Value)
	}
	v.stmt(s.Body)
	v.scopes.close()
	if maybeFunc {
		v.inRange--
	}
}

func (v *exitVisitor) ret(s *ast.ReturnStmt) {
	v.exits.returns = append(v.exits.returns, s)
	if !v.fits(s) {
		v.exits.deferred = true
		v.exits.fits = false
		return
	}
	if !simple(s.Results) || v.record {
		v.exits.named = true
		if v.scopes.shadowed() {
			v.exits.deferred = true
		}
	}
	// The iterator function may do a lot more after such a return, and calls
	// must not end before those that they made.
	if v.inRange > 0 {
		v.exits.deferred = true
	}
}

// fits reports whether a return has as many results as its function, as far
// as the syntax shows. If not, the compiler must see it as it is, to say so;
// with results that we have named it could even become valid.
func (v *exitVisitor) fits(s *ast.ReturnStmt) bool {
	want := v.results.NumFields()
	switch len(s.Results) {
	case want:
		return true
	case 0:
		return len(v.results.List[0].Names) > 0
	case 1:
		_, call := ast.Unparen(s.Results[0]).(*ast.CallExpr)
		return call && want > 0
	}
	return false
}

// simple reports whether nothing happens when the results are evaluated: no
// call, no panic, no time spent. They can then be evaluated after the exit.
func simple(results []ast.Expr) bool {
	for _, e := range results {
		e = ast.Unparen(e)
		if neg, ok := e.(*ast.UnaryExpr); ok && neg.Op == token.SUB {
			if _, ok := neg.X.(*ast.BasicLit); ok {
				continue
			}
		}
		switch e.(type) {
		case *ast.Ident, *ast.BasicLit:
		default:
			return false
		}
	}
	return true
}
