package waymark

import (
	"go/build"
	"io/fs"
	"os"
	"path"
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
	look("agent/listen") // the command has programs import it
	for _, e := range entries {
		if _, err := os.Stat(path.Join(e.Name(), "go.mod")); e.IsDir() && e.Name() != "internal" && err != nil {
			look(e.Name())
		}
	}
	if len(seen) < 10 {
		t.Errorf("%d packages, want more", len(seen))
	}
}
