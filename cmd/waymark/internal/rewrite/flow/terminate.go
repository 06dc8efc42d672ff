package flow

import (
	"go/ast"
	"go/token"
	"go/types"
)

// Terminates reports whether a list of statements ends in a terminating
// statement, by the rules of the language's specification. Control doesn't
// come to its end then.
func Terminates(info *types.Info, list []ast.Stmt) bool {
	t := terminator{info}
	return t.list(list)
}

type terminator struct {
	info *types.Info
}

func (t terminator) list(list []ast.Stmt) bool {
	for i := len(list) - 1; i >= 0; i-- {
		if _, empty := list[i].(*ast.EmptyStmt); !empty {
			return t.stmt(list[i], "")
		}
	}
	return false
}

// stmt reports whether s, under the given label if any, terminates.
func (t terminator) stmt(s ast.Stmt, label string) bool {
	switch s := s.(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.BranchStmt:
		return s.Tok == token.GOTO
	case *ast.ExprStmt:
		return callsPanic(t.info, s.X)
	case *ast.BlockStmt:
		return t.list(s.List)
	case *ast.LabeledStmt:
		return t.stmt(s.Stmt, s.Label.Name)
	case *ast.IfStmt:
		return s.Else != nil && t.list(s.Body.List) && t.stmt(s.Else, "")
	case *ast.ForStmt:
		return s.Cond == nil && !breaks(s.Body, label)
	case *ast.SwitchStmt:
		return t.clauses(s.Body, label, true)
	case *ast.TypeSwitchStmt:
		return t.clauses(s.Body, label, true)
	case *ast.SelectStmt:
		return t.clauses(s.Body, label, false)
	}
	return false
}

// clauses reports whether all clauses terminate and, where it is needed, one
// of them is the default.
func (t terminator) clauses(body *ast.BlockStmt, label string, needDefault bool) bool {
	hasDefault := false
	for _, s := range body.List {
		var list []ast.Stmt
		switch s := s.(type) {
		case *ast.CaseClause:
			hasDefault = hasDefault || s.List == nil
			list = s.Body
		case *ast.CommClause:
			list = s.Body
		}
		if !t.list(list) && !hasFallthrough(list) {
			return false
		}
	}
	return (hasDefault || !needDefault) && !breaks(body, label)
}

// breaks reports whether a break in the body of a statement leaves that
// statement, which has the given label if any.
func breaks(body *ast.BlockStmt, label string) bool {
	found := false
	var inner func(ast.Node, bool)
	inner = func(node ast.Node, own bool) {
		ast.Inspect(node, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				return false
			case *ast.BranchStmt:
				if n.Tok == token.BREAK {
					found = found || n.Label == nil && own || n.Label != nil && n.Label.Name == label
				}
			case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
				// A break without label in these leaves them only.
				if own {
					inner(n, false)
					return false
				}
			}
			return !found
		})
	}
	inner(body, true)
	return found
}
