package gocmd

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strings"
)

// A Package is what go list says about a package.
type Package struct {
	Dir, ImportPath, Name string
	Standard, DepOnly     bool
	ForTest               string
	Module                *Module
	GoFiles, CgoFiles     []string
	TestGoFiles           []string
	XTestGoFiles          []string
	IgnoredGoFiles        []string
	Imports               []string
	TestImports           []string
	XTestImports          []string
	Error                 *PackageError
}

// A Module is the module of a package.
type Module struct {
	Path, Version, Dir, GoMod, GoVersion string
	Main                                 bool
	Replace                              *Module
}

// A PackageError is why a package can't be built.
type PackageError struct{ Pos, Err string }

// Files returns the absolute paths of names in the package's folder.
func (p *Package) Files(names []string) []string {
	var out []string
	for _, n := range names {
		if !filepath.IsAbs(n) {
			n = filepath.Join(p.Dir, n)
		}
		out = append(out, n)
	}
	return out
}

const listFields = "-json=Dir,ImportPath,Name,Standard,DepOnly,ForTest,Module,GoFiles,CgoFiles,TestGoFiles,XTestGoFiles,IgnoredGoFiles,Imports,TestImports,XTestImports,Error"

// List returns the packages that the patterns name and all that they import. With test it also
// returns what their tests import. Each package is there once, by its import path. Generated
// test mains are left out.
func (e *Env) List(flags Flags, patterns []string, test bool) ([]*Package, error) {
	args := []string{"list", "-e", "-deps", listFields}
	if test {
		args = append(args, "-test")
	}
	args = append(args, flags...)
	// Profiles have packages compiled anew for each program, of the same files.
	args = append(append(args, "-pgo=off", "--"), patterns...)
	out, err := e.Output(args...)
	if err != nil {
		return nil, err
	}
	var all []*Package
	dec := json.NewDecoder(bytes.NewReader(out))
	for {
		p := new(Package)
		if err := dec.Decode(p); errors.Is(err, io.EOF) {
			return withoutVariants(all), nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		all = append(all, p)
	}
}

// withoutVariants returns the packages of a list under their own paths. go test compiles some anew
// for the tests of another package, such as "helper [core.test]". The go command lists the plain
// one only if something else imports it. What tests add to a package is left out, because the
// package itself lists the files.
func withoutVariants(all []*Package) (list []*Package) {
	tested := make(map[string]string) // the folders of packages with tests
	at := make(map[string]int)        // indexes in list
	for _, p := range all {
		tested[p.ImportPath] = p.Dir
	}
	for _, p := range all {
		path, _, variant := strings.Cut(p.ImportPath, " [")
		if strings.HasSuffix(path, ".test") && p.Name == "main" && p.Dir != "" && len(p.GoFiles) > 0 && filepath.IsAbs(p.GoFiles[0]) {
			continue // a generated test main
		}
		if p.ForTest != "" && p.Dir == tested[p.ForTest] {
			continue // the tested package with its tests, or its external tests
		}
		p.ImportPath = path
		for _, imports := range [][]string{p.Imports, p.TestImports, p.XTestImports} {
			for i := range imports {
				imports[i], _, _ = strings.Cut(imports[i], " [")
			}
		}
		switch i, listed := at[path]; {
		case !listed:
			at[path] = len(list)
			list = append(list, p)
		case !variant:
			list[i] = p // it may be one that was asked for
		}
	}
	return list
}

// Names returns the import paths of the patterns' packages and all that they import.
func (e *Env) Names(flags Flags, patterns ...string) ([]string, error) {
	out, err := e.Output(append(append([]string{"list", "-deps"}, flags...), patterns...)...)
	if err != nil {
		return nil, err
	}
	return strings.Fields(string(out)), nil
}

// ExeName returns the name of the executable that the go command makes of a main
// package. It is the last element of its path that isn't a version.
func ExeName(importPath string) string {
	dir, base := path.Split(importPath)
	if dir != "" && len(base) > 1 && base[0] == 'v' && strings.Trim(base[1:], "0123456789") == "" {
		base = path.Base(dir)
	}
	return base
}
