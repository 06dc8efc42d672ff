package cli

import (
	"os"
	"path/filepath"
	"testing"
)

// A file of flags is found where it is one: what a link leads to would be shown by errors.
func TestConfigLink(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"go.mod", "other"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("secret"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, configFile)
	if err := os.Symlink(filepath.Join(dir, "other"), path); err != nil {
		t.Skip(err)
	}
	if got := defaultConfig(dir); got != "" {
		t.Errorf("a link: %q, want none", got)
	}
	os.Remove(path)
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := defaultConfig(dir); got != path {
		t.Errorf("a file: %q, want %q", got, path)
	}
}
