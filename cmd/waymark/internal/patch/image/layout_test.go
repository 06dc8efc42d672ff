package image

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// build builds a small program with these flags of the linker.
func build(t *testing.T, ldflags string) *Image {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module small\n\ngo 1.24\n", "main.go": "package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(1) }\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "build", "-ldflags="+ldflags, "-o", "small", ".")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=", "CGO_ENABLED=0", "GOOS=linux", "GOARCH=amd64")
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
	whole, stripped := build(t, ""), build(t, "-s -w")
	if whole.Stripped() || !stripped.Stripped() {
		t.Fatalf("stripped: %v and %v", whole.Stripped(), stripped.Stripped())
	}
	if whole.Release != runtime.Version() {
		t.Logf("%s builds, %s tests", whole.Release, runtime.Version())
	}
	if whole.Layout != stripped.Layout {
		t.Errorf("%s has\n%+v, known is\n%+v", whole.Release, whole.Layout, stripped.Layout)
	}
	for name, at := range whole.search() {
		if at != whole.vars[name] || at == 0 {
			t.Errorf("%s is at %#x, and found at %#x", name, whole.vars[name], at)
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
