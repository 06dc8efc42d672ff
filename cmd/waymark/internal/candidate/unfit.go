package candidate

import (
	"go/ast"

	"github.com/waymark-go/waymark/cmd/waymark/internal/syntax"
)

// unfit are functions of the standard library that nothing in their source
// tells from others, but which run where the hooks must not be called.
var unfit = map[string]string{
	"sync.poolCleanup": "runs while the world is stopped",
	"time.goFunc":      "runs on the system stack",
	"time.sendTime":    "runs on the system stack",
}

// betweenForkAndExec returns the functions of package syscall that run in a
// child process before it executes a program, where no stack may grow and
// nothing may be allocated: the one that prepares the fork and all that it
// calls, which includes functions that are safe there only when inlined.
func betweenForkAndExec(t *syntax.Tree) map[*ast.FuncDecl]bool {
	found := make(map[*ast.FuncDecl]bool)
	if t.Unit.ImportPath != "syscall" {
		return found
	}
	byName := make(map[string][]*ast.FuncDecl) // several, if files are for several systems
	for _, fn := range t.Funcs() {
		if fn.Recv == nil && fn.Body != nil {
			byName[fn.Name.Name] = append(byName[fn.Name.Name], fn)
		}
	}
	var add func(*ast.FuncDecl)
	add = func(fn *ast.FuncDecl) {
		if found[fn] {
			return
		}
		found[fn] = true
		for name := range calledNames(fn) {
			for _, callee := range byName[name] {
				add(callee)
			}
		}
	}
	for _, fn := range t.Funcs() {
		if fn.Body != nil && calledNames(fn)["runtime_BeforeFork"] {
			add(fn)
		}
	}
	return found
}

// calledNames returns the names of the functions that fn calls by name.
func calledNames(fn *ast.FuncDecl) map[string]bool {
	names := make(map[string]bool)
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if id, ok := call.Fun.(*ast.Ident); ok {
				names[id.Name] = true
			}
		}
		return true
	})
	return names
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
