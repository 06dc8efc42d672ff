package toolchain

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"github.com/waymark-go/waymark"
)

// addConditions adds to the overlay of package runtime in dir what evaluates conditions on calls.
// These are files of package condition, in which names at the top level begin with wmCondition.
func addConditions(out map[string]File, dir string) error {
	fset := token.NewFileSet()
	files := make(map[string]*ast.File)
	names := map[string]bool{"readable": true} // a function that each of the packages has
	for _, name := range []string{"ops.go", "relations.go", "run.go"} {
		src, err := waymark.Source.ReadFile("internal/program/condition/" + name)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files[name] = file
		addNames(names, file)
	}
	for name, file := range files {
		file.Name.Name = "runtime"
		file.Comments = slices.DeleteFunc(file.Comments, func(c *ast.CommentGroup) bool {
			return c.End() < file.Package // a constraint
		})
		parts := make(map[*ast.Ident]bool) // fields and methods
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				parts[n.Sel] = true
			case *ast.Ident:
				if names[n.Name] && !parts[n] {
					n.Name = conditionName(n.Name)
				}
			}
			return true
		})
		var b bytes.Buffer
		if err := format.Node(&b, fset, file); err != nil {
			return err
		}
		out[filepath.Join(dir, "waymark_condition_"+name)] = File{Content: b.Bytes()}
	}
	return nil
}

// addNames adds the names that a file declares at its top level.
func addNames(names map[string]bool, file *ast.File) {
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				names[d.Name.Name] = true
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					names[s.Name.Name] = true
				case *ast.ValueSpec:
					for _, id := range s.Names {
						names[id.Name] = true
					}
				}
			}
		}
	}
}

// conditionName returns the name in package runtime of what package condition calls name.
func conditionName(name string) string {
	return "wmCondition" + strings.ToUpper(name[:1]) + name[1:]
}
