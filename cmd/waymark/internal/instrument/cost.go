package instrument

import (
	"go/ast"
	"go/types"
)

// The compiler's prices, from cmd/compile/internal/inline.
const (
	budget        = 80 // a function that costs more isn't inlined
	costCall      = 57 // for a call that isn't inlined, on top of its nodes
	costParamCall = 17 // for a call of a parameter, which may turn out a constant
	costClosure   = 15 // for a function literal, on top of its node

	costVariable = 5 // for one that the compiler makes: its declaration, its assignment, its use

	costDictionary = 2 // for the types that a generic function is called with
)

// An estimate is a function's cost to the compiler's inliner, and whether
// nothing but that cost could keep it from being inlined.
type estimate struct {
	cost      int
	inlinable bool
}

// inlines reports whether calls of the function are inlined.
func (e estimate) inlines() bool {
	return e.inlinable && e.cost <= budget
}

// An estimator estimates functions, each of them once.
type estimator struct {
	liveness
	decls map[*types.Func]*ast.FuncDecl
	fixed map[*ast.FuncDecl]bool // a directive forbids inlining
	known map[*types.Func]estimate

	calling   map[*types.Func]bool // answers of bodyCalls
	toolchain string               // Options.Toolchain
}

func newEstimator(u *unit) *estimator {
	e := &estimator{
		liveness: liveness{u.info, u.constants, branchesOutOfRange(u.info, u.build)},
		decls:    make(map[*types.Func]*ast.FuncDecl),
		fixed:    make(map[*ast.FuncDecl]bool),
		known:    make(map[*types.Func]estimate),

		calling:   make(map[*types.Func]bool),
		toolchain: u.opts.Toolchain,
	}
	for _, src := range u.build {
		for fn, pragmas := range src.pragmas() {
			e.fixed[fn] = forbidsInlining(pragmas)
		}
	}
	for fn := range u.symbols {
		if obj, ok := u.info.Defs[fn.Name].(*types.Func); ok {
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

// function estimates a function that has a body.
func (e *estimator) function(f *function) estimate {
	if f.decl == nil {
		return e.body(nil, f.typ, f.body)
	}
	if obj, ok := e.info.Defs[f.decl.Name].(*types.Func); ok && e.decls[obj] == f.decl {
		return e.declared(obj)
	}
	return e.decl(f.decl)
}

// declared estimates a function of this package by its object.
func (e *estimator) declared(obj *types.Func) estimate {
	if est, ok := e.known[obj]; ok {
		return est
	}
	fn := e.decls[obj]
	if fn == nil || fn.Body == nil {
		return estimate{}
	}
	// Until it is known, a recursive call finds that it isn't inlined, which
	// is how the compiler sees it, too.
	e.known[obj] = estimate{}
	e.known[obj] = e.decl(fn)
	return e.known[obj]
}

func (e *estimator) decl(fn *ast.FuncDecl) estimate {
	est := e.body(fn.Recv, fn.Type, fn.Body)
	est.inlinable = est.inlinable && !e.fixed[fn]
	return est
}

func (e *estimator) body(recv *ast.FieldList, typ *ast.FuncType, body *ast.BlockStmt) estimate {
	c := &counter{estimator: e, inlinable: true}
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
	return estimate{cost, c.inlinable}
}
