package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
)

// checkout makes a copy of the suite's module that tests may write to.
func (s Suite) checkout(dir string) error {
	if s.Module == std {
		return os.MkdirAll(dir, 0o777)
	}
	cmd := exec.Command("go", "mod", "download", "-json", s.Module)
	cmd.Dir = os.TempDir()
	cmd.Env = append(os.Environ(), "GOWORK=off")
	out, err := cmd.Output()
	var m struct{ Dir, Error string }
	if json.Unmarshal(out, &m); m.Error != "" {
		return errors.New(m.Error)
	}
	if err != nil {
		return fmt.Errorf("go mod download %s: %w", s.Module, err)
	}
	if err := os.CopyFS(dir, os.DirFS(m.Dir)); err != nil {
		return err
	}
	// The module cache is read-only, and so is the copy of it.
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		i, err := d.Info()
		if err != nil {
			return err
		}
		return os.Chmod(path, i.Mode()|0o600)
	})
	if err != nil {
		return err
	}
	if err := s.addGoMod(dir); err != nil {
		return err
	}
	// What the tests need is downloaded before anything is timed.
	cmd = exec.Command("go", append([]string{"list", "-e", "-deps", "-test", "-mod=mod"}, s.Packages...)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off")
	cmd.Run() // what is missing shows when the tests are built
	return nil
}

// addGoMod adds a go.mod to a module that is older than modules.
func (s Suite) addGoMod(dir string) error {
	name := filepath.Join(dir, "go.mod")
	if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.WriteFile(name, []byte("module "+s.Path()+"\n"), 0o666)
}
