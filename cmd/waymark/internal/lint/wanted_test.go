package lint

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/internal/testing/repository"
)

// Folders of files that documents name.
const (
	scriptFolder = "cmd/waymark/internal/endtoend/testdata/script/"
	modesFolder  = "cmd/waymark/internal/endtoend/testdata/modes/"
	goldenFolder = "cmd/waymark/internal/rewrite/instrument/testdata/"
)

// wantFile checks that the repository has a file whose path matches a pattern.
func wantFile(t *testing.T, pattern string) {
	t.Helper()
	if found, err := filepath.Glob(repository.Path(t, pattern)); err != nil || len(found) == 0 {
		t.Errorf("no %s", pattern)
	}
}

func wantTarget(t *testing.T, at, makefile, name string) {
	t.Helper()
	folder, _, ok := strings.Cut(name, "/")
	if !strings.Contains(makefile, "\n"+name+":") && !(ok && strings.Contains(makefile, "\n"+folder+"/%:")) {
		t.Errorf("%s: there is no make target %s", at, name)
	}
}
