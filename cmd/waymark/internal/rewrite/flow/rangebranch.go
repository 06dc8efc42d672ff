package flow

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/syntax"
)

// branchesOutOfRange finds the break and continue statements that leave the body of
// a range-over-func loop, or its present round. The compiler makes that body a
// function and the statements returns of it, so that what follows one is dead.
func branchesOutOfRange(info *types.Info, files []*syntax.Source) map[*ast.BranchStmt]bool {
	b := &rangeBranches{info: info, out: make(map[*ast.BranchStmt]bool)}
	for _, src := range files {
		b.walk(src.AST, "")
	}
	return b.out
}

type rangeBranches struct {
	info *types.Info
	out  map[*ast.BranchStmt]bool
	open []branchTarget // innermost last
}

// A branchTarget is a statement that a break may leave.
type branchTarget struct {
	label     string
	loop      bool // continue may name it, too
	rangeFunc bool
}

// walk looks at the statements below node, which has the given label if any.
func (b *rangeBranches) walk(node ast.Node, label string) {
	ast.Inspect(node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			outer := b.open
			b.open = nil
			b.walk(n.Body, "")
			b.open = outer
			return false
		case *ast.LabeledStmt:
			b.walk(n.Stmt, n.Label.Name)
			return false
		case *ast.BranchStmt:
			b.branch(n)
		case *ast.ForStmt:
			return b.enter(n, node, label, branchTarget{loop: true})
		case *ast.RangeStmt:
			return b.enter(n, node, label, branchTarget{loop: true, rangeFunc: RangeOver(b.info, n) == OverFunc})
		case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
			return b.enter(n, node, label, branchTarget{})
		}
		return true
	})
}

// enter walks what is in n, a target. It reports false: that has been done then.
func (b *rangeBranches) enter(n, node ast.Node, label string, t branchTarget) bool {
	if n == node {
		t.label = label
	}
	b.open = append(b.open, t)
	for _, child := range children(n) {
		b.walk(child, "")
	}
	b.open = b.open[:len(b.open)-1]
	return false
}

// children lists the nodes right below n.
func children(n ast.Node) []ast.Node {
	var list []ast.Node
	ast.Inspect(n, func(child ast.Node) bool {
		if child != nil && child != n {
			list = append(list, child)
		}
		return child == n
	})
	return list
}

func (b *rangeBranches) branch(stmt *ast.BranchStmt) {
	if stmt.Tok != token.BREAK && stmt.Tok != token.CONTINUE {
		return
	}
	for i := len(b.open) - 1; i >= 0; i-- {
		t := b.open[i]
		if t.rangeFunc {
			b.out[stmt] = true
		}
		if stmt.Label != nil && stmt.Label.Name == t.label || stmt.Label == nil && (t.loop || stmt.Tok == token.BREAK) {
			return
		}
	}
}
