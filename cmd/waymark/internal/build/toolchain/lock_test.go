package toolchain

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"strings"
	"testing"
)

// Each lock of the hooks has a place in the written order, and gets its rank.
func TestLocksHaveRanks(t *testing.T) {
	order, err := hooks.ReadFile("_runtime/waymark_locks.go")
	if err != nil {
		t.Fatal(err)
	}
	entries, err := hooks.ReadDir("_runtime")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	only := make(map[string]string) // the variable of a type, by its name
	for _, e := range entries {
		if path.Ext(e.Name()) != ".go" {
			continue
		}
		src, err := hooks.ReadFile("_runtime/" + e.Name())
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseFile(token.NewFileSet(), e.Name(), src, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			gen, ok := decl.(*ast.GenDecl)
			if !ok || gen.Tok == token.IMPORT || gen.Tok == token.CONST {
				continue
			}
			for _, spec := range gen.Specs {
				found = append(found, locks(spec)...)
				if v, ok := spec.(*ast.ValueSpec); ok {
					if of, ok := v.Type.(*ast.Ident); ok {
						only[of.Name] = v.Names[0].Name
					}
				}
			}
		}
	}
	if len(found) < 3 {
		t.Errorf("found the locks %q only", found)
	}
	for _, name := range found {
		if of, field, ok := strings.Cut(name, "."); ok && only[of] != "" {
			name = only[of] + "." + field
		}
		if !strings.Contains(string(order), "\n//\t"+name+" ") {
			t.Errorf("the order in waymark_locks.go does not name %s", name)
		}
		if !strings.Contains(string(order), "lockInit(&"+name+", ") {
			t.Errorf("wmRankLocks gives %s no rank", name)
		}
	}
}

// locks returns the names of the locks that a variable or a type declares.
func locks(spec ast.Spec) (names []string) {
	var name string
	var typ ast.Expr
	switch s := spec.(type) {
	case *ast.ValueSpec:
		name, typ = s.Names[0].Name, s.Type
	case *ast.TypeSpec:
		name, typ = s.Name.Name, s.Type
	}
	if s, ok := typ.(*ast.StructType); ok {
		for _, f := range s.Fields.List {
			if types.ExprString(f.Type) == "mutex" {
				for _, id := range f.Names {
					names = append(names, name+"."+id.Name)
				}
			}
		}
	} else if typ != nil && types.ExprString(typ) == "mutex" {
		names = append(names, name)
	}
	return names
}
