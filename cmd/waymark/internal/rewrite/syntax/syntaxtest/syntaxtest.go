// Package syntaxtest finds real packages for the tests of packages that read syntax trees:
//
//	for _, p := range syntaxtest.List(t, dir, "std") {
//		tree := syntax.Parse(p.Unit(t), new(syntax.Config))
//	}
package syntaxtest

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/syntax"
)

// Go runs the go command outside of any workspace, and returns what it printed.
func Go(t testing.TB, dir string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

// Toolchain returns the version of the go command on the path, which builds the programs of tests.
// It may be another than that which built the test.
var Toolchain = sync.OnceValue(func() string {
	out, err := exec.Command("go", "env", "GOVERSION").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
})

// A Package is what the go command says about a package.
type Package struct {
	ImportPath, Name, Dir     string
	GoFiles, CgoFiles         []string
	TestGoFiles, XTestGoFiles []string
	Module                    *struct{ GoVersion string }
}

// List lists packages as the go command sees them in dir.
func List(t testing.TB, dir string, patterns ...string) []*Package {
	t.Helper()
	const fields = "-json=ImportPath,Name,Dir,GoFiles,CgoFiles,TestGoFiles,XTestGoFiles,Module"
	cmd := exec.Command("go", append([]string{"list", fields}, patterns...)...)
	cmd.Dir = dir
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var list []*Package
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		p := new(Package)
		if err := dec.Decode(p); err == io.EOF {
			return list
		} else if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
}

// Unit returns the files of the package itself.
func (p *Package) Unit(t testing.TB) *syntax.Unit {
	t.Helper()
	u := &syntax.Unit{ImportPath: p.ImportPath, Main: p.Name == "main"}
	if p.Module != nil && p.Module.GoVersion != "" {
		u.GoVersion = "go" + p.Module.GoVersion
	}
	u.Files = append(p.read(t, p.GoFiles), p.read(t, p.CgoFiles)...)
	return u
}

// TestUnit returns the package's tests of the same name.
func (p *Package) TestUnit(t testing.TB) *syntax.Unit {
	t.Helper()
	u := p.Unit(t)
	u.Kind, u.Main = syntax.Test, false
	u.Files, u.With = p.read(t, p.TestGoFiles), u.Files
	return u
}

// XTestUnit returns the tests in a package of their own.
func (p *Package) XTestUnit(t testing.TB) *syntax.Unit {
	t.Helper()
	u := p.Unit(t)
	u.Kind, u.Main = syntax.XTest, false
	u.ImportPath += "_test"
	u.Files, u.Others = p.read(t, p.XTestGoFiles), u.Files
	return u
}

func (p *Package) read(t testing.TB, names []string) []syntax.File {
	t.Helper()
	var files []syntax.File
	for _, name := range names {
		path := filepath.Join(p.Dir, name)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, syntax.File{Path: path, Source: data})
	}
	return files
}
