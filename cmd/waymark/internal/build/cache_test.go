package build

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/build/cache"
)

// Whatever became of the files in the cache, a build is prepared as from an empty one.
func TestDamagedCache(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":  "module m\n\ngo 1.24\n",
		"main.go": "package main\n\nfunc main() { defer println() }\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "")
	c := &cache.Cache{Dir: filepath.Join(t.TempDir(), "cache"), Limit: cache.DefaultLimit}
	contents := func() map[string]string {
		b, err := Prepare(&Options{Dir: dir, Args: []string{"."}, All: true, Cache: c})
		if err != nil {
			t.Fatal(err)
		}
		all := make(map[string]string)
		for path, cached := range b.Overlay() {
			all[path] = read(t, cached)
		}
		filepath.WalkDir(filepath.Join(c.Dir, "trees"), func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				all[path] = read(t, path)
			}
			return err
		})
		return all
	}
	want := contents()
	for name, damage := range map[string]func(text string) string{
		"emptied": func(string) string { return "" },
		"cut":     func(text string) string { return text[:len(text)/2] },
		"zeros":   func(text string) string { return strings.Repeat("\x00", len(text)) },
	} {
		damaged := 0
		filepath.WalkDir(c.Dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() {
				damaged++
				err = os.WriteFile(path, []byte(damage(read(t, path))), 0o644)
			}
			return err
		})
		if got := contents(); damaged < 100 || !maps.Equal(got, want) {
			t.Errorf("%s: of %d files that were damaged, %d are as they were, with others; want %d", name, damaged, len(got), len(want))
		}
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
