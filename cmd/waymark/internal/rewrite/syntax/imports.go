package syntax

import (
	"go/ast"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// ImportPath returns the path that an import names, empty if it can't be read.
func ImportPath(spec *ast.ImportSpec) string {
	path, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return ""
	}
	return path
}

// ImportNamed returns the path of the package that a file imports by a name.
func (t *Tree) ImportNamed(file *ast.File, name string) (string, bool) {
	for _, spec := range file.Imports {
		p := ImportPath(spec)
		switch {
		case spec.Name != nil:
			if spec.Name.Name == name {
				return p, true
			}
		case t.packageName(p) == name:
			return p, true
		}
	}
	return "", false
}

// DotImports returns the paths of the packages whose names a file may use as its own.
func DotImports(file *ast.File) (paths []string) {
	for _, spec := range file.Imports {
		if spec.Name != nil && spec.Name.Name == "." {
			paths = append(paths, ImportPath(spec))
		}
	}
	return paths
}

// packageName returns the name of the package with that path, or what it probably is.
func (t *Tree) packageName(path string) string {
	if name := t.Config.PackageNames[path]; name != "" {
		return name
	}
	return GuessName(path)
}

var majorVersion = regexp.MustCompile(`^v[0-9]+$`)

// GuessName returns the name that a package with that path probably has.
func GuessName(p string) string {
	base := path.Base(p)
	if majorVersion.MatchString(base) && path.Dir(p) != "." {
		base = path.Base(path.Dir(p))
	}
	base, _, _ = strings.Cut(base, ".v") // gopkg.in/yaml.v3
	base = strings.TrimPrefix(base, "go-")
	return strings.ReplaceAll(base, "-", "_")
}
