package image

import (
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// build builds a small program with these flags, in an environment with more variables.
func build(t *testing.T, flags []string, environ ...string) *Image {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module small\n\ngo 1.24\n", "main.go": "package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(1) }\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", append(append([]string{"build"}, flags...), "-o", "small", ".")...)
	cmd.Dir, cmd.Env = dir, append(append(os.Environ(), "GOWORK=off", "GOFLAGS=", "CGO_ENABLED=0", "GOOS=linux", "GOARCH=amd64"), environ...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	im, err := Open(filepath.Join(dir, "small"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { im.Close() })
	return im
}

// What is known of a release's runtime is what DWARF says, and a stripped program's variables are found
// where its symbols would have them.
func TestLayouts(t *testing.T) {
	for _, release := range []string{"local", "go1.25.0", "go1.27.2"} {
		t.Run(release, func(t *testing.T) {
			t.Parallel()
			environ := "GOTOOLCHAIN=" + release
			if out, err := (&exec.Cmd{Path: goCommand(t), Args: []string{"go", "version"}, Env: append(os.Environ(), environ), Dir: t.TempDir()}).CombinedOutput(); err != nil {
				t.Skipf("this release can't be had here: %s", out)
			}
			testLayout(t, environ)
		})
	}
}

func goCommand(t *testing.T) string {
	path, err := exec.LookPath("go")
	if err != nil {
		t.Skip("there is no go command")
	}
	return path
}

func testLayout(t *testing.T, environ string) {
	whole, stripped := build(t, nil, environ), build(t, []string{"-ldflags=-s -w"}, environ)
	if whole.Stripped() || !stripped.Stripped() {
		t.Fatalf("stripped: %v and %v", whole.Stripped(), stripped.Stripped())
	}
	if whole.Layout != stripped.Layout {
		t.Errorf("%s has\n%+v, known is\n%+v", whole.Release, whole.Layout, stripped.Layout)
	}
	for name, at := range whole.search() {
		if at != whole.vars[name] || at == 0 {
			t.Errorf("%s is at %#x, and found at %#x", name, whole.vars[name], at)
		}
	}
	if at := whole.vars["runtime.firstmoduledata"]; at == 0 || at != whole.findPointer(whole.tables.at) {
		t.Errorf("the runtime's description of the program is at %#x, and found at %#x", at, whole.findPointer(whole.tables.at))
	}
	for _, im := range []*Image{whole, stripped} {
		main := im.Named("main.main")
		if names := main.Inlined(); !slices.Contains(names, "fmt.Println") {
			t.Errorf("in main.main are inlined %v", names)
		}
	}
	if len(whole.Funcs) != len(stripped.Funcs) || whole.Named("main.main") == nil {
		t.Errorf("%d functions, %d without symbols", len(whole.Funcs), len(stripped.Funcs))
	}
	f := whole.Named("main.main")
	if f.Line() != 5 || filepath.Base(f.File()) != "main.go" || f.Package() != "main" || f.Runtime() {
		t.Errorf("main.main is at %s:%d in %s", f.File(), f.Line(), f.Package())
	}
	if depth, ok := f.Depth().At(f.Entry); depth != 0 || !ok {
		t.Errorf("main.main begins %d bytes deep", depth)
	}
	if !whole.Named("runtime.mallocgc").Runtime() {
		t.Error("runtime.mallocgc isn't the runtime's")
	}
}

// Calls at instructions are what package runtime says of this very program, whether or not it is known by symbols.
func TestFrames(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	im, err := Open(self)
	if err != nil {
		t.Skip(err) // on another platform
	}
	defer im.Close()
	bias := uint64(reflect.ValueOf(TestFrames).Pointer()) - im.Named(runtime.FuncForPC(reflect.ValueOf(TestFrames).Pointer()).Name()).Entry
	inlined, compared := 0, 0
	for _, f := range im.Funcs {
		if f.Assembly() || strings.HasPrefix(f.Name, "go:") || strings.HasPrefix(f.Name, "type:") {
			continue
		}
		for pc := f.Entry; pc < f.Entry+uint64(len(f.Code())); pc += 37 {
			if v, ok := f.table(f.field(recordLines)).At(pc); !ok || v <= 0 {
				continue
			}
			want := runtime.CallersFrames([]uintptr{uintptr(pc + bias + 1)})
			for _, got := range im.Frames(pc) {
				w, _ := want.Next()
				if w.Function == "" { // the runtime hides wrappers
					break
				}
				if got.Function != w.Function && !strings.Contains(got.Function, "[") || got.Line != w.Line || got.File != w.File {
					t.Fatalf("%#x of %s: %+v, want %s %s:%d", pc-f.Entry, f.Name, got, w.Function, w.File, w.Line)
				}
				compared++
				if got.Inlined {
					inlined++
				}
			}
		}
	}
	t.Logf("%d calls, %d of them inlined", compared, inlined)
	if inlined < 10_000 {
		t.Error("too few to show anything")
	}
}
