package flow

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/syntax"
)

// A Flow knows the control flow of the functions in a Tree.
type Flow struct {
	info      *types.Info
	constants *constants
	returns   map[*ast.BranchStmt]bool // become returns, see branchesOutOfRange
}

// Of returns the Flow of a Tree.
func Of(t *syntax.Tree) *Flow {
	return &Flow{t.Info, newConstants(t), branchesOutOfRange(t.Info, t.Build)}
}

// LiveStmts returns the statements of a list to which control can come. The
// list isn't cut before a label, for a goto may lead there.
func (f *Flow) LiveStmts(list []ast.Stmt) []ast.Stmt {
	lastLabel := -1
	for i, stmt := range list {
		if _, ok := stmt.(*ast.LabeledStmt); ok {
			lastLabel = i
		}
	}
	for i, stmt := range list {
		if i >= lastLabel && f.endsList(stmt) {
			return list[:i+1]
		}
	}
	return list
}

// endsList reports whether the compiler takes what follows stmt in a list to
// be dead. It sees less than the language's rule for terminating statements.
func (f *Flow) endsList(stmt ast.Stmt) bool {
	switch stmt := stmt.(type) {
	case *ast.BranchStmt:
		return stmt.Tok == token.GOTO || f.returns[stmt]
	case *ast.ReturnStmt:
		return true
	case *ast.ExprStmt:
		return callsPanic(f.info, stmt.X)
	case *ast.IfStmt:
		value, _ := f.Static(stmt.Cond)
		return (value < 0 || f.endsList(stmt.Body)) && (value > 0 || f.endsList(stmt.Else))
	case *ast.BlockStmt:
		for i := len(stmt.List) - 1; i >= 0; i-- {
			if _, empty := stmt.List[i].(*ast.EmptyStmt); !empty {
				return f.endsList(stmt.List[i])
			}
		}
	}
	return false
}

// LiveClauses returns the clauses of a switch that aren't dropped: all, or
// the one to which constants lead.
func (f *Flow) LiveClauses(stmt *ast.SwitchStmt) []*ast.CaseClause {
	tag := constant.MakeBool(true)
	if stmt.Tag != nil {
		tag = f.constants.value(stmt.Tag)
	}
	var all []*ast.CaseClause
	for _, s := range stmt.Body.List {
		all = append(all, s.(*ast.CaseClause))
	}
	if tag == nil {
		return all
	}
	var target *ast.CaseClause
search:
	for _, clause := range all {
		if clause.List == nil {
			target = clause
		}
		for _, e := range clause.List {
			value := f.constants.value(e)
			if value == nil || value.Kind() != tag.Kind() {
				return all
			}
			if constant.Compare(tag, token.EQL, value) {
				target = clause
				break search
			}
		}
	}
	switch {
	case target == nil:
		return nil
	case hasFallthrough(target.Body):
		return all
	}
	return []*ast.CaseClause{target}
}

func hasFallthrough(body []ast.Stmt) bool {
	if len(body) == 0 {
		return false
	}
	branch, ok := body[len(body)-1].(*ast.BranchStmt)
	return ok && branch.Tok == token.FALLTHROUGH
}

// Static reports whether a condition is always true (positive), always false
// (negative) or not known (0). It also returns what is left of the condition:
// operands that a constant operand makes irrelevant are dropped.
func (f *Flow) Static(cond ast.Expr) (int, ast.Expr) {
	if value := f.constants.value(cond); value != nil && value.Kind() == constant.Bool {
		if constant.BoolVal(value) {
			return +1, cond
		}
		return -1, cond
	}
	e, ok := cond.(*ast.BinaryExpr)
	if !ok || e.Op != token.LAND && e.Op != token.LOR {
		return 0, cond
	}
	// decides is the value of an operand that decides the whole.
	decides := -1
	if e.Op == token.LOR {
		decides = +1
	}
	x, left := f.Static(e.X)
	if x == decides {
		return x, left
	}
	y, right := f.Static(e.Y)
	if x == -decides || y == decides {
		if f.info.Types[e.X].Value != nil {
			return y, right
		}
		return y, cond
	}
	return 0, cond
}

// callsPanic reports whether expr is a call of the predeclared panic. The type checker
// doesn't look at arguments of what it doesn't know, functions of other packages. There
// callsPanic takes a panic for the predeclared one. Otherwise code inserted behind a
// panic would need a return.
func callsPanic(info *types.Info, expr ast.Expr) bool {
	call, ok := ast.Unparen(expr).(*ast.CallExpr)
	if !ok {
		return false
	}
	id, ok := ast.Unparen(call.Fun).(*ast.Ident)
	if !ok || id.Name != "panic" {
		return false
	}
	obj, known := info.Uses[id]
	_, builtin := obj.(*types.Builtin)
	return builtin || !known
}
