package affected

import (
	"path/filepath"
	"testing"
)

// A package is checked again for the second state if what it imports is another one, though it is the same itself.
func TestLibrary(t *testing.T) {
	dir := t.TempDir()
	load := func(version string, lib *Library) *State {
		t.Helper()
		a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b"+version)
		return written(t, filepath.Join(dir, "m"+version), map[string]string{
			"../a/go.mod":                "module example.com/a\n\ngo 1.22\n",
			"../a/a.go":                  "package a\n\nimport \"example.com/b\"\n\nfunc Make() (t b.T) { return }\n",
			"../b" + version + "/go.mod": "module example.com/b\n\ngo 1.22\n",
			"../b" + version + "/b.go":   "package b\n\ntype T " + version + "\n",
			"go.mod": "module example.com/m\n\ngo 1.22\n\nrequire (\n\texample.com/a v0.0.0\n\texample.com/b v0.0.0\n)\n\n" +
				"replace (\n\texample.com/a => " + a + "\n\texample.com/b => " + b + "\n)\n",
			"m.go": "package m\n\nimport (\n\t\"example.com/a\"\n\t\"example.com/b\"\n)\n\nvar T b.T = a.Make()\n",
		}, lib)
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
