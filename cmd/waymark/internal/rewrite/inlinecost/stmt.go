package inlinecost

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/flow"
)

// A counter adds up the cost of one function. Each node of the tree that the
// compiler makes of the function costs one, with the exceptions that the
// inliner makes. A nil type, or an invalid one, is not known, and costs as if
// it needed no conversion.
type counter struct {
	*Estimator
	params    []types.Object
	results   []types.Type
	inlinable bool
}

func (c *counter) stmts(list []ast.Stmt) int {
	cost := 0
	for _, s := range c.flow.LiveStmts(list) {
		cost += c.stmt(s)
	}
	return cost
}

func (c *counter) stmt(s ast.Stmt) int {
	switch s := s.(type) {
	case *ast.AssignStmt:
		return c.assign(s)
	case *ast.BlockStmt:
		return c.stmts(s.List)
	case *ast.BranchStmt:
		if s.Tok == token.FALLTHROUGH {
			return 0
		}
		return 1
	case *ast.DeclStmt:
		return c.varDecl(s.Decl)
	case *ast.DeferStmt, *ast.GoStmt:
		c.inlinable = false
		return 1 + c.expr(deferred(s))
	case *ast.ExprStmt:
		return c.expr(s.X)
	case *ast.ForStmt:
		return c.forStmt(s)
	case *ast.IfStmt:
		return c.ifStmt(s)
	case *ast.IncDecStmt:
		return 2 + c.expr(s.X)
	case *ast.LabeledStmt:
		return 1 + c.stmt(s.Stmt)
	case *ast.RangeStmt:
		return c.rangeStmt(s)
	case *ast.ReturnStmt:
		return c.ret(s)
	case *ast.SelectStmt:
		return 1 + c.clauses(s.Body, 0)
	case *ast.SendStmt:
		elem := c.elem(s.Chan)
		return 1 + c.expr(s.Chan) + c.convert(s.Value, elem)
	case *ast.SwitchStmt:
		return c.switchStmt(s)
	case *ast.TypeSwitchStmt:
		return c.typeSwitch(s)
	}
	return 0
}

// declare costs a name at the left of an assignment that may declare it. A new
// variable has a declaration node with a name of its own.
func (c *counter) declare(lhs ast.Expr, declares bool) int {
	if id, ok := lhs.(*ast.Ident); ok {
		if declares && id.Name != "_" && c.info.Defs[id] != nil {
			return 3
		}
		return 1
	}
	return c.expr(lhs)
}

func (c *counter) assign(s *ast.AssignStmt) int {
	cost := 1
	for _, lhs := range s.Lhs {
		cost += c.declare(lhs, s.Tok == token.DEFINE)
	}
	for i, rhs := range s.Rhs {
		if len(s.Rhs) == len(s.Lhs) && s.Tok == token.ASSIGN {
			cost += c.convert(rhs, c.info.TypeOf(s.Lhs[i]))
		} else {
			cost += c.expr(rhs)
		}
	}
	return cost
}

func (c *counter) varDecl(decl ast.Decl) int {
	gen, ok := decl.(*ast.GenDecl)
	if !ok || gen.Tok != token.VAR {
		return 0
	}
	cost := 0
	for _, spec := range gen.Specs {
		spec, ok := spec.(*ast.ValueSpec)
		if !ok {
			continue
		}
		cost++
		for _, name := range spec.Names {
			cost += c.declare(name, true)
		}
		for _, value := range spec.Values {
			if spec.Type != nil {
				cost += c.convert(value, c.info.TypeOf(spec.Type))
			} else {
				cost += c.expr(value)
			}
		}
	}
	return cost
}

func (c *counter) ifStmt(s *ast.IfStmt) int {
	cost := c.stmt(s.Init)
	value, cond := c.flow.Static(s.Cond)
	if value == 0 {
		cost += 1 + c.expr(cond)
	}
	if value >= 0 {
		cost += c.stmts(s.Body.List)
	}
	if value <= 0 {
		cost += c.stmt(s.Else)
	}
	return cost
}

func (c *counter) forStmt(s *ast.ForStmt) int {
	cost := 1 + c.stmt(s.Init)
	if s.Cond != nil {
		if value, _ := c.flow.Static(s.Cond); value < 0 {
			return cost - 1
		}
		cost += c.expr(s.Cond)
	}
	return cost + c.stmt(s.Post) + c.stmts(s.Body.List)
}

func (c *counter) rangeStmt(s *ast.RangeStmt) int {
	cost := 1 + c.expr(s.X) + c.stmts(s.Body.List)
	for _, e := range []ast.Expr{s.Key, s.Value} {
		if e != nil {
			cost += c.declare(e, s.Tok == token.DEFINE)
		}
	}
	if flow.RangeOver(c.info, s) == flow.OverFunc {
		// The loop becomes a literal, a call with it, and a state variable
		// that is set and checked around each.
		cost += costCall + costClosure + 20
	}
	return cost
}

func (c *counter) ret(s *ast.ReturnStmt) int {
	cost := 1
	if len(s.Results) == 1 && len(c.results) > 1 {
		return cost + c.expr(s.Results[0]) + spread(len(c.results))
	}
	for i, e := range s.Results {
		if i < len(c.results) {
			cost += c.convert(e, c.results[i])
		}
	}
	return cost
}

// spread is the cost of passing on the n results of a call. They are assigned
// to new variables, which are then named in the call's place.
func spread(n int) int {
	return 1 + 3*n + n
}

func (c *counter) switchStmt(s *ast.SwitchStmt) int {
	cost := 1 + c.stmt(s.Init)
	if s.Tag != nil {
		cost += c.expr(s.Tag)
	}
	for _, clause := range c.flow.LiveClauses(s) {
		cost += c.clause(clause, 0)
	}
	return cost
}

func (c *counter) typeSwitch(s *ast.TypeSwitchStmt) int {
	cost := 1 + c.stmt(s.Init)
	symbol := 0
	switch guard := s.Assign.(type) {
	case *ast.AssignStmt: // the symbol is a name here and in each clause
		symbol = 1
		cost += symbol + c.exprs(guard.Rhs)
	case *ast.ExprStmt:
		cost += c.expr(guard.X)
	}
	return cost + c.clauses(s.Body, symbol)
}

// clauses costs the clauses of a switch or select, with something extra for
// each.
func (c *counter) clauses(body *ast.BlockStmt, extra int) int {
	cost := 0
	for _, s := range body.List {
		cost += c.clause(s, extra)
	}
	return cost
}

func (c *counter) clause(s ast.Stmt, extra int) int {
	cost := 1 + extra
	switch s := s.(type) {
	case *ast.CaseClause:
		for _, e := range s.List {
			cost += c.expr(e)
		}
		cost += c.stmts(s.Body)
	case *ast.CommClause:
		cost += c.comm(s.Comm) + c.stmts(s.Body)
	}
	return cost
}

// comm costs what a clause of a select waits for. A receive assigns two values, be they asked for
// or not.
func (c *counter) comm(s ast.Stmt) int {
	cost := c.stmt(s)
	switch s := s.(type) {
	case *ast.ExprStmt:
		cost += 3
	case *ast.AssignStmt:
		cost++
		if len(s.Lhs) == 2 {
			cost += 8 // by way of variables
		}
	}
	return cost
}

// deferred returns the call of a go or defer statement.
func deferred(s ast.Stmt) *ast.CallExpr {
	if s, ok := s.(*ast.GoStmt); ok {
		return s.Call
	}
	return s.(*ast.DeferStmt).Call
}
