package inlinecost

import (
	"go/ast"
	"go/types"

	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/flow"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/syntax"
)

// The compiler's prices, from cmd/compile/internal/inline.
const (
	Budget        = 80 // a function that costs more isn't inlined
	costCall      = 57 // for a call that isn't inlined, on top of its nodes
	costParamCall = 17 // for a call of a parameter, which may turn out a constant
	costClosure   = 15 // for a function literal, on top of its node

	costVariable = 5 // for one that the compiler makes: its declaration, its assignment, its use

	costDictionary = 2 // for the types that a generic function is called with
)

// An Estimate is a function's cost to the compiler's inliner, and whether
// nothing but that cost could keep it from being inlined.
type Estimate struct {
	Cost      int
	Inlinable bool
}

// Inlines reports whether calls of the function are inlined.
func (e Estimate) Inlines() bool {
	return e.Inlinable && e.Cost <= Budget
}

// An Estimator estimates the functions of a Tree, each of them once.
type Estimator struct {
	flow  *flow.Flow
	info  *types.Info
	decls map[*types.Func]*ast.FuncDecl
	fixed map[*ast.FuncDecl]bool // a directive forbids inlining
	known map[*types.Func]Estimate

	calling   map[*types.Func]bool // answers of bodyCalls
	toolchain string
}

// New returns an Estimator for the functions of t.
func New(t *syntax.Tree, f *flow.Flow) *Estimator {
	e := &Estimator{
		flow:  f,
		info:  t.Info,
		decls: make(map[*types.Func]*ast.FuncDecl),
		fixed: make(map[*ast.FuncDecl]bool),
		known: make(map[*types.Func]Estimate),

		calling:   make(map[*types.Func]bool),
		toolchain: t.Config.Toolchain,
	}
	for _, src := range t.Build {
		for fn, pragmas := range src.Pragmas() {
			e.fixed[fn] = forbidsInlining(pragmas)
		}
	}
	for _, fn := range t.Funcs() {
		if obj, ok := t.Info.Defs[fn.Name].(*types.Func); ok {
			e.decls[obj] = fn
		}
	}
	return e
}

func forbidsInlining(pragmas []string) bool {
	for _, p := range pragmas {
		switch p {
		case "go:noinline", "go:cgo_unsafe_args", "go:uintptrkeepalive", "go:uintptrescapes", "go:yeswritebarrierrec":
			return true
		}
	}
	return false
}

// Func estimates a declared function that has a body.
func (e *Estimator) Func(fn *ast.FuncDecl) Estimate {
	if obj, ok := e.info.Defs[fn.Name].(*types.Func); ok && e.decls[obj] == fn {
		return e.declared(obj)
	}
	return e.decl(fn)
}

// Literal estimates a function literal.
func (e *Estimator) Literal(lit *ast.FuncLit) Estimate { return e.body(nil, lit.Type, lit.Body) }

// declared estimates a function of this package by its object.
func (e *Estimator) declared(obj *types.Func) Estimate {
	if est, ok := e.known[obj]; ok {
		return est
	}
	fn := e.decls[obj]
	if fn == nil || fn.Body == nil {
		return Estimate{}
	}
	// Until it is known, a recursive call finds that it isn't inlined, which
	// is how the compiler sees it, too.
	e.known[obj] = Estimate{}
	e.known[obj] = e.decl(fn)
	return e.known[obj]
}

func (e *Estimator) decl(fn *ast.FuncDecl) Estimate {
	est := e.body(fn.Recv, fn.Type, fn.Body)
	est.Inlinable = est.Inlinable && !e.fixed[fn]
	return est
}

func (e *Estimator) body(recv *ast.FieldList, typ *ast.FuncType, body *ast.BlockStmt) Estimate {
	c := &counter{Estimator: e, inlinable: true}
	for _, list := range []*ast.FieldList{recv, typ.Params} {
		if list == nil {
			continue
		}
		for _, field := range list.List {
			for _, name := range field.Names {
				c.params = append(c.params, e.info.Defs[name])
			}
		}
	}
	if typ.Results != nil {
		for _, field := range typ.Results.List {
			for range max(1, len(field.Names)) {
				c.results = append(c.results, e.info.TypeOf(field.Type))
			}
		}
	}
	cost := c.stmts(body.List)
	return Estimate{cost, c.inlinable}
}
