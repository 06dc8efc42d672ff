package candidate

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/syntax"
)

// forked is why functions that betweenForkAndExec returns are never instrumented.
const forked = "runs between fork and exec"

// betweenForkAndExec returns the functions of a unit that run, or may run, in a child process
// before it executes a program or exits. There no stack may grow and nothing may be allocated.
// Package syscall has some, and so has whoever forks as it does, by go:linkname. These are
// functions that prepare a fork, or clone the process themselves, and all that they call from there
// on. These include functions that are safe there only when they are inlined. If such a function
// leaves it to its callers to end what it has begun, the callers are among them.
func betweenForkAndExec(t *syntax.Tree) map[*ast.FuncDecl]bool {
	f := forks{
		info:    t.Info,
		linked:  make(map[string]string),
		byName:  make(map[string][]*ast.FuncDecl),
		decls:   make(map[types.Object]*ast.FuncDecl),
		opening: make(map[*ast.FuncDecl]bool),
		found:   make(map[*ast.FuncDecl]bool),
	}
	for _, src := range t.Build {
		f.link(src.AST)
	}
	var funcs []*ast.FuncDecl
	for _, fn := range t.Funcs() {
		if fn.Recv == nil {
			f.byName[fn.Name.Name] = append(f.byName[fn.Name.Name], fn)
		}
		f.decls[t.Info.Defs[fn.Name]] = fn
		if fn.Body != nil {
			funcs = append(funcs, fn)
		}
	}
	for again := true; again; {
		again = false
		for _, fn := range funcs {
			again = f.look(fn) || again
		}
	}
	return f.found
}

// forks finds the functions that run between fork and exec.
type forks struct {
	info    *types.Info
	linked  map[string]string          // what go:linkname says that functions without a receiver are
	byName  map[string][]*ast.FuncDecl // without a receiver; several, if files are for several systems
	decls   map[types.Object]*ast.FuncDecl
	opening map[*ast.FuncDecl]bool // the child may return from it, or the parent with signals blocked
	found   map[*ast.FuncDecl]bool
}

// link notes the go:linkname directives of a file.
func (f *forks) link(file *ast.File) {
	for _, group := range file.Comments {
		for _, c := range group.List {
			if words := strings.Fields(c.Text); len(words) == 3 && words[0] == "//go:linkname" {
				f.linked[words[1]] = words[2]
			}
		}
	}
}

// look looks for a fork in a function, and reports whether that was news.
func (f *forks) look(fn *ast.FuncDecl) (news bool) {
	begin, end, ended, own := token.NoPos, token.NoPos, false, false
	each(fn.Body, func(call *ast.CallExpr) {
		switch f.does(call) {
		case begins:
			own = true
		case ends:
			end = max(end, call.Pos())
			return
		case leaves:
			ended = true
			return
		default:
			opened := false
			for _, callee := range f.callees(call) {
				opened = opened || f.opening[callee]
			}
			if !opened {
				return
			}
		}
		if begin == token.NoPos {
			begin = call.Pos()
		}
	})
	if begin == token.NoPos {
		return false
	}
	closed := end > begin
	if own || !closed {
		news = f.add(fn)
	}
	if !closed && !ended && !f.opening[fn] {
		f.opening[fn], news = true, true
	}
	until := fn.End()
	if !own && closed {
		until = end // the child does not come back from the function that has begun it
	}
	each(fn.Body, func(call *ast.CallExpr) {
		if begin < call.Pos() && call.Pos() < until {
			for _, callee := range f.callees(call) {
				news = f.addAll(callee) || news
			}
		}
	})
	return news
}

// add adds a function, and reports whether that was news.
func (f *forks) add(fn *ast.FuncDecl) bool {
	was := f.found[fn]
	f.found[fn] = true
	return !was
}

// addAll adds a function and all that it calls.
func (f *forks) addAll(fn *ast.FuncDecl) bool {
	if fn.Body == nil || !f.add(fn) {
		return false
	}
	each(fn.Body, func(call *ast.CallExpr) {
		for _, callee := range f.callees(call) {
			f.addAll(callee)
		}
	})
	return true
}

// What a call does to a process.
const (
	nothing = iota
	begins  // a fork: from here on no stack may grow
	ends    // what begins: stacks may grow again
	leaves  // the child ends, or becomes another program
)

// does returns what a call does, by the name that the function has where it is declared.
func (f *forks) does(call *ast.CallExpr) int {
	var name string
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		name = fun.Name
		if linked, ok := f.linked[name]; ok && f.isOwn(fun) {
			name = linked[strings.LastIndexByte(linked, '.')+1:]
		}
	case *ast.SelectorExpr:
		name = fun.Sel.Name
	}
	name = strings.ToLower(name)
	switch name = name[strings.LastIndexByte(name, '_')+1:]; name { // syscall.runtime_BeforeFork is runtime.syscall_runtime_BeforeFork
	case "beforefork", "rawvforksyscall":
		return begins
	case "afterfork", "afterforkinchild":
		return ends
	case "syscall", "syscall6", "rawsyscall", "rawsyscall6", "rawsyscallnoerror":
		if len(call.Args) > 0 {
			return number(call.Args[0])
		}
	}
	return nothing
}

// number returns what the system call does whose number the expression has, which is named after it.
func number(e ast.Expr) int {
	switch n := ast.Unparen(e).(type) {
	case *ast.SelectorExpr:
		return number(n.Sel)
	case *ast.CallExpr: // a conversion
		if len(n.Args) == 1 {
			return number(n.Args[0])
		}
	case *ast.Ident:
		name := strings.ToLower(n.Name)
		switch name = strings.TrimPrefix(strings.TrimPrefix(name, "sys"), "_"); name {
		case "clone", "clone3", "fork", "vfork":
			return begins
		case "execve", "execveat", "exit", "exit_group":
			return leaves
		}
	}
	return nothing
}

// isOwn reports whether an identifier may be a function of the package.
func (f *forks) isOwn(id *ast.Ident) bool {
	obj := f.info.Uses[id]
	return obj == nil || f.decls[obj] != nil
}

// callees returns the functions and methods of the unit that a call is of.
func (f *forks) callees(call *ast.CallExpr) []*ast.FuncDecl {
	fun := ast.Unparen(call.Fun)
	switch generic := fun.(type) {
	case *ast.IndexExpr:
		fun = generic.X
	case *ast.IndexListExpr:
		fun = generic.X
	}
	switch fun := fun.(type) {
	case *ast.Ident:
		if f.isOwn(fun) {
			return f.byName[fun.Name]
		}
	case *ast.SelectorExpr:
		if method, ok := f.info.Uses[fun.Sel].(*types.Func); ok {
			if fn := f.decls[method.Origin()]; fn != nil {
				return []*ast.FuncDecl{fn}
			}
		}
	}
	return nil
}

// each calls f for the calls in a body, in source order.
func each(body *ast.BlockStmt, f func(*ast.CallExpr)) {
	ast.Inspect(body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			f(call)
		}
		return true
	})
}
