package toolchain

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The hooks repeat the beginnings of two structs of package maps, since package runtime can't see
// their fields.
func TestMapsLayout(t *testing.T) {
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(strings.TrimSpace(string(goroot)), "src", "internal", "runtime", "maps")
	hooks, err := hooks.ReadFile("_runtime/waymark_maps.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ file, name, ours string }{{"map.go", "Map", "wmMap"}, {"table.go", "table", "wmMapTable"}} {
		src, err := os.ReadFile(filepath.Join(dir, c.file))
		if err != nil {
			t.Fatal(err)
		}
		got, want := fieldsOf(t, hooks, c.ours), fieldsOf(t, src, c.name)
		if i := slices.Index(want, "groups groupsReference"); i >= 0 {
			group, err := os.ReadFile(filepath.Join(dir, "group.go"))
			if err != nil {
				t.Fatal(err)
			}
			reference := fieldsOf(t, group, "groupsReference")
			reference[0] = strings.Replace(reference[0], "data", "groups", 1)
			want = slices.Replace(want, i, i+1, reference...)
		}
		if len(got) < 2 || !slices.Equal(got, want[:min(len(got), len(want))]) {
			t.Errorf("%s begins with %q, %s with %q", c.ours, got, c.name, want)
		}
	}
}

// fieldsOf lists the fields of a struct type with their types; a pointer is a number.
func fieldsOf(t *testing.T, src []byte, name string) (fields []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), name, src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok || spec.Name.Name != name {
			return true
		}
		for _, f := range spec.Type.(*ast.StructType).Fields.List {
			typ := strings.Replace(types.ExprString(f.Type), "unsafe.Pointer", "uintptr", 1)
			for _, id := range f.Names {
				fields = append(fields, id.Name+" "+typ)
			}
		}
		return false
	})
	return fields
}
