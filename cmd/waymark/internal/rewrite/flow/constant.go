package flow

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/stdlib"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/syntax"
)

// constants finds the values of constants that are known for certain. The type
// checker takes a comparison with a constant that it doesn't know, which here
// may be any of another package, to be false.
type constants struct {
	info  *types.Info
	inits map[types.Object]ast.Expr // the expressions that declare constants
	all   bool                      // values of imported constants are those of the target
	sure  map[types.Object]bool     // the answers so far
}

func newConstants(t *syntax.Tree) *constants {
	c := &constants{
		info:  t.Info,
		all:   t.Config.Importer != nil,
		inits: make(map[types.Object]ast.Expr),
		sure:  make(map[types.Object]bool),
	}
	for _, src := range t.Build {
		ast.Inspect(src.AST, func(n ast.Node) bool {
			if decl, ok := n.(*ast.GenDecl); ok && decl.Tok == token.CONST {
				c.declare(decl)
			}
			return true
		})
	}
	return c
}

// declare notes what the constants of a declaration are made of. A line
// without values repeats those of the line before.
func (c *constants) declare(decl *ast.GenDecl) {
	var values []ast.Expr
	for _, spec := range decl.Specs {
		spec, ok := spec.(*ast.ValueSpec)
		if !ok {
			continue
		}
		if len(spec.Values) > 0 {
			values = spec.Values
		}
		for i, name := range spec.Names {
			if obj := c.info.Defs[name]; obj != nil && i < len(values) {
				c.inits[obj] = values[i]
			}
		}
	}
}

// value returns the value of a constant expression, or nil if it is none or
// not known for certain.
func (c *constants) value(e ast.Expr) constant.Value {
	value := c.info.Types[e].Value
	if value == nil || value.Kind() == constant.Unknown || !c.certain(e) {
		return nil
	}
	return value
}

// certain reports whether all that a constant expression is made of is known.
func (c *constants) certain(e ast.Expr) bool {
	all := true
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			obj, isConst := c.info.Uses[id].(*types.Const)
			all = all && (!isConst || c.known(obj)) && c.info.Types[id].Type != types.Typ[types.Invalid]
		}
		if sel, ok := n.(*ast.SelectorExpr); ok {
			all = all && c.info.Uses[sel.Sel] != nil
		}
		return all
	})
	return all
}

func (c *constants) known(obj *types.Const) bool {
	if obj.Val().Kind() == constant.Unknown {
		return false
	}
	init, ok := c.inits[obj]
	if !ok {
		// Of the standard library the constants are known for one target only, but for
		// those of the target that package syntax adds.
		return obj.Pkg() == nil || c.all || !stdlib.Has(obj)
	}
	sure, ok := c.sure[obj]
	if !ok {
		c.sure[obj] = false // ends the search in a cycle, which is an error
		sure = c.certain(init)
		c.sure[obj] = sure
	}
	return sure
}
