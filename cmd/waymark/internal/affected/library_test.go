package affected

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/build/gocmd"
)

// A package is checked again for the second state if what it imports is another one, though it is the same itself.
func TestLibrary(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	write("a/go.mod", "module example.com/a\n\ngo 1.22\n")
	write("a/a.go", "package a\n\nimport \"example.com/b\"\n\nfunc Make() (t b.T) { return }\n")
	load := func(version string, lib *Library) *State {
		t.Helper()
		write("b"+version+"/go.mod", "module example.com/b\n\ngo 1.22\n")
		write("b"+version+"/b.go", "package b\n\ntype T "+version+"\n")
		write("m"+version+"/go.mod", "module example.com/m\n\ngo 1.22\n\nrequire (\n\texample.com/a v0.0.0\n\texample.com/b v0.0.0\n)\n\n"+
			"replace (\n\texample.com/a => "+filepath.Join(dir, "a")+"\n\texample.com/b => "+filepath.Join(dir, "b"+version)+"\n)\n")
		write("m"+version+"/m.go", "package m\n\nimport (\n\t\"example.com/a\"\n\t\"example.com/b\"\n)\n\nvar T b.T = a.Make()\n")
		env, err := gocmd.LoadEnv(filepath.Join(dir, "m"+version), filepath.Join(dir, "links"), "GOWORK=off", "GOFLAGS=", "GOOS=linux")
		if err != nil {
			t.Fatal(err)
		}
		s, err := Load(Options{Env: env, Packages: []string{"./..."}, Library: lib})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	shared := NewLibrary()
	load("int", shared)
	for _, version := range []string{"int", "string"} {
		for _, key := range []string{"#init", "T"} {
			key = "example.com/m." + key
			got, want := load(version, shared).Hash(key), load(version, nil).Hash(key)
			if got == "" || got != want {
				t.Errorf("with T %s, %s is %q beside another state, and %q alone", version, key, got, want)
			}
		}
	}
}
