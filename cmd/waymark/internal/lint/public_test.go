package lint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/internal/testing/repository"
)

// libraryPackages are the folders of the library's public packages.
var libraryPackages = []string{
	".", "stats", "timing", "monitor", "probe", "trace", "sampler", "callgraph", "histogram", "value", "tracefile", "remote", "agent", "otlp",
}

// Types in public declarations have a public name: an internal one that programs could get, but not name, is
// a mistake.
func TestPublicTypes(t *testing.T) {
	named := make(map[string]bool) // internal types with a public name, as in internal/function.Func
	used := make(map[string]string)
	for _, folder := range libraryPackages {
		files := token.NewFileSet()
		paths, err := filepath.Glob(filepath.Join(repository.Path(t, folder), "*.go"))
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: no files: %v", folder, err)
		}
		for _, name := range paths {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(files, name, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			internal := internalImports(file)
			note := func(node ast.Node) {
				ast.Inspect(node, func(n ast.Node) bool {
					if field, ok := n.(*ast.Field); ok && len(field.Names) > 0 && !ast.IsExported(field.Names[0].Name) {
						if _, fun := field.Type.(*ast.FuncType); fun {
							return false // a method of an interface that only this module has
						}
					}
					if s, ok := n.(*ast.SelectorExpr); ok {
						if x, ok := s.X.(*ast.Ident); ok && internal[x.Name] != "" {
							used[internal[x.Name]+"."+s.Sel.Name] = files.Position(s.Pos()).String()
						}
					}
					return true
				})
			}
			for _, d := range file.Decls {
				switch d := d.(type) {
				case *ast.FuncDecl:
					if ast.IsExported(d.Name.Name) && (d.Recv == nil || ast.IsExported(receiver(d))) {
						note(d.Type)
					}
				case *ast.GenDecl:
					for _, spec := range d.Specs {
						s, ok := spec.(*ast.TypeSpec)
						if !ok || !ast.IsExported(s.Name.Name) {
							continue
						}
						switch of := s.Type.(type) {
						case *ast.SelectorExpr:
							if x, ok := of.X.(*ast.Ident); ok && s.Assign.IsValid() {
								named[internal[x.Name]+"."+of.Sel.Name] = true
							}
						case *ast.StructType:
							for _, f := range of.Fields.List {
								if len(f.Names) == 0 || ast.IsExported(f.Names[0].Name) {
									note(f.Type)
								}
							}
						default:
							note(of)
						}
					}
				}
			}
		}
	}
	for name, at := range used {
		if !named[name] {
			t.Errorf("%s: %s has no public name", at, name)
		}
	}
	if len(used) == 0 || len(named) == 0 {
		t.Errorf("%d internal types in public declarations, %d with a public name; want some", len(used), len(named))
	}
}

// internalImports returns the internal packages that a file imports, by name.
func internalImports(file *ast.File) map[string]string {
	list := make(map[string]string)
	for _, i := range file.Imports {
		importPath, _ := strconv.Unquote(i.Path.Value)
		if _, in, ok := strings.Cut(importPath, "waymark-go/waymark/internal/"); ok {
			name := path.Base(in)
			if i.Name != nil {
				name = i.Name.Name
			}
			list[name] = "internal/" + in
		}
	}
	return list
}

// receiver returns the name of a method's type.
func receiver(d *ast.FuncDecl) string {
	name := ""
	ast.Inspect(d.Recv.List[0].Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && name == "" {
			name = id.Name
		}
		return true
	})
	return name
}
