package gocmd

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Packages that go list names as variants only are listed by their own paths, once each. Such
// packages are those that programs with profiles import, and those that are compiled anew for a
// test.
func TestList(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":           "module m\n\ngo 1.24\n",
		"a/a.go":           "package main\n\nimport \"m/lib\"\n\nfunc main() { lib.F() }\n",
		"a/default.pgo":    "",
		"a/a_test.go":      "package main\n",
		"b/b.go":           "package main\n\nimport \"m/lib\"\n\nfunc main() { lib.F() }\n",
		"b/default.pgo":    "",
		"lib/lib.go":       "package lib\n\nfunc F() {}\n",
		"core/core.go":     "package core\n\nimport _ \"m/lib\"\n",
		"core/in_test.go":  "package core\n",
		"core/out_test.go": "package core_test\n\nimport (\n\t_ \"m/core\"\n\t_ \"m/core_test\"\n\t_ \"m/helper\"\n)\n",
		"core_test/c.go":   "package core_test\n\nimport _ \"m/core\"\n",
		"helper/h.go":      "package helper\n\nimport _ \"m/core\"\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	e, err := LoadEnv(dir, t.TempDir(), "GOWORK=off", "GOFLAGS=")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args string
		test bool
		want string // with * what was asked for
	}{
		{"./a ./b", false, "*m/a *m/b m/lib"},
		{"./...", false, "*m/a *m/b *m/core *m/core_test *m/helper *m/lib"},
		{"./a ./b", true, "*m/a *m/b m/lib"},
		{"./core", true, "*m/core m/core_test m/helper m/lib"},
		{"./core ./helper", true, "*m/core m/core_test *m/helper m/lib"},
		{"./...", true, "*m/a *m/b *m/core *m/core_test *m/helper *m/lib"},
	} {
		pkgs, err := e.List(nil, strings.Fields(c.args), c.test)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range pkgs {
			if p.Standard {
				continue
			}
			name := p.ImportPath
			if !p.DepOnly {
				name = "*" + name
			}
			got = append(got, name)
			if p.Name == "core" && (!slices.Equal(p.GoFiles, []string{"core.go"}) || len(p.XTestGoFiles) != 1) {
				t.Errorf("%s: core has the files %q and the tests %q", c.args, p.GoFiles, p.XTestGoFiles)
			}
			for _, path := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
				if strings.Contains(path, " ") {
					t.Errorf("%s: %s imports the variant %s", c.args, p.ImportPath, path)
				}
			}
		}
		slices.SortFunc(got, func(a, b string) int { return strings.Compare(strings.Trim(a, "*"), strings.Trim(b, "*")) })
		if got := strings.Join(got, " "); got != c.want {
			t.Errorf("%s, tests %v: got %s; want %s", c.args, c.test, got, c.want)
		}
	}
}
