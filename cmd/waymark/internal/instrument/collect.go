package instrument

import (
	"cmp"
	"go/ast"
	"strings"
)

// A function is a Func with its syntax.
type function struct {
	Func
	src   *source
	decl  *ast.FuncDecl // nil for a literal
	typ   *ast.FuncType
	body  *ast.BlockStmt // nil if it has none
	never string         // why it can't be instrumented; empty if it can
	site  int            // index in the site table, if instrumented
	exits *exits         // of an instrumented function

	inlines bool     // the compiler inlines it, as far as the estimate goes
	tiny    []string // names of the tiny functions that run as part of it, sorted

	args, results bool // record them
	fails         bool // its last result is an error: report whether there is one

	within *function // of a literal: the declared function that it stands in

	// What directives say.
	group   *groupRef  // that it is in
	info    bool       // it is an info function
	point   string     // of one: enter, exit or nothing
	tracing string     // what tracing calls it; empty if it is neither of these
	namedBy *directive // that gives this name, nil if none does
}

// collect lists the functions of the group's own files, each literal behind
// the declaration that it stands in, in source order; and the declared ones of the
// files that are compiled with those.
func collect(u *unit) (funcs, with []*function) {
	c := &collector{unit: u, literals: nameLiterals(u), links: linkNames(u), forked: betweenForkAndExec(u)}
	for _, src := range u.build {
		pragmas := src.pragmas()
		for _, decl := range src.tree.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			switch {
			case ok && src.own:
				f := c.declared(src, fn, pragmas[fn])
				c.add(src, f)
				c.closures(src, fn, f)
			case ok:
				f := c.declared(src, fn, pragmas[fn])
				f.src = src
				with = append(with, f)
			case src.own:
				c.closures(src, decl, nil)
			}
		}
	}
	return c.funcs, with
}

type collector struct {
	*unit
	literals map[*ast.FuncLit]string
	links    map[*ast.FuncDecl]string
	forked   map[*ast.FuncDecl]bool
	funcs    []*function
}

func (c *collector) add(src *source, f *function) {
	pos := c.fset.Position(f.typ.Func)
	f.src = src
	f.File, f.Line = pos.Filename, pos.Line
	f.Package = c.group.ImportPath
	f.never = cmp.Or(f.never, src.reason)
	src.funcs = append(src.funcs, f)
	c.funcs = append(c.funcs, f)
}

func (c *collector) declared(src *source, fn *ast.FuncDecl, pragmas []string) *function {
	symbol := c.symbols[fn]
	f := &function{decl: fn, typ: fn.Type, body: fn.Body}
	own := linkPrefix(c.group) + symbol.String()
	f.Name = cmp.Or(c.links[fn], own)
	f.Recv, f.Base = symbol.recv, symbol.base
	switch {
	case fn.Body == nil:
		f.never = "no body"
	case fn.Name.Name == "_":
		f.never = "blank function"
	case c.forked[fn]:
		f.never = "runs between fork and exec"
	default:
		f.never = cmp.Or(forbidding(pragmas), unfit[own])
	}
	return f
}

// closures adds the function literals in a declaration, which is that of
// parent or of variables. Those without a name don't reach the program.
func (c *collector) closures(src *source, decl ast.Decl, parent *function) {
	ast.Inspect(decl, func(n ast.Node) bool {
		lit, ok := n.(*ast.FuncLit)
		if !ok {
			return true
		}
		name, ok := c.literals[lit]
		if !ok {
			return false
		}
		f := &function{typ: lit.Type, body: lit.Body, within: parent}
		f.Closure = true
		f.Name = linkPrefix(c.group) + name
		f.Base = name
		if parent != nil {
			f.Recv = parent.Recv
			f.Base = parent.Base + strings.TrimPrefix(name, c.symbols[parent.decl].String())
		}
		c.add(src, f)
		return true
	})
}

// forbidding returns the first pragma that says that the function runs where
// a call of the hooks isn't allowed or that its frame must stay as it is.
func forbidding(pragmas []string) string {
	for _, p := range pragmas {
		switch p {
		case "go:nosplit", "go:systemstack", "go:nowritebarrier", "go:nowritebarrierrec",
			"go:yeswritebarrierrec", "go:cgo_unsafe_args":
			return "//" + p
		}
	}
	return ""
}
