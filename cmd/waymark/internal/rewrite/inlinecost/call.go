package inlinecost

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/stdlib"
)

// call costs a call, a conversion or the use of a builtin function.
func (c *counter) call(e *ast.CallExpr) int {
	fun := ast.Unparen(e.Fun)
	if c.info.Types[fun].IsType() && len(e.Args) == 1 {
		return c.conversion(c.info.TypeOf(fun), e.Args[0])
	}
	if name := c.builtin(fun); name != "" {
		return c.builtinCall(name, e.Args)
	}
	cost := 1 + c.args(e)
	callee := c.Callee(fun)
	if sel, ok := fun.(*ast.SelectorExpr); ok && c.info.Selections[sel] != nil && callee != nil {
		// A method's name is no node if it is known which one is called.
		s := c.info.Selections[sel]
		if s.Kind() == types.MethodVal {
			cost += c.receiver(sel, s)
			if recv := callee.Signature().Recv(); recv != nil && types.IsInterface(recv.Type()) {
				cost += 1 + c.saved(sel.X)
			}
		}
	} else if callee != nil {
		cost++
	} else {
		cost += c.expr(fun) + c.saved(fun)
	}
	if callee != nil && isGeneric(callee) {
		cost += costDictionary
	}
	return cost + c.calleeCost(fun, callee)
}

// saved costs the variable that keeps what a dynamic call goes to, if finding that calls something.
func (c *counter) saved(x ast.Expr) int {
	cost := 0
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				cost = costVariable
			}
		case *ast.CallExpr:
			if tv := c.info.Types[n]; tv.Value == nil && !c.info.Types[n.Fun].IsType() && c.builtin(n.Fun) != "new" {
				cost = costVariable
			}
		}
		return cost == 0
	})
	return cost
}

// isGeneric reports whether calls of f pass a dictionary of types.
func isGeneric(f *types.Func) bool {
	sig := f.Signature()
	return sig.TypeParams() != nil || sig.RecvTypeParams() != nil
}

// calleeCost returns what the compiler charges for a call on top of its nodes.
// That is the body's cost if it is inlined, or a price for being a call.
func (c *counter) calleeCost(fun ast.Expr, callee *types.Func) int {
	if lit, ok := fun.(*ast.FuncLit); ok {
		if est := c.Literal(lit); est.Inlines() {
			return est.Cost
		}
	}
	if callee != nil {
		if est := c.declared(callee); est.Inlines() {
			return est.Cost
		}
	}
	if id, ok := fun.(*ast.Ident); ok && slices.Contains(c.params, c.info.Uses[id]) && c.info.Uses[id] != nil {
		return costParamCall
	}
	if callee != nil {
		if price, ok := stdlib.Price(callee, c.toolchain); ok {
			return price
		}
	}
	return costCall
}

// Callee returns the function or method that fun names, if it is known which.
func (e *Estimator) Callee(fun ast.Expr) *types.Func {
	var obj types.Object
	switch fun := fun.(type) {
	case *ast.Ident:
		obj = e.info.Uses[fun]
	case *ast.SelectorExpr:
		obj = e.info.Uses[fun.Sel]
	case *ast.IndexExpr:
		return e.Callee(ast.Unparen(fun.X))
	case *ast.IndexListExpr:
		return e.Callee(ast.Unparen(fun.X))
	}
	f, ok := obj.(*types.Func)
	if !ok {
		return nil
	}
	return f.Origin()
}

// args costs the arguments of a call with what becomes of them on the way.
func (c *counter) args(e *ast.CallExpr) int {
	var sig *types.Signature
	if t := c.info.TypeOf(e.Fun); t != nil {
		sig, _ = t.Underlying().(*types.Signature)
	}
	if sig == nil {
		return c.exprs(e.Args)
	}
	params := sig.Params()
	if len(e.Args) == 1 && params.Len() > 1 {
		if results, ok := c.info.TypeOf(e.Args[0]).(*types.Tuple); ok {
			return c.expr(e.Args[0]) + spread(results.Len())
		}
	}
	cost := 0
	fixed := params.Len()
	if sig.Variadic() && !e.Ellipsis.IsValid() {
		fixed--
		cost++ // a nil slice
		if len(e.Args) > fixed {
			cost++ // a slice literal
		}
	}
	for i, arg := range e.Args {
		var typ types.Type
		switch {
		case i < fixed:
			typ = params.At(i).Type()
		case sig.Variadic():
			if s, ok := params.At(params.Len() - 1).Type().Underlying().(*types.Slice); ok {
				typ = s.Elem()
			}
		}
		cost += c.convert(arg, typ)
	}
	return cost
}

// conversion costs T(x). It is free if the value needs no change.
func (c *counter) conversion(to types.Type, x ast.Expr) int {
	cost := c.expr(x)
	from := c.info.TypeOf(x)
	if known(from) && known(to) && !isNil(from) && !sameBits(from.Underlying(), to.Underlying()) {
		cost++
	}
	return cost
}

func sameBits(from, to types.Type) bool {
	if types.Identical(from, to) {
		return true
	}
	f, ok1 := from.(*types.Basic)
	t, ok2 := to.(*types.Basic)
	if ok1 && ok2 {
		// A constant that doesn't fit its type, which the compiler refuses, stays untyped.
		integers := f.Info()&types.IsInteger != 0 && t.Info()&types.IsInteger != 0 && f.Info()&types.IsUntyped == 0
		return integers && sizes.Sizeof(f) == sizes.Sizeof(t) && f.Info()&types.IsUnsigned == t.Info()&types.IsUnsigned || isAddress(f) && isAddress(t)
	}
	return isAddress(from) && isAddress(to)
}

// isAddress reports whether t is a pointer to the compiler's mind.
func isAddress(t types.Type) bool {
	switch t := t.(type) {
	case *types.Pointer:
		return true
	case *types.Basic:
		return t.Kind() == types.UnsafePointer || t.Kind() == types.Uintptr
	}
	return false
}

// builtin returns the name of the predeclared function that fun is, if any.
func (e *Estimator) builtin(fun ast.Expr) string {
	var obj types.Object
	switch fun := ast.Unparen(fun).(type) {
	case *ast.Ident:
		obj = e.info.Uses[fun]
	case *ast.SelectorExpr: // of package unsafe
		obj = e.info.Uses[fun.Sel]
	}
	if b, ok := obj.(*types.Builtin); ok {
		return b.Name()
	}
	return ""
}

func (c *counter) builtinCall(name string, args []ast.Expr) int {
	cost := 1 + c.exprs(args)
	switch name {
	case "panic":
		return cost + 1
	case "recover":
		c.inlinable = false
	case "make":
		if len(args) == 1 {
			cost++ // the missing size
		}
	}
	return cost
}
