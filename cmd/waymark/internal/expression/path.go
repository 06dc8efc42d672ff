package expression

import (
	"fmt"
	"go/ast"
	"go/constant"
	"math"
	"strings"

	"github.com/waymark-go/waymark/internal/program/condition"
)

func floatBits(f float64) uint64 { return math.Float64bits(f) }

// path makes a node of an argument or result, or of a part of it. length: of its length.
func (c *compiler) path(e ast.Expr, length bool) (*node, error) {
	n := &node{at: offset(e), in: condition.Instruction{Op: condition.Value}}
	typ, err := c.walk(e, &n.in)
	if err != nil {
		return nil, err
	}
	n.what = c.text[offset(e):min(int(e.End())-1, len(c.text))]
	n.kind = kindOf(typ)
	if length {
		if k := n.kind; k == number || k == boolean || k == text && typ != "string" {
			return nil, c.fail(e, n.what+" is "+k.String()+", and has no length")
		}
		n.in.Steps = append(n.in.Steps, condition.Step{Kind: condition.Len})
		n.kind, n.what = number, "len("+n.what+")"
	}
	if len(n.in.Steps) > condition.MaxSteps {
		return nil, c.fail(e, fmt.Sprintf("more than %d steps", condition.MaxSteps))
	}
	n.enter, n.exit = n.in.Root == condition.Arg, n.in.Root == condition.Result
	return n, nil
}

// walk adds the steps to the value of e. It returns what is known of its type.
func (c *compiler) walk(e ast.Expr, in *condition.Instruction) (typ string, err error) {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return c.walk(e.X, in)
	case *ast.Ident:
		if c.line {
			in.Name = e.Name
			return "", nil
		}
	case *ast.StarExpr:
		typ, err := c.walk(e.X, in)
		if err != nil {
			return "", err
		}
		in.Steps = append(in.Steps, condition.Step{Kind: condition.Deref})
		if typ != "" && typ[0] != '*' && kindOf(typ) != unknown {
			return "", c.fail(e, "what * stands before is "+typ+", no pointer")
		}
		return strings.TrimPrefix(typ, "*"), nil
	case *ast.SelectorExpr:
		if id, ok := e.X.(*ast.Ident); ok && !c.line {
			return c.root(e, id, e.Sel, nil, in)
		}
		typ, err := c.walk(e.X, in)
		if err != nil {
			return "", err
		}
		if k := kindOf(strings.TrimPrefix(typ, "*")); typ != "" && k != unknown && !strings.HasPrefix(typ, "struct") {
			return "", c.fail(e.Sel, "what ."+e.Sel.Name+" stands behind is "+typ+", and has no fields")
		}
		in.Steps = append(in.Steps, condition.Step{Kind: condition.Field, Name: e.Sel.Name})
		return "", nil
	case *ast.IndexExpr:
		if id, ok := e.X.(*ast.Ident); ok && !c.line {
			return c.root(e, id, nil, e.Index, in)
		}
		typ, err := c.walk(e.X, in)
		if err != nil {
			return "", err
		}
		i, err := c.index(e.Index)
		if err != nil {
			return "", err
		}
		if strings.HasPrefix(typ, "map[") || typ == "string" {
			return "", c.fail(e.Index, "elements can be asked for of slices and arrays, not of "+typ)
		}
		in.Steps = append(in.Steps, condition.Step{Kind: condition.Elem, Index: i})
		if strings.HasPrefix(typ, "...") {
			return typ[3:], nil
		}
		if strings.HasPrefix(typ, "[") {
			return typ[strings.IndexByte(typ, ']')+1:], nil
		}
		return "", nil
	}
	return "", c.fail(e, "want args or results here")
}

// root finds the argument or result.
func (c *compiler) root(e ast.Node, id, name *ast.Ident, index ast.Expr, in *condition.Instruction) (typ string, err error) {
	switch id.Name {
	case "args":
	case "results":
		in.Root = condition.Result
	case "strings":
		return "", c.fail(id, "write contains(s, part), startsWith(s, part) or endsWith(s, part)")
	default:
		_, err := c.ident(id)
		if err == nil {
			err = c.fail(id, id.Name+" has no parts")
		}
		return "", err
	}
	values := c.values(id.Name)
	if name != nil {
		in.Name = name.Name
		if c.sig == nil {
			return "", nil
		}
		for i, v := range values {
			if v.Name == name.Name && v.Name != "_" {
				in.Name, in.Index = "", i
				return v.Type, nil
			}
		}
		return "", c.fail(name, fmt.Sprintf("%s has no %s %s: %s", c.sig.Function, in.Root, name.Name, list(values)))
	}
	if in.Index, err = c.index(index); err != nil || c.sig == nil {
		return "", err
	}
	if in.Index >= len(values) {
		return "", c.fail(index, fmt.Sprintf("%s has no %s %d: %s", c.sig.Function, in.Root, in.Index, list(values)))
	}
	return values[in.Index].Type, nil
}

func (c *compiler) values(root string) []Value {
	switch {
	case c.sig == nil:
		return nil
	case root == "args":
		return c.sig.Args
	}
	return c.sig.Results
}

func (c *compiler) listOf(root string) string {
	if c.sig == nil {
		return "by name or number"
	}
	return list(c.values(root))
}

func (c *compiler) index(e ast.Expr) (int, error) {
	n, err := c.expr(e)
	if err != nil {
		return 0, err
	}
	if n.constant == nil || n.constant.Kind() != constant.Int {
		return 0, c.fail(e, "want a constant number")
	}
	i, exact := constant.Int64Val(n.constant)
	if !exact || i < 0 || i > condition.MaxIndex {
		return 0, c.fail(e, fmt.Sprintf("want a number from 0 to %d", condition.MaxIndex))
	}
	return int(i), nil
}

// call makes a node of len or one of the functions of strings.
func (c *compiler) call(e *ast.CallExpr) (*node, error) {
	id, ok := e.Fun.(*ast.Ident)
	if !ok {
		if s, ok := e.Fun.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && x.Name == "strings" {
				return nil, c.fail(e, "write contains(s, part), startsWith(s, part) or endsWith(s, part)")
			}
		}
		return nil, c.fail(e, "methods and functions of the program can't be called; there are len, contains, startsWith and endsWith")
	}
	finders := map[string]condition.Finder{"contains": condition.Contains, "startsWith": condition.Prefix, "endsWith": condition.Suffix}
	f, find := finders[id.Name]
	switch {
	case id.Name == "len":
		if len(e.Args) != 1 {
			return nil, c.fail(e, "len has one argument")
		}
		if id, ok := e.Args[0].(*ast.Ident); ok {
			if c.line {
				return c.path(id, true)
			}
			if _, err := c.ident(id); err != nil {
				return nil, err
			}
		}
		switch e.Args[0].(type) {
		case *ast.SelectorExpr, *ast.IndexExpr, *ast.StarExpr, *ast.ParenExpr:
			return c.path(e.Args[0], true)
		}
		return nil, c.fail(e.Args[0], "len is for arguments and results, and their parts")
	case !find:
		return nil, c.fail(e, "function "+id.Name+" is not known; there are len, contains, startsWith and endsWith")
	case len(e.Args) != 2:
		return nil, c.fail(e, id.Name+" has two arguments: a string, and what it is looked through for")
	}
	var operands [2]*node
	for i := range operands {
		n, err := c.expr(e.Args[i])
		if err != nil {
			return nil, err
		}
		if n.kind != text && n.kind != unknown {
			return nil, c.fail(e.Args[i], n.what+" is "+n.kind.String()+", want a string")
		}
		operands[i] = n
	}
	x, y := operands[0], operands[1]
	switch {
	case x.constant != nil:
		return nil, c.fail(e.Args[0], "the first string is to be an argument or result")
	case x.enter && y.exit || x.exit && y.enter:
		return nil, c.fail(e, "an argument can't be compared with a value from the call's end: it may have changed by then")
	}
	return both(offset(e), boolean, condition.Instruction{Op: condition.Find, Find: f}, x, y), nil
}

// kindOf returns what the text of a type says of its values. Named types may be anything, and interfaces may hold it.
func kindOf(typ string) kind {
	switch typ {
	case "":
		return unknown
	case "bool":
		return boolean
	case "string":
		return text
	case "int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64", "uintptr", "byte", "rune", "float32", "float64":
		return number
	case "unsafe.Pointer":
		return nilable
	case "complex64", "complex128":
		return other
	}
	for _, prefix := range []string{"*", "[]", "...", "map[", "func(", "chan ", "chan<-", "<-chan"} {
		if strings.HasPrefix(typ, prefix) {
			return nilable
		}
	}
	if strings.HasPrefix(typ, "struct{") || strings.HasPrefix(typ, "struct {") || typ[0] == '[' {
		return other
	}
	return unknown
}
