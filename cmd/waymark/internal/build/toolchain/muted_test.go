package toolchain

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"testing"
)

// The hooks call the library's functions on muted goroutines only: what these call may be instrumented, and would
// come back to the hook without end. A call stands behind wmMute(gp, true) in its block, or in a literal that
// wmWork calls.
func TestLibraryIsMuted(t *testing.T) {
	entries, err := hooks.ReadDir("_runtime")
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, e := range entries {
		if path.Ext(e.Name()) != ".go" {
			continue
		}
		src, err := hooks.ReadFile("_runtime/" + e.Name())
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseFile(fset, e.Name(), src, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	library := map[string]bool{"wmMonitor.Pass": true, "wmMonitor.Enter": true, "wmMonitor.Exit": true, "wmMonitor.Panic": true, "wmMonitor.Info": true}
	for _, file := range files {
		for _, decl := range file.Decls {
			if gen, ok := decl.(*ast.GenDecl); ok && gen.Tok == token.VAR {
				for _, spec := range gen.Specs {
					for _, name := range functions(spec.(*ast.ValueSpec)) {
						library[name] = true
					}
				}
			}
		}
	}
	calls := 0
	for _, file := range files {
		muted := make(map[ast.Node]bool)
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BlockStmt:
				on := false
				for _, stmt := range n.List {
					if e, ok := stmt.(*ast.ExprStmt); ok {
						switch types.ExprString(e.X) {
						case "wmMute(gp, true)":
							on = true
						case "wmMute(gp, false)":
							on = false
						}
					}
					muted[stmt] = on
				}
			case *ast.CallExpr:
				if types.ExprString(n.Fun) == "wmWork" {
					muted[n] = true
				}
			}
			return true
		})
		var within []bool // by nesting: whether what is there is muted
		var stack []ast.Node
		ast.Inspect(file, func(n ast.Node) bool {
			if n == nil {
				stack, within = stack[:len(stack)-1], within[:len(within)-1]
				return true
			}
			is := muted[n] || len(within) > 0 && within[len(within)-1]
			stack, within = append(stack, n), append(within, is)
			if call, ok := n.(*ast.CallExpr); ok && library[types.ExprString(call.Fun)] {
				calls++
				if !is {
					t.Errorf("%s: %s is called where the goroutine isn't muted", fset.Position(n.Pos()), types.ExprString(call.Fun))
				}
			}
			return true
		})
	}
	if calls < 10 {
		t.Errorf("found %d calls of the library's functions only", calls)
	}
}

// functions returns the names of the variables that a declaration declares and that hold functions, in fields, too.
func functions(s *ast.ValueSpec) (names []string) {
	switch typ := s.Type.(type) {
	case *ast.FuncType:
		for _, id := range s.Names {
			names = append(names, id.Name)
		}
	case *ast.StructType:
		for _, f := range typ.Fields.List {
			if _, ok := f.Type.(*ast.FuncType); ok {
				for _, id := range f.Names {
					names = append(names, s.Names[0].Name+"."+id.Name)
				}
			}
		}
	}
	return names
}
