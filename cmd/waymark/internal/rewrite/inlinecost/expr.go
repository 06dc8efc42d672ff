package inlinecost

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// sizes are those of the 64-bit systems.
var sizes = types.SizesFor("gc", "amd64")

func (c *counter) exprs(list []ast.Expr) int {
	cost := 0
	for _, e := range list {
		cost += c.expr(e)
	}
	return cost
}

// convert costs an expression that is converted to typ where it stands, as
// values are when they are assigned.
func (c *counter) convert(e ast.Expr, typ types.Type) int {
	cost := c.expr(e)
	if typ == nil || !types.IsInterface(typ) || isTypeParam(typ) {
		return cost
	}
	from := c.info.TypeOf(e)
	if known(from) && !isNil(from) && !types.Identical(from, typ) {
		cost++
	}
	return cost
}

func (c *counter) expr(e ast.Expr) int {
	tv := c.info.Types[e]
	switch {
	case tv.Value != nil:
		return 1
	case tv.IsType():
		return 0
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return c.expr(e.X)
	case *ast.FuncLit:
		return 1 + costClosure
	case *ast.CompositeLit:
		return c.composite(e)
	case *ast.SelectorExpr:
		return c.selector(e)
	case *ast.IndexExpr:
		if tv := c.info.Types[e.Index]; tv.IsType() {
			return 2 + c.expr(e.X) // a generic function with its dictionary
		}
		return 1 + c.expr(e.X) + c.expr(e.Index) + c.implicitDeref(e.X)
	case *ast.IndexListExpr:
		return 2 + c.expr(e.X)
	case *ast.SliceExpr:
		return c.slice(e)
	case *ast.TypeAssertExpr:
		return 1 + c.expr(e.X)
	case *ast.CallExpr:
		return c.call(e)
	case *ast.StarExpr:
		return c.deref(e)
	case *ast.UnaryExpr:
		if e.Op == token.AND {
			return c.address(e.X)
		}
		return 1 + c.expr(e.X)
	case *ast.BinaryExpr:
		return c.binary(e)
	case *ast.KeyValueExpr:
		return 1 + c.expr(e.Key) + c.expr(e.Value)
	}
	return 1
}

func (c *counter) composite(lit *ast.CompositeLit) int {
	typ := c.info.TypeOf(lit)
	cost := 1
	if typ == nil {
		return cost + c.exprs(lit.Elts)
	}
	if p, ok := typ.Underlying().(*types.Pointer); ok { // an elided &T
		cost++
		typ = p.Elem()
	}
	switch typ := typ.Underlying().(type) {
	case *types.Struct:
		for i, elt := range lit.Elts {
			field := i
			if kv, ok := elt.(*ast.KeyValueExpr); ok {
				field = fieldIndex(typ, kv.Key)
				elt = kv.Value
			}
			cost++
			if 0 <= field && field < typ.NumFields() {
				cost += c.convert(elt, typ.Field(field).Type())
			} else {
				cost += c.expr(elt)
			}
		}
	case *types.Slice:
		cost += 1 + c.elements(lit.Elts, nil, typ.Elem())
	case *types.Array:
		cost += c.elements(lit.Elts, nil, typ.Elem())
	case *types.Map:
		cost += c.elements(lit.Elts, typ.Key(), typ.Elem())
	default: // not known; a struct's keys would be no nodes
		for _, elt := range lit.Elts {
			if kv, ok := elt.(*ast.KeyValueExpr); ok {
				elt = kv.Value
			}
			cost += 1 + c.expr(elt)
		}
	}
	return cost
}

func fieldIndex(typ *types.Struct, key ast.Expr) int {
	id, ok := key.(*ast.Ident)
	if !ok {
		return -1
	}
	return slices.IndexFunc(slices.Collect(typ.Fields()), func(f *types.Var) bool { return f.Name() == id.Name })
}

func (c *counter) elements(elts []ast.Expr, key, elem types.Type) int {
	cost := 0
	for _, elt := range elts {
		if kv, ok := elt.(*ast.KeyValueExpr); ok {
			cost += 1 + c.convert(kv.Key, key)
			elt = kv.Value
		}
		cost += c.convert(elt, elem)
	}
	return cost
}

// selector costs a field, a method value or an object of another package.
func (c *counter) selector(e *ast.SelectorExpr) int {
	sel := c.info.Selections[e]
	if sel == nil {
		if c.isPackage(e.X) {
			return 1
		}
		return 1 + c.expr(e.X)
	}
	switch sel.Kind() {
	case types.MethodVal:
		return 2 + c.receiver(e, sel)
	case types.MethodExpr:
		return 0
	}
	return 1 + c.expr(e.X) + len(sel.Index()) - 1
}

func (c *counter) isPackage(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	if !ok {
		return false
	}
	_, ok = c.info.Uses[id].(*types.PkgName)
	return ok
}

// receiver costs the operand of a method: embedded fields on the way are
// selected, and its address is taken or it is dereferenced where needed.
func (c *counter) receiver(e *ast.SelectorExpr, sel *types.Selection) int {
	through := len(sel.Index()) - 1
	cost := c.expr(e.X) + through
	m, ok := sel.Obj().(*types.Func)
	if !ok || types.IsInterface(sel.Recv()) {
		return cost
	}
	have := isPointer(sel.Recv())
	if through > 0 {
		have = isPointer(embedded(sel))
	}
	want := m.Signature().Recv() != nil && isPointer(m.Signature().Recv().Type())
	switch {
	case have && !want:
		cost++
	case want && !have:
		cost++
		if through == 0 && c.firstField(e.X) || through == 1 && isName(e.X) && leads(sel) {
			cost -= 2
		}
	}
	return cost
}

// embedded returns the type of the field that a promoted method is called on.
func embedded(sel *types.Selection) types.Type {
	typ := sel.Recv()
	for _, i := range sel.Index()[:len(sel.Index())-1] {
		if p, ok := typ.Underlying().(*types.Pointer); ok {
			typ = p.Elem()
		}
		s, ok := typ.Underlying().(*types.Struct)
		if !ok || i >= s.NumFields() {
			return types.Typ[types.Invalid]
		}
		typ = s.Field(i).Type()
	}
	return typ
}

// address costs &x. The address of a composite literal is one node, and that
// of a variable's first field is free.
func (c *counter) address(x ast.Expr) int {
	cost := 1 + c.expr(x)
	if c.firstField(ast.Unparen(x)) {
		cost -= 2
	}
	return cost
}

// firstField reports whether x is v.f, with f the first field of a variable.
func (c *counter) firstField(x ast.Expr) bool {
	s, ok := x.(*ast.SelectorExpr)
	if !ok || !isName(s.X) {
		return false
	}
	sel := c.info.Selections[s]
	return sel != nil && sel.Kind() == types.FieldVal && len(sel.Index()) == 1 && leads(sel)
}

// leads reports whether the field that a selection goes to, or through, lies at a struct's start.
func leads(sel *types.Selection) bool {
	typ := sel.Recv()
	if p, ok := typ.Underlying().(*types.Pointer); ok {
		typ = p.Elem()
	}
	s, ok := typ.Underlying().(*types.Struct)
	if !ok {
		return sel.Index()[0] == 0
	}
	for i := range sel.Index()[0] {
		if !isEmpty(s.Field(i).Type()) {
			return false
		}
	}
	return true
}

// isEmpty reports whether values of a type take no room.
func isEmpty(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Struct:
		for f := range t.Fields() {
			if !isEmpty(f.Type()) {
				return false
			}
		}
		return true
	case *types.Array:
		return t.Len() == 0 || isEmpty(t.Elem())
	}
	return false
}

// deref costs *x. That of a converted address, *(*T)(unsafe.Pointer(&v)), is
// cheaper.
func (c *counter) deref(e *ast.StarExpr) int {
	cost := 1 + c.expr(e.X)
	x := ast.Unparen(e.X)
	for {
		call, ok := x.(*ast.CallExpr)
		if !ok || len(call.Args) != 1 || !c.info.Types[call.Fun].IsType() {
			break
		}
		x = ast.Unparen(call.Args[0])
	}
	if addr, ok := x.(*ast.UnaryExpr); ok && addr.Op == token.AND {
		cost--
	}
	return cost
}

// implicitDeref costs what p[i] has that means (*p)[i].
func (c *counter) implicitDeref(x ast.Expr) int {
	if t := c.info.TypeOf(x); t != nil {
		if p, ok := t.Underlying().(*types.Pointer); ok && isArray(p.Elem()) {
			return 1
		}
	}
	return 0
}

// slice costs x[i:j]. A low bound of 0 and a high bound of len(x) are free.
func (c *counter) slice(e *ast.SliceExpr) int {
	cost := 1
	if t := c.info.TypeOf(e.X); t != nil && isArray(t) {
		cost += c.address(e.X)
	} else {
		cost += c.expr(e.X)
	}
	for _, bound := range []ast.Expr{e.Low, e.High, e.Max} {
		if bound != nil {
			cost += c.expr(bound)
		}
	}
	if lit, ok := e.Low.(*ast.BasicLit); ok && lit.Value == "0" {
		cost--
	}
	if call, ok := e.High.(*ast.CallExpr); ok && len(call.Args) == 1 && c.builtin(call.Fun) == "len" &&
		isName(e.X) && isName(call.Args[0]) && e.X.(*ast.Ident).Name == call.Args[0].(*ast.Ident).Name {
		cost -= 2
	}
	return cost
}

func (c *counter) binary(e *ast.BinaryExpr) int {
	x, y := c.info.TypeOf(e.X), c.info.TypeOf(e.Y)
	cost := 1 + c.expr(e.X) + c.expr(e.Y)
	switch e.Op {
	case token.ADD:
		// The operands of one concatenation have a single parent.
		if inner, ok := ast.Unparen(e.X).(*ast.BinaryExpr); ok && inner.Op == token.ADD && isString(x) && c.info.Types[inner].Value == nil {
			cost--
		}
	case token.EQL, token.NEQ:
		if known(x) && known(y) && types.IsInterface(x) != types.IsInterface(y) && !isNil(x) && !isNil(y) {
			cost++
		}
	}
	return cost
}

// elem returns the type of a channel's elements.
func (c *counter) elem(ch ast.Expr) types.Type {
	if t := c.info.TypeOf(ch); t != nil {
		if t, ok := t.Underlying().(*types.Chan); ok {
			return t.Elem()
		}
	}
	return nil
}

func isName(e ast.Expr) bool {
	_, ok := e.(*ast.Ident)
	return ok
}

func known(t types.Type) bool {
	return t != nil && t != types.Typ[types.Invalid]
}

func isNil(t types.Type) bool {
	return t == types.Typ[types.UntypedNil]
}

func isPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

func isArray(t types.Type) bool {
	_, ok := t.Underlying().(*types.Array)
	return ok
}

func isTypeParam(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.TypeParam)
	return ok
}

func isString(t types.Type) bool {
	if t == nil {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}
