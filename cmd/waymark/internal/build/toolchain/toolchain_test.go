package toolchain

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/internal/wire/format"
)

// The hooks write a chunk's header as a struct of theirs: its fields lie where package format reads
// them.
func TestChunkHeadIsThatOfFormat(t *testing.T) {
	b := make([]byte, format.ChunkSize)
	for i := range b[:format.ChunkHeader] {
		b[i] = byte(i)
	}
	h := format.ParseChunk(b)
	at := func(v uint64) int64 { return int64(v & 0xFF) } // the offset that the value was read from
	want := map[string]int64{
		"state": at(uint64(h.State)), "stream": at(uint64(h.Stream)), "seq": at(h.Seq), "clock": at(h.Clock),
		"goroutine": at(h.Goroutine), "end": at(uint64(h.End)), "lost": at(h.Lost), "filled": at(h.Filled),
	}
	got := offsets(t, "wmChunkHead")
	for name, offset := range want {
		if got[name] != offset {
			t.Errorf("wmChunkHead.%s is at %d, package format reads it at %d", name, got[name], offset)
		}
	}
	if next := at(uint64(format.NextTypes(h))); got["goroutine"] != next {
		t.Errorf("wmNewTypeChunk writes the next chunk of types at %d, package format reads it at %d", got["goroutine"], next)
	}
}

// offsets returns the offsets of the fields of a struct type in the hooks, bytes.
func offsets(t *testing.T, name string) map[string]int64 {
	t.Helper()
	files, err := Patch(goroot(t), runtime.Version(), false, nil)
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	only := &ast.File{Name: ast.NewIdent("hooks")}
	for path, file := range files {
		if !strings.HasPrefix(filepath.Base(path), "waymark") || filepath.Ext(path) != ".go" {
			continue
		}
		parsed, err := parser.ParseFile(fset, path, file.Content, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.TYPE {
				only.Decls = append(only.Decls, g)
			}
		}
	}
	conf := types.Config{Error: func(error) {}} // of types of package runtime's own
	pkg, _ := conf.Check("hooks", fset, []*ast.File{only}, nil)
	typ, ok := pkg.Scope().Lookup(name).(*types.TypeName)
	if !ok {
		t.Fatalf("the hooks have no type %s", name)
	}
	s := typ.Type().Underlying().(*types.Struct)
	var fields []*types.Var
	for i := range s.NumFields() {
		fields = append(fields, s.Field(i))
	}
	out := make(map[string]int64)
	for i, offset := range types.SizesFor("gc", "amd64").Offsetsof(fields) {
		out[fields[i].Name()] = offset
	}
	return out
}

// The hooks write the runtime's kinds of types, which are those of package reflect.
func TestKindsAreThoseOfFormat(t *testing.T) {
	names := map[format.TypeKind]reflect.Kind{
		format.KindBool: reflect.Bool, format.KindInt: reflect.Int, format.KindInt8: reflect.Int8, format.KindInt16: reflect.Int16,
		format.KindInt32: reflect.Int32, format.KindInt64: reflect.Int64, format.KindUint: reflect.Uint, format.KindUint8: reflect.Uint8,
		format.KindUint16: reflect.Uint16, format.KindUint32: reflect.Uint32, format.KindUint64: reflect.Uint64, format.KindUintptr: reflect.Uintptr,
		format.KindFloat32: reflect.Float32, format.KindFloat64: reflect.Float64, format.KindComplex64: reflect.Complex64,
		format.KindComplex128: reflect.Complex128, format.KindArray: reflect.Array, format.KindChan: reflect.Chan, format.KindFunc: reflect.Func,
		format.KindInterface: reflect.Interface, format.KindMap: reflect.Map, format.KindPointer: reflect.Pointer, format.KindSlice: reflect.Slice,
		format.KindString: reflect.String, format.KindStruct: reflect.Struct, format.KindUnsafePointer: reflect.UnsafePointer,
	}
	for kind, want := range names {
		if uint(kind) != uint(want) {
			t.Errorf("%v is %d, in package format %d", want, want, kind)
		}
	}
	if last := reflect.Kind(len(names)); last != reflect.UnsafePointer {
		t.Errorf("there is a kind that package format does not have: %v", last)
	}
}

// goroot returns the folder of the Go tree that the go command uses.
func goroot(t *testing.T) string {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// patches are the packages that Patch, PatchTesting and PatchHTTP change.
var patches = []struct {
	pkg     string
	anchors []anchor
	patch   func(goroot, version string, untested bool) (map[string]File, error)
}{
	{"runtime", anchors, func(goroot, version string, untested bool) (map[string]File, error) {
		return Patch(goroot, version, untested, []string{"errors", "example.com/agent"})
	}},
	{"testing", testAnchors, PatchTesting},
	{"net/http", httpAnchors, PatchHTTP},
}

func TestPatchKeepsLines(t *testing.T) {
	for _, c := range patches {
		files, err := c.patch(goroot(t), runtime.Version(), false)
		if err != nil {
			t.Fatal(err)
		}
		for path, file := range files {
			got, name := file.Content, filepath.Base(path)
			if strings.HasPrefix(name, "waymark") {
				if _, err := os.Stat(path); err == nil {
					t.Errorf("package %s has a file %s of its own", c.pkg, name)
				}
				continue
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if g, w := strings.Count(string(got), "\n"), strings.Count(string(want), "\n"); g != w {
				t.Errorf("%s has %d lines, %d before", name, g, w)
			}
			if len(file.Runs) < 2 {
				t.Errorf("%s is not changed", name)
			}
			for _, r := range file.Runs {
				if string(got[r.New:r.New+r.Size]) != string(want[r.Old:r.Old+r.Size]) {
					t.Errorf("%s: %v is not what is kept", name, r)
				}
			}
		}
	}
}

// A package that is not understood is refused, with what is missing and what is tested.
func TestUnknownToolchain(t *testing.T) {
	for _, c := range patches {
		files, err := c.patch(goroot(t), runtime.Version(), false)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range c.anchors {
			if a.each != "" {
				continue // not in all releases
			}
			root := t.TempDir()
			dir := filepath.Join(root, "src", c.pkg)
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			for path := range files {
				src, err := os.ReadFile(path)
				if err != nil {
					continue // a file that is added
				}
				if filepath.Base(path) == a.file {
					// Rename what the anchor looks for.
					if a.typ != "" {
						src = []byte(strings.ReplaceAll(string(src), "type "+a.typ+" struct", "type other_"+a.typ+" struct"))
					} else {
						other := "other_"
						if word, _, _ := strings.Cut(a.before, " "); word == "for" || word == "if" || word == "return" {
							other = "other_: " // a statement that isn't one of its block
						}
						src = []byte(strings.ReplaceAll(string(src), a.before, other+a.before))
					}
				}
				if err := os.WriteFile(filepath.Join(dir, filepath.Base(path)), src, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			_, err := c.patch(root, "go1.99", true)
			if err == nil || !strings.Contains(err.Error(), "go1.99") || !strings.Contains(err.Error(), Tested[0]) || !strings.Contains(err.Error(), a.file) {
				t.Errorf("without the anchor %q of %s: %v; want an error that names the release, the file and the tested ones", a.before+a.typ, a.file, err)
			}
		}
	}
}
