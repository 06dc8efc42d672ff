package waymark

import (
	"go/build"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// Programs can import each package of the module, also when waymark builds them: Source has those
// that are public, and all that they import.
func TestSource(t *testing.T) {
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	const module = "github.com/waymark-go/waymark/"
	seen := make(map[string]bool)
	var look func(dir string)
	look = func(dir string) {
		p, err := build.ImportDir(dir, 0)
		if seen[dir] || err != nil { // no package
			return
		}
		seen[dir] = true
		for _, file := range p.GoFiles {
			if _, err := fs.Stat(Source, path.Join(dir, file)); err != nil {
				t.Errorf("Source: %v", err)
			}
		}
		for _, other := range p.Imports {
			if below := strings.TrimPrefix(other, module); below != other {
				look(below)
			}
		}
	}
	look(".")
	for _, e := range entries {
		if _, err := os.Stat(path.Join(e.Name(), "go.mod")); !e.IsDir() || e.Name() == "internal" || err == nil {
			continue
		}
		filepath.WalkDir(e.Name(), func(dir string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
					return fs.SkipDir
				}
				look(filepath.ToSlash(dir))
			}
			return nil
		})
	}
	if len(seen) < 10 {
		t.Errorf("%d packages, want more", len(seen))
	}
}
