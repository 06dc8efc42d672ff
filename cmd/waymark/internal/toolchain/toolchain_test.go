package toolchain

import (
	"go/ast"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/internal/format"
)

// The hooks can't import package format, so they repeat its layout.
func TestLayoutIsThatOfFormat(t *testing.T) {
	var sources [][]byte
	for _, name := range []string{"waymark.go", "waymark_cursor.go", "waymark_types.go", "waymark_values.go"} {
		src, err := hooks.ReadFile("_runtime/" + name)
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, src)
	}
	pkg := constants(t, sources...)
	code := func(c uint64) uint64 { return format.FirstCode<<format.SiteShift | c<<format.CodeShift }
	for name, want := range map[string]uint64{
		"wmChunkSize": format.ChunkSize, "wmChunkHeader": format.ChunkHeader, "wmRecordSize": format.RecordSize,
		"wmChunkFree": format.ChunkFree, "wmChunkActive": format.ChunkActive, "wmChunkFull": format.ChunkFull,
		"wmExitBit": format.ExitBit, "wmValueMask": format.ValueMask,
		"wmGo": code(format.CodeGo), "wmStart": code(format.CodeStart), "wmEnd": code(format.CodeEnd),
		"wmPanic": code(format.CodePanic), "wmRecover": code(format.CodeRecover), "wmGoexit": code(format.CodeGoexit),
		"wmOrigin": code(format.CodeOrigin), "wmOriginsOffset": format.OriginsOffset,
		"wmChunkTypes": format.ChunkTypes, "wmValuesCode": code(format.CodeValues),
		"wmNil": format.TypeNil, "wmMaskedID": format.TypeMasked, "wmUnread": format.TypeUnread, "wmTextID": format.TypeText,
		"wmFirstID": format.FirstType, "wmFunction": uint64(format.KindFunction), "wmMaxCount": math.MaxUint16,
	} {
		c, ok := pkg.Scope().Lookup(name).(*types.Const)
		if !ok {
			t.Errorf("no constant %s", name)
			continue
		}
		if got, exact := constant.Uint64Val(c.Val()); !exact || got != want {
			t.Errorf("%s is %v, in package format it is %#x", name, c.Val(), want)
		}
	}
	// The chunk's header and the control chunk, by what format reads from them.
	b := make([]byte, format.ChunkSize)
	for i := range b[:format.ChunkHeader] {
		b[i] = byte(i)
	}
	h := format.ParseChunk(b)
	at := func(v uint64) uint64 { return v & 0xFF } // the offset that the value was read from
	if got := [...]uint64{at(uint64(h.State)), at(uint64(h.Stream)), at(h.Seq), at(h.Clock), at(h.Goroutine), at(uint64(h.End)), at(h.Lost), at(h.Filled)}; got != [...]uint64{0, 4, 8, 16, 24, 32, 40, 48} {
		t.Errorf("package format reads a chunk's header at %v; wmChunkHead has its fields elsewhere", got)
	}
	clear(b)
	format.PutControl(b, format.Control{})
	for i, name := range []string{"wmControlClock", "wmControlMono", "wmControlOrigins", "wmControlBefore"} {
		c := pkg.Scope().Lookup(name).(*types.Const)
		if got, _ := constant.Uint64Val(c.Val()); got != uint64(40+8*i) {
			t.Errorf("%s is %d", name, got)
		}
	}
	first := pkg.Scope().Lookup("wmControlType").(*types.Const)
	if off, _ := constant.Uint64Val(first.Val()); off == 0 || off >= format.OriginsOffset {
		t.Errorf("wmControlType is %v", first.Val())
	} else if b[off] = 3; format.FirstTypes(b) != 3 {
		t.Errorf("package format does not find the first chunk of types at %d", off)
	}
	if next := format.NextTypes(h); at(uint64(next)) != 24 {
		t.Errorf("package format finds the next chunk of types at %d; wmNewTypeChunk writes it elsewhere", next)
	}
	b[40], b[48], b[64] = 1, 2, 3
	if c, err := format.ParseControl(b); err != nil || c.Pair.Clock != 1 || c.Pair.MonoNano != 2 || c.Before != 3 {
		t.Errorf("control chunk reads as %+v, %v", c, err)
	}
}

// constants type-checks the constants of files alone. Those that refer to something
// else than each other are left without a value.
func constants(t *testing.T, sources ...[]byte) *types.Package {
	fset := token.NewFileSet()
	only := &ast.File{Name: ast.NewIdent("hooks")}
	for _, src := range sources {
		file, err := parser.ParseFile(fset, "hooks.go", src, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.CONST {
				only.Decls = append(only.Decls, g)
			}
		}
	}
	conf := types.Config{Importer: importer.Default(), Error: func(error) {}}
	pkg, _ := conf.Check("hooks", fset, []*ast.File{only}, nil)
	return pkg
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

// goroot gives the folder of the Go tree that the go command uses.
func goroot(t *testing.T) string {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// patches are the packages that Patch and PatchTesting change.
var patches = []struct {
	pkg     string
	anchors []anchor
	patch   func(goroot, version string) (map[string]File, error)
}{
	{"runtime", anchors, func(goroot, version string) (map[string]File, error) {
		return Patch(goroot, version, []string{"errors", "example.com/agent"})
	}},
	{"testing", testAnchors, PatchTesting},
}

func TestPatchKeepsLines(t *testing.T) {
	for _, c := range patches {
		files, err := c.patch(goroot(t), runtime.Version())
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
		files, err := c.patch(goroot(t), runtime.Version())
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range c.anchors {
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
						if strings.HasPrefix(a.before, "for ") || strings.HasPrefix(a.before, "if ") {
							other = "other_: " // a statement that isn't one of its block
						}
						src = []byte(strings.ReplaceAll(string(src), a.before, other+a.before))
					}
				}
				if err := os.WriteFile(filepath.Join(dir, filepath.Base(path)), src, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			_, err := c.patch(root, "go1.99")
			if err == nil || !strings.Contains(err.Error(), "go1.99") || !strings.Contains(err.Error(), Tested[0]) || !strings.Contains(err.Error(), a.file) {
				t.Errorf("without the anchor %q of %s: %v; want an error that names the release, the file and the tested ones", a.before+a.typ, a.file, err)
			}
		}
	}
}

// Package testing's hooks can't import package format, so they repeat its states.
func TestStatesAreThoseOfFormat(t *testing.T) {
	src, err := hooks.ReadFile("_testing/waymark.go")
	if err != nil {
		t.Fatal(err)
	}
	pkg := constants(t, src)
	for name, want := range map[string]format.TestState{
		"wmTestBegins": format.TestBegins, "wmTestPauses": format.TestPauses, "wmTestContinues": format.TestContinues,
		"wmTestPasses": format.TestPasses, "wmTestFails": format.TestFails, "wmTestSkips": format.TestSkips,
		"wmTestPanics": format.TestPanics, "wmTestLogs": format.TestLogs, "wmTestErrs": format.TestErrs,
	} {
		c, ok := pkg.Scope().Lookup(name).(*types.Const)
		if !ok {
			t.Errorf("no constant %s", name)
			continue
		}
		if got, exact := constant.Uint64Val(c.Val()); !exact || got != uint64(want) {
			t.Errorf("%s is %v, in package format it is %d", name, c.Val(), want)
		}
	}
}
