package funcname

import (
	"fmt"
	"go/ast"
	"go/types"
	"go/version"

	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/flow"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/syntax"
)

// nameLiterals names the function literals of a build as the compiler does,
// without the package's path. Literals without a name are those that the
// compiler drops.
//
// The compiler numbers the literals of a function as it reads them in the
// function's tree. It reads in source order, with two exceptions. It reads a
// for clause's post statement before the body. It doesn't read code at all that
// it can see to be dead. Literals in package-level initialisers are read in the
// order of initialisation and counted as the package's init function's.
func nameLiterals(t *syntax.Tree, f *flow.Flow, symbols map[*ast.FuncDecl]Symbol) map[*ast.FuncLit]string {
	n := &namer{
		info:       t.Info,
		flow:       f,
		names:      make(map[*ast.FuncLit]string),
		rangeNames: version.Compare(toolchain(t.Config), "go1.27") >= 0,
	}
	inits := &outer{name: "init"}
	for _, init := range t.Info.InitOrder {
		n.walk(init.Rhs, inits)
	}
	for fn, symbol := range symbols {
		if fn.Body != nil && fn.Name.Name != "_" {
			n.walk(fn.Body, &outer{name: symbol.String()})
		}
	}
	return n.names
}

// toolchain returns a version that go/version understands.
func toolchain(c *syntax.Config) string {
	if version.IsValid(c.Toolchain) {
		return c.Toolchain
	}
	return "go1.26"
}

type namer struct {
	info  *types.Info
	flow  *flow.Flow
	names map[*ast.FuncLit]string

	// rangeNames says that literals in the body of a range-over-func loop
	// are named for that body, as they are since Go 1.27. Before, they were
	// named for the function around the loop.
	rangeNames bool
}

// An outer is a function while its literals are numbered.
type outer struct {
	name             string
	literal          bool // is itself a literal or a loop's body
	literals, ranges int  // counted so far
}

func (o *outer) nextLiteral() *outer {
	o.literals++
	format := "%s.func%d"
	if o.literal {
		format = "%s.%d"
	}
	return &outer{name: fmt.Sprintf(format, o.name, o.literals), literal: true}
}

func (o *outer) nextRange() *outer {
	o.ranges++
	return &outer{name: fmt.Sprintf("%s-range%d", o.name, o.ranges), literal: true}
}

// walk names the literals below node in the order in which the compiler reads
// them. It follows the methods of cmd/compile/internal/noder.writer.
func (n *namer) walk(node ast.Node, in *outer) {
	ast.Inspect(node, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.FuncLit:
			lit := in.nextLiteral()
			n.names[node] = lit.name
			n.walk(node.Body, lit)
		case *ast.BlockStmt:
			n.stmts(node.List, in)
		case *ast.CommClause:
			if node.Comm != nil {
				n.walk(node.Comm, in)
			}
			n.stmts(node.Body, in)
		case *ast.IfStmt:
			n.ifStmt(node, in)
		case *ast.ForStmt:
			n.forStmt(node, in)
		case *ast.RangeStmt:
			n.rangeStmt(node, in)
		case *ast.SwitchStmt:
			n.switchStmt(node, in)
		case *ast.CaseClause: // of a type switch: its cases are types
			n.stmts(node.Body, in)
		case ast.Expr:
			// A constant is read as its value.
			return n.info.Types[node].Value == nil
		default:
			return true
		}
		return false
	})
}

func (n *namer) stmts(list []ast.Stmt, in *outer) {
	for _, stmt := range n.flow.LiveStmts(list) {
		n.walk(stmt, in)
	}
}

func (n *namer) ifStmt(stmt *ast.IfStmt, in *outer) {
	if stmt.Init != nil {
		n.walk(stmt.Init, in)
	}
	value, cond := n.flow.Static(stmt.Cond)
	n.walk(cond, in)
	if value >= 0 {
		n.walk(stmt.Body, in)
	}
	if value <= 0 && stmt.Else != nil {
		n.walk(stmt.Else, in)
	}
}

func (n *namer) forStmt(stmt *ast.ForStmt, in *outer) {
	if stmt.Init != nil {
		n.walk(stmt.Init, in)
	}
	value := 0
	if stmt.Cond != nil {
		var cond ast.Expr
		value, cond = n.flow.Static(stmt.Cond)
		n.walk(cond, in)
	}
	if value < 0 {
		return
	}
	if stmt.Post != nil {
		n.walk(stmt.Post, in)
	}
	n.walk(stmt.Body, in)
}

// rangeStmt reads a loop over a function as the compiler has rewritten it. The body
// becomes a variable, and then the function is called with it.
func (n *namer) rangeStmt(stmt *ast.RangeStmt, in *outer) {
	body := in
	overFunc := flow.RangeOver(n.info, stmt) == flow.OverFunc
	if overFunc && n.rangeNames {
		body = in.nextRange()
	}
	for _, e := range []ast.Expr{stmt.Key, stmt.Value} {
		if e != nil {
			n.walk(e, body)
		}
	}
	if !overFunc {
		n.walk(stmt.X, in)
	}
	n.walk(stmt.Body, body)
	if overFunc {
		n.walk(stmt.X, in)
	}
}

func (n *namer) switchStmt(stmt *ast.SwitchStmt, in *outer) {
	if stmt.Init != nil {
		n.walk(stmt.Init, in)
	}
	clauses := n.flow.LiveClauses(stmt)
	// With a single clause left, the tag and the cases are constants.
	if stmt.Tag != nil {
		n.walk(stmt.Tag, in)
	}
	for _, clause := range clauses {
		for _, e := range clause.List {
			n.walk(e, in)
		}
		n.stmts(clause.Body, in)
	}
}
