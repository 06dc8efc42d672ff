package toolchain

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/hook"
)

// Each architecture has what rewritten code calls, once, with the type that package hook states.
func TestHooks(t *testing.T) {
	for _, arch := range []string{"amd64", "arm64", "386", "riscv64", "wasm"} {
		funcs, others := declarations(t, arch)
		for name, want := range hook.Signatures {
			if got := funcs[name]; len(got) != 1 || got[0] != want {
				t.Errorf("%s: %s is declared as %q, want %q once", arch, name, got, want)
			}
		}
		for _, name := range []string{hook.Site, hook.Frame, hook.Package, hook.Word, hook.Masked, hook.Probe, hook.Provider} {
			if others[name] == nil {
				t.Errorf("%s: no type %s", arch, name)
			}
		}
		fields := make(map[string]bool)
		if s, ok := others[hook.Package].(*ast.StructType); ok {
			for _, f := range s.Fields.List {
				for _, id := range f.Names {
					fields[id.Name] = true
				}
			}
		}
		for _, name := range []string{hook.Sites, hook.Table, hook.Settings, hook.Probes, hook.Providers} {
			if !fields[name] {
				t.Errorf("%s: %s has no field %s, it has %v", arch, hook.Package, name, fields)
			}
		}
	}
}

// declarations returns the types of the functions, and the type declarations, in the hooks for an
// architecture.
func declarations(t *testing.T, arch string) (funcs map[string][]string, others map[string]ast.Expr) {
	t.Helper()
	funcs, others = make(map[string][]string), make(map[string]ast.Expr)
	ctx := build.Default
	ctx.GOARCH = arch
	entries, err := os.ReadDir("_runtime")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		match, err := ctx.MatchFile("_runtime", e.Name())
		if err != nil {
			t.Fatal(err)
		}
		if !match || filepath.Ext(e.Name()) != ".go" {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("_runtime", e.Name()), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				if decl.Recv == nil {
					funcs[decl.Name.Name] = append(funcs[decl.Name.Name], types.ExprString(unnamed(decl.Type)))
				}
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					if s, ok := spec.(*ast.TypeSpec); ok {
						others[s.Name.Name] = s.Type
					}
				}
			}
		}
	}
	return funcs, others
}

// unnamed returns a function's type without the names of parameters and results.
func unnamed(f *ast.FuncType) *ast.FuncType {
	without := func(list *ast.FieldList) *ast.FieldList {
		if list == nil {
			return nil
		}
		out := new(ast.FieldList)
		for _, f := range list.List {
			for range max(len(f.Names), 1) {
				out.List = append(out.List, &ast.Field{Type: f.Type})
			}
		}
		return out
	}
	return &ast.FuncType{Params: without(f.Params), Results: without(f.Results)}
}
