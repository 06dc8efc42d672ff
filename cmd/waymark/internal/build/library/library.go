// Package library puts the library that traced programs link, which the waymark
// command carries inside itself, on disk for the go command to build.
package library

import (
	"bytes"
	"fmt"
	"go/build/constraint"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"

	"golang.org/x/mod/semver"

	"github.com/waymark-go/waymark"
	"github.com/waymark-go/waymark/cmd/waymark/internal/build/cache"
	"github.com/waymark-go/waymark/cmd/waymark/internal/build/gocmd"
)

// Path is the library's module path, Agent the package that programs link, Listener one that has
// them listen for commands, and OTLP one that has them send traces.
const (
	Path     = gocmd.Library
	Agent    = Path + "/agent"
	Listener = Agent + "/listen"
	OTLP     = Path + "/otlp"
	Tag      = "waymark" // the build tag under which it uses the hooks
)

// Version returns the version of the library that this command was built with. Built from a
// checkout that is that of the command, which git knows, as both get the same tags; without
// git it is v0.0.0.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return unknown
	}
	for _, dep := range info.Deps {
		if dep.Path == Path && semver.IsValid(dep.Version) && dep.Replace == nil {
			return dep.Version
		}
	}
	if v := semver.Canonical(info.Main.Version); semver.Compare(v, unknown) > 0 && strings.HasPrefix(info.Main.Path, Path+"/") {
		return v
	}
	return unknown
}

// Released returns the version at which the go command has installed this command, false if it was built in a checkout.
func Released() (version string, ok bool) {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Sum == "" {
		return "", false
	}
	return info.Main.Version, true
}

// commit is linked into a release: go install knows none.
var commit string

// Commit returns the commit from which this command was built, "" if that is not known. It ends in
// +dirty if there were changes without a commit.
func Commit() string {
	info, ok := debug.ReadBuildInfo()
	if commit != "" || !ok {
		return commit
	}
	return revision(info.Settings)
}

// revision returns what the go command has noted of a checkout.
func revision(settings []debug.BuildSetting) (commit string) {
	var dirty string
	for _, s := range settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "+dirty"
		}
	}
	if commit == "" {
		return ""
	}
	return commit + dirty
}

// unknown is the version that go.mod files require where there is no release.
const unknown = "v0.0.0"

// sources returns the library's files without its tests. They are nobody's to change.
var sources = sync.OnceValues(func() (map[string][]byte, error) {
	files := make(map[string][]byte)
	err := fs.WalkDir(waymark.Source, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if d.Name() == "testdata" {
				return fs.SkipDir
			}
			return nil
		}
		if isSource(path) {
			src, err := fs.ReadFile(waymark.Source, path)
			if err != nil {
				return err
			}
			if strings.HasSuffix(path, ".s") { // the go command asks no file of assembly for the language
				files[path] = src
				return nil
			}
			files[path], err = constrain(src)
			return err
		}
		return nil
	})
	return files, err
})

// isSource reports whether a file is compiled into programs.
func isSource(path string) bool {
	return strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, ".s")
}

// language is the version of Go that the library is written in. A build constraint
// grants it to a file whatever go.mod says.
const language = "go1.21"

// constrain adds the language version to a file's build constraint.
func constrain(src []byte) ([]byte, error) {
	lines := strings.SplitAfter(string(src), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "package ") {
			break
		}
		if constraint.IsGoBuild(line) {
			expr, err := constraint.Parse(line)
			if err != nil {
				return nil, err
			}
			lines[i] = fmt.Sprintf("//go:build (%s) && %s\n", expr, language)
			return []byte(strings.Join(lines, "")), nil
		}
	}
	return append([]byte("//go:build "+language+"\n\n"), src...), nil
}

// Has reports whether the module with this path is the library, or has it in a subfolder.
func Has(path string) bool { return path == Path || path == gocmd.LibraryParent }

// Dir returns a folder with the library's source. goVersion is what its go.mod says:
// a module may not ask for a newer language than the main module that requires it.
func Dir(c *cache.Cache, goVersion string) (string, error) { return ModuleDir(c, Path, goVersion) }

// ModuleDir returns the folder of a module that has the library in it: Path, or a parent of it.
func ModuleDir(c *cache.Cache, module, goVersion string) (string, error) {
	below, ok := strings.CutPrefix(Path, module)
	if !ok {
		return "", fmt.Errorf("module %s can't hold %s", module, Path)
	}
	files, err := sources()
	if err != nil {
		return "", err
	}
	name, err := Hash()
	if err != nil {
		return "", err
	}
	name = "library-" + name + "-go" + goVersion + strings.ReplaceAll(below, "/", "-")
	return c.Tree(name, func(dir string) error {
		write := func(path string, b []byte) error {
			path = filepath.Join(dir, filepath.FromSlash(path))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				return err
			}
			return os.WriteFile(path, b, 0o644)
		}
		for path, b := range files {
			if below != "" && path == "source.go" {
				continue // it embeds go.mod, which a subfolder lacks
			}
			if err := write("."+below+"/"+path, b); err != nil {
				return err
			}
		}
		return write("go.mod", fmt.Appendf(nil, "module %s\n\ngo %s\n", module, goVersion))
	})
}

// Check returns an error if the library in dir isn't the one that this command carries.
// The hooks that the command adds to a build fit that library only.
func Check(dir string) error {
	return fs.WalkDir(waymark.Source, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !isSource(path) {
			return err
		}
		want, err := fs.ReadFile(waymark.Source, path)
		if err != nil {
			return err
		}
		got, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(path)))
		if err != nil || !bytes.Equal(got, want) {
			return fmt.Errorf("the workspace has its own %s in %s, and %s in it is not what this waymark was built with: build the command from there", Path, dir, path)
		}
		return nil
	})
}

// Hash identifies the library's source.
var Hash = sync.OnceValues(func() (string, error) {
	files, err := sources()
	if err != nil {
		return "", err
	}
	var all [][]byte
	err = fs.WalkDir(waymark.Source, ".", func(path string, d fs.DirEntry, err error) error {
		if b, ok := files[path]; ok {
			all = append(all, []byte(path), b)
		}
		return err
	})
	return cache.Hash(all...), err
})
