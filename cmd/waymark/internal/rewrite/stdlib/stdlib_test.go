package stdlib

import (
	"flag"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/build/toolchain"
)

var (
	update = flag.Bool("update", false, "write declarations.txt anew, which takes minutes")
	long   = flag.Bool("long", false, "compare declarations.txt with the toolchains, which takes minutes")
)

// TestDeclarations compares the file with what the first tested release declares, and with
// what the compilers of all say.
func TestDeclarations(t *testing.T) {
	if !*long && !*update {
		t.Skip("-long is not given")
	}
	pkgs := readLibrary(t)
	releases := make([]string, len(toolchain.Tested))
	bodies := make(map[string]string)
	found := make([]map[string]int, len(releases))
	for i, version := range toolchain.Tested {
		releases[i] = version[:strings.LastIndexByte(version, '.')]
		found[i] = probePrices(t, pkgs, "GOTOOLCHAIN="+version)
	}
	for name := range found[0] {
		list := make([]int, len(found))
		for i := range found {
			list[i] = found[i][name]
		}
		if len(slices.Compact(slices.Clone(list))) == 1 {
			list = list[:1]
		}
		if len(list) > 1 || list[0] != notInlined {
			bodies[name] = " { " + strings.ReplaceAll(strings.Trim(fmt.Sprint(list), "[]"), " ", "; ") + " }"
		}
	}
	var b strings.Builder
	fmt.Fprintln(&b, strings.Join(releases, " "))
	for _, pkg := range pkgs {
		fmt.Fprintf(&b, "-- %s --\n%s", pkg.Path(), declare(pkg, bodies))
	}
	if *update {
		if err := os.WriteFile("declarations.txt", []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if b.String() != declarations {
		t.Error("declarations.txt isn't what the toolchains say: run the test with -update, and look at the difference")
	}
}

// readLibrary reads the standard library.
func readLibrary(t *testing.T) (pkgs []*types.Package) {
	t.Helper()
	build.Default.CgoEnabled, build.Default.GOOS, build.Default.GOARCH = false, "linux", "amd64"
	out, err := exec.Command("go", "list", "std").Output()
	if err != nil {
		t.Fatal(err)
	}
	imp := importer.ForCompiler(token.NewFileSet(), "source", nil)
	for _, path := range strings.Fields(string(out)) {
		if path == "unsafe" || strings.Contains(path, "internal") || strings.HasPrefix(path, "vendor/") {
			continue
		}
		pkg, err := imp.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		pkgs = append(pkgs, pkg)
	}
	return pkgs
}

// TestSources type-checks the file: nothing is missing in it.
func TestSources(t *testing.T) {
	bySource, releases := sources()
	if len(bySource) < 150 || len(releases) != len(toolchain.Tested) {
		t.Errorf("%d packages, releases %q", len(bySource), releases)
	}
	for path, source := range bySource {
		fset := token.NewFileSet()
		tree, err := parser.ParseFile(fset, path, source, parser.SkipObjectResolution)
		if err != nil {
			t.Error(err)
			continue
		}
		conf := types.Config{Importer: importerFunc(Import), IgnoreFuncBodies: true, Error: func(err error) { t.Error(err) }}
		conf.Check(path, fset, []*ast.File{tree}, nil)
	}
}

func TestPrice(t *testing.T) {
	tests := []struct {
		pkg, typ, name string
		release        string
		price          int
		ok             bool
	}{
		{"math/bits", "", "Mul64", "go1.26.8", 0, true},
		{"encoding/binary", "bigEndian", "Uint64", "go1.26.8", 0, true},
		{"sync/atomic", "Int64", "Add", "go1.26.8", 5, true},
		{"bytes", "Buffer", "Len", "go1.26.8", 7, true},
		{"bytes", "Buffer", "ReadFrom", "go1.26.8", 0, false},
		{"encoding/json", "", "NewEncoder", "go1.26.8", 7, true},
		{"encoding/json", "", "NewEncoder", "go1.27.2", 20, true},
		{"encoding/json", "", "NewEncoder", "go1.28", 20, true},
		{"encoding/json", "Decoder", "InputOffset", "go1.27", 0, false},
	}
	for _, tt := range tests {
		obj := Import(tt.pkg).Scope().Lookup(tt.name)
		if tt.typ != "" {
			typ := Import(tt.pkg).Scope().Lookup(tt.typ).Type()
			obj, _, _ = types.LookupFieldOrMethod(typ, true, Import(tt.pkg), tt.name)
		}
		price, ok := Price(obj.(*types.Func), tt.release)
		if ok != tt.ok || ok && price != tt.price {
			t.Errorf("a call of %s in %s costs %d, %t, want %d, %t", obj.(*types.Func).FullName(), tt.release, price, ok, tt.price, tt.ok)
		}
	}
}

func BenchmarkImport(b *testing.B) {
	for b.Loop() {
		newLibrary().load("net/http")
	}
}
