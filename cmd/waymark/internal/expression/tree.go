package expression

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"slices"

	"github.com/waymark-go/waymark/internal/program/condition"
)

// A node is a part of an expression.
type node struct {
	at       int // offset in the text
	kind     kind
	enter    bool                  // it reads arguments
	exit     bool                  // it reads what is known at the end of the call
	constant constant.Value        // of a constant
	timed    bool                  // the constant was written with a unit of time
	in       condition.Instruction // of a leaf, or what is done with the operands
	operands []*node
	what     string // for errors
}

// A kind is what is known of a value's type.
type kind uint8

const (
	unknown kind = iota
	boolean
	number
	text
	nilable
	nothing // nil
	other   // a struct, an array, a complex number
)

func (k kind) String() string {
	return [...]string{"of unknown type", "true or false", "a number", "a string", "a value that may be nil", "nil", "neither a number nor a string"}[k]
}

// both makes a node of operands.
func both(at int, k kind, in condition.Instruction, operands ...*node) *node {
	n := &node{at: at, kind: k, in: in, operands: operands}
	for _, o := range operands {
		n.enter, n.exit = n.enter || o.enter, n.exit || o.exit
	}
	return n
}

// A compiler makes a tree of what the parser has made.
type compiler struct {
	text      string
	durations map[int]int64
	sig       *Signature // nil: nothing is known
	line      bool       // it is about variables
}

func (c *compiler) fail(n ast.Node, what string) error { return &Error{c.text, offset(n), what} }

func offset(n ast.Node) int { return int(n.Pos()) - 1 }

// expr makes a node.
func (c *compiler) expr(e ast.Expr) (*node, error) {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return c.expr(e.X)
	case *ast.BasicLit:
		return c.literal(e)
	case *ast.Ident:
		return c.ident(e)
	case *ast.UnaryExpr:
		return c.unary(e)
	case *ast.BinaryExpr:
		return c.binary(e)
	case *ast.CallExpr:
		return c.call(e)
	case *ast.SelectorExpr, *ast.IndexExpr, *ast.StarExpr:
		return c.path(e, false)
	}
	return nil, c.fail(e, "an operand is wanted here, such as args[0], args.name, results[0], duration or a constant")
}

func (c *compiler) literal(e *ast.BasicLit) (*node, error) {
	v := constant.MakeFromLiteral(e.Value, e.Kind, 0)
	if v.Kind() == constant.Complex || v.Kind() == constant.Unknown {
		return nil, c.fail(e, "such numbers can't be compared")
	}
	return c.constant(e, v)
}

func (c *compiler) constant(e ast.Node, v constant.Value) (*node, error) {
	n := &node{at: offset(e), constant: v, what: v.String()}
	switch v.Kind() {
	case constant.Bool:
		n.kind, n.in = boolean, condition.Instruction{Op: condition.Bool}
		if constant.BoolVal(v) {
			n.in.Bits = 1
		}
	case constant.String:
		n.kind, n.in = text, condition.Instruction{Op: condition.Text, Text: constant.StringVal(v)}
		if len(n.in.Text) > condition.MaxString {
			return nil, c.fail(e, "the string is too long")
		}
	case constant.Int:
		n.kind = number
		if i, exact := constant.Int64Val(v); exact {
			n.in = condition.Instruction{Op: condition.Int, Bits: uint64(i)}
		} else if u, exact := constant.Uint64Val(v); exact {
			n.in = condition.Instruction{Op: condition.Uint, Bits: u}
		} else {
			return nil, c.fail(e, v.String()+" doesn't fit into 64 bits")
		}
	default:
		f, _ := constant.Float64Val(v)
		n.kind, n.in = number, condition.Instruction{Op: condition.Float, Bits: floatBits(f)}
	}
	return n, nil
}

func (c *compiler) ident(e *ast.Ident) (*node, error) {
	if d, ok := c.durations[offset(e)]; ok {
		n, err := c.constant(e, constant.MakeInt64(d))
		if err == nil {
			n.timed = true
		}
		return n, err
	}
	n := &node{at: offset(e), what: e.Name}
	if c.line && !slices.Contains([]string{"true", "false", "nil", "goroutine"}, e.Name) {
		return c.path(e, false)
	}
	switch e.Name {
	case "true", "false":
		return c.constant(e, constant.MakeBool(e.Name == "true"))
	case "nil":
		n.kind, n.in.Op = nothing, condition.Nil
	case "duration":
		n.kind, n.in.Op, n.exit = number, condition.Duration, true
	case "goroutine":
		n.kind, n.in.Op = number, condition.Goroutine
	case "panic":
		n.kind, n.in.Op, n.exit = nilable, condition.Panicked, true
	case "error":
		n.kind, n.in.Op, n.exit = boolean, condition.Failed, true
	case "args", "results":
		return nil, c.fail(e, "name one of "+e.Name+", as in "+e.Name+"[0] or "+e.Name+".name: "+c.listOf(e.Name))
	default:
		return nil, c.fail(e, e.Name+" is not known; "+c.instead(e.Name))
	}
	return n, nil
}

// instead says what may stand in the place of a name that is not known. Without a signature any name may be an argument's.
func (c *compiler) instead(name string) string {
	hint := "there are args, results, duration, panic, error and goroutine"
	switch named := func(v Value) bool { return v.Name == name }; {
	case c.sig == nil && name == "err":
		return "is it error, of calls whose last result is one, or results.err?"
	case c.sig == nil:
		return "is it args." + name + "? For calls " + hint
	case slices.ContainsFunc(c.sig.Args, named):
		return "is it args." + name + "?"
	case slices.ContainsFunc(c.sig.Results, named):
		return "is it results." + name + "?"
	}
	return hint
}

func (c *compiler) unary(e *ast.UnaryExpr) (*node, error) {
	x, err := c.expr(e.X)
	if err != nil {
		return nil, err
	}
	switch {
	case e.Op == token.NOT:
		if err := c.truth(x); err != nil {
			return nil, err
		}
		return both(offset(e), boolean, condition.Instruction{Op: condition.Not}, x), nil
	case x.constant != nil && x.kind == number && (e.Op == token.SUB || e.Op == token.ADD || e.Op == token.XOR && x.constant.Kind() == constant.Int):
		return c.constant(e, constant.UnaryOp(e.Op, x.constant, 0))
	}
	return nil, c.fail(e, e.Op.String()+" can be in front of constant numbers only")
}

// truth returns an error if n can't be true or false.
func (c *compiler) truth(n *node) error {
	if n.in.Op == condition.Panicked && n.kind == nilable {
		return &Error{c.text, n.at, "write panic != nil"}
	}
	if n.kind != boolean && n.kind != unknown {
		return &Error{c.text, n.at, n.what + " is " + n.kind.String() + ", want true or false"}
	}
	return nil
}

func (c *compiler) binary(e *ast.BinaryExpr) (*node, error) {
	x, err := c.expr(e.X)
	if err != nil {
		return nil, err
	}
	y, err := c.expr(e.Y)
	if err != nil {
		return nil, err
	}
	switch e.Op {
	case token.LAND, token.LOR:
		for _, n := range []*node{x, y} {
			if err := c.truth(n); err != nil {
				return nil, err
			}
		}
		op := condition.And
		if e.Op == token.LOR {
			op = condition.Or
		}
		return both(offset(e), boolean, condition.Instruction{Op: op}, x, y), nil
	}
	if rel, ok := relations[e.Op]; ok {
		return c.compare(e, rel, x, y)
	}
	return c.fold(e, x, y)
}

var relations = map[token.Token]condition.Relation{
	token.EQL: condition.Equal, token.NEQ: condition.Less | condition.Greater | condition.Unordered,
	token.LSS: condition.Less, token.LEQ: condition.Less | condition.Equal,
	token.GTR: condition.Greater, token.GEQ: condition.Greater | condition.Equal,
}

// fold computes with constants.
func (c *compiler) fold(e *ast.BinaryExpr, x, y *node) (*node, error) {
	if x.constant == nil || y.constant == nil {
		return nil, &Error{c.text, int(e.OpPos) - 1, e.Op.String() + " is for constants only: a condition compares values, and doesn't compute with them"}
	}
	bad := &Error{c.text, int(e.OpPos) - 1, e.Op.String() + " can't be done with " + x.what + " and " + y.what}
	ints := x.constant.Kind() == constant.Int && y.constant.Kind() == constant.Int
	op := e.Op
	switch op {
	case token.ADD:
		if x.kind == text && y.kind == text {
			return c.constant(e, constant.BinaryOp(x.constant, op, y.constant))
		}
	case token.SUB, token.MUL:
	case token.QUO, token.REM:
		if constant.Sign(zeroable(y.constant)) == 0 {
			return nil, &Error{c.text, y.at, "division by zero"}
		}
		if op == token.QUO && ints {
			op = token.QUO_ASSIGN // of integers
		}
		if op == token.REM && !ints {
			return nil, bad
		}
	default:
		return nil, bad
	}
	if x.kind != number || y.kind != number {
		return nil, bad
	}
	n, err := c.constant(e, constant.BinaryOp(x.constant, op, y.constant))
	if err == nil {
		n.timed = x.timed || y.timed
	}
	return n, err
}

// zeroable returns the number, or 1 if v is none.
func zeroable(v constant.Value) constant.Value {
	if v.Kind() == constant.Int || v.Kind() == constant.Float {
		return v
	}
	return constant.MakeInt64(1)
}

func (c *compiler) compare(e *ast.BinaryExpr, rel condition.Relation, x, y *node) (*node, error) {
	at := int(e.OpPos) - 1
	if x.in.Op == condition.Nil {
		x, y = y, x
	}
	equality := e.Op == token.EQL || e.Op == token.NEQ
	if y.in.Op == condition.Nil {
		switch {
		case !equality:
			return nil, &Error{c.text, at, "nil has no order"}
		case x.in.Op == condition.Panicked || x.in.Op == condition.Failed && x.kind == boolean:
			n := both(at, boolean, x.in)
			n.exit = true
			if e.Op == token.EQL {
				n = both(at, boolean, condition.Instruction{Op: condition.Not}, n)
			}
			return n, nil
		case x.kind != nilable && x.kind != unknown:
			return nil, &Error{c.text, x.at, x.what + " is " + x.kind.String() + ", and never nil"}
		}
		return both(at, boolean, condition.Instruction{Op: condition.Compare, Rel: rel}, x, y), nil
	}
	switch {
	case x.in.Op == condition.Panicked || y.in.Op == condition.Panicked:
		return nil, &Error{c.text, at, "panic can be compared with nil only"}
	case x.constant != nil && y.constant != nil:
		return nil, &Error{c.text, at, "two constants are compared"}
	case x.kind == other || y.kind == other:
		n := x
		if y.kind == other {
			n = y
		}
		return nil, &Error{c.text, n.at, n.what + " is " + other.String() + ": name a part of it"}
	case x.kind != unknown && y.kind != unknown && x.kind != y.kind:
		return nil, &Error{c.text, at, x.what + " is " + x.kind.String() + ", and " + y.what + " is " + y.kind.String()}
	case x.kind == nilable && y.kind == nilable:
		return nil, &Error{c.text, at, x.what + " and " + y.what + " can be compared with nil only"}
	case !equality && (x.kind == boolean || y.kind == boolean || x.kind == nilable || y.kind == nilable):
		return nil, &Error{c.text, at, x.what + " and " + y.what + " have no order"}
	case x.enter && y.exit || x.exit && y.enter:
		return nil, &Error{c.text, at, "an argument can't be compared with a value from the call's end: it may have changed by then"}
	}
	if x.constant != nil {
		x, y, rel = y, x, rel.Swapped()
	}
	if v := y.constant; x.in.Op == condition.Duration && v != nil && !y.timed && constant.Sign(v) > 0 {
		return nil, &Error{c.text, y.at, fmt.Sprintf("%s has no unit: write %[1]ss or %[1]sms", v)}
	}
	return both(at, boolean, condition.Instruction{Op: condition.Compare, Rel: rel}, x, y), nil
}
