// Package repository is for tests that read files of the repository beyond their own module:
// documents, programs, the Makefile. Files are named by their paths from the repository's folder:
//
//	text := repository.Read(t, "docs/guide.md")
//	cmd.Dir = repository.Path(t, "examples/shop")
package repository

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Path returns the absolute path of a file, or of the repository's folder for "". It skips the test in
// a module that was downloaded alone.
func Path(t testing.TB, name string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for !isTop(dir) {
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Skip("there is only a part of the repository")
		}
		dir = parent
	}
	return filepath.Join(dir, filepath.FromSlash(name))
}

// isTop reports whether a folder is the repository's: workspaces are in folders below it, too.
func isTop(dir string) bool {
	for _, name := range []string{"go.work", "CONTRIBUTING.md"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			return false
		}
	}
	return true
}

// Read returns the text of a file.
func Read(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(Path(t, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// Files returns the paths of all files, but for those of git and what make builds.
func Files(t testing.TB) []string {
	t.Helper()
	top := Path(t, "")
	var list []string
	err := filepath.WalkDir(top, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "bin"):
			return fs.SkipDir
		case !d.IsDir():
			name, err = filepath.Rel(top, name)
			list = append(list, filepath.ToSlash(name))
		}
		return err
	})
	if err != nil || len(list) < 100 {
		t.Fatalf("found %d files in %s, want 100 at least; error: %v", len(list), top, err)
	}
	return list
}

// Documents returns the paths of all Markdown files but those of tests.
func Documents(t testing.TB) []string {
	t.Helper()
	var list []string
	for _, name := range Files(t) {
		if filepath.Ext(name) == ".md" && !strings.Contains(name, "testdata/") {
			list = append(list, name)
		}
	}
	return list
}
