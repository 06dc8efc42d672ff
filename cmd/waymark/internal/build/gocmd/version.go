package gocmd

import (
	"fmt"
	"go/build"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/semver"
)

// AtVersion reports whether arg names packages at a version, as in example.com/app@latest.
func AtVersion(arg string) bool {
	return strings.Contains(arg, "@") && !build.IsLocalImport(arg) && !filepath.IsAbs(arg) && !strings.HasSuffix(arg, ".go")
}

// CutVersion takes the version off arguments that name packages at one. It returns "" if
// they don't. The go command wants the same version in all of them.
func CutVersion(args []string) (packages []string, version string, err error) {
	for i, arg := range args {
		path, v := arg, ""
		if AtVersion(arg) {
			path, v, _ = strings.Cut(arg, "@")
			if path == "" || v == "" {
				return nil, "", fmt.Errorf("%s: want a package and its version, as in example.com/app@v1.2.3", arg)
			}
		}
		if i > 0 && v != version {
			return nil, "", fmt.Errorf("%s and %s: packages must all be at one version", args[0], arg)
		}
		packages, version = append(packages, path), v
	}
	return packages, version, nil
}

// Exact reports whether a version names the same source for ever. Others, as in latest,
// v1 or a branch, are looked up.
func Exact(version string) bool {
	return semver.IsValid(version) && semver.Canonical(version) == strings.TrimSuffix(version, "+incompatible")
}

// NoModule is the path of a main module that isn't the user's.
const NoModule = "command-line-arguments"

// Require writes into the folder dir a module that requires the packages at the version.
// The go command makes such a module in memory for `go run package@version`.
func Require(dir string, packages []string, version string) error {
	// Modules from before go1.17 list less of what they need. The go command raises the
	// version to what it finds.
	err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module "+NoModule+"\n\ngo 1.17\n"), 0o666)
	if err != nil {
		return err
	}
	e := &Env{Dir: dir, Go: "go", Extra: []string{"GOWORK=off"}}
	get := []string{"get", "-modfile=", "-overlay="}
	for _, path := range packages {
		get = append(get, path+"@"+version)
	}
	if _, err := e.Output(get...); err != nil {
		return err
	}
	list := []string{"list", "-e", "-mod=readonly", "-modfile=", "-overlay=", "-f", "{{with .Module}}{{.Path}} {{.GoMod}}{{end}}", "--"}
	out, err := e.Output(append(list, packages...)...)
	if err != nil {
		return err
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	slices.Sort(lines)
	if lines = slices.Compact(lines); len(lines) > 1 {
		return fmt.Errorf("%s are of %d modules: name packages of one", strings.Join(packages, ", "), len(lines))
	}
	path, file, ok := strings.Cut(lines[0], " ")
	if !ok {
		return fmt.Errorf("%s is of no module that has versions: name it without @%s", strings.Join(packages, ", "), version)
	}
	f, err := readMod(file)
	if err != nil {
		return err
	}
	if len(f.Replace)+len(f.Exclude) > 0 {
		return fmt.Errorf("%s@%s: its go.mod replaces or excludes modules. This counts in the main module only, so the go command doesn't run it at a version: clone it, and name the package in the clone", path, version)
	}
	return nil
}
