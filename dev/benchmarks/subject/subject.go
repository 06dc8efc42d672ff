// Package subject has the real programs that benchmarks measure, and makes copies of their modules
// that may be written to.
package subject

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
)

// A Subject is a real program with a job that is the same each time.
type Subject struct {
	Name   string
	Module string            // path@version, or a folder
	Main   string            // package of the command
	Add    map[string]string // files that the module hasn't, by path
	Change string            // the file that is changed for a build after a change
	// Args are the command's arguments; the job is about size times that of a second.
	Args func(p Place, size float64) []string
}

// A Place is where a subject runs.
type Place struct {
	Dir    string // for files that the subject writes
	Module string // the copy of the subject's module
	GOROOT string // whose files the formatter reads
}

// bboltDriver is there because bbolt's own benchmark command ends after a given time, however far
// it got.
//
//go:embed bbolt.go.txt
var bboltDriver string

// Programs returns a formatter, a store and a service.
func Programs() []Subject {
	return []Subject{
		{
			Name: "gofumpt (formatter)", Module: "mvdan.cc/gofumpt@v0.9.2", Main: ".", Change: "format/format.go",
			Args: func(p Place, size float64) []string {
				if size < 1 {
					return []string{"-l", filepath.Join(p.GOROOT, "src", "go", "token")}
				}
				return []string{"-l", filepath.Join(p.GOROOT, "src", "go"), filepath.Join(p.GOROOT, "src", "net")}
			},
		},
		{
			Name: "bbolt (key-value store)", Module: "go.etcd.io/bbolt@v1.4.3", Main: "./cmd/kv", Change: "bucket.go",
			Add: map[string]string{"cmd/kv/main.go": bboltDriver},
			Args: func(p Place, size float64) []string {
				return []string{filepath.Join(p.Dir, "kv.db"), strconv.Itoa(int(200_000 * size))}
			},
		},
		{
			Name: "shop (HTTP service)", Module: "../../../examples/shop", Main: ".", Change: "internal/catalog/catalog.go",
			Args: func(_ Place, size float64) []string {
				return []string{"-requests", strconv.Itoa(int(8000 * size))}
			},
		},
	}
}

// Checkout makes a copy of the subject's module that may be written to, and adds files to it.
func (s Subject) Checkout(dir string) error {
	from := s.Module
	if _, err := os.Stat(from); errors.Is(err, fs.ErrNotExist) {
		cmd := exec.Command("go", "mod", "download", "-json", s.Module)
		cmd.Env = append(os.Environ(), "GOWORK=off")
		out, err := cmd.Output()
		var m struct{ Dir, Error string }
		if json.Unmarshal(out, &m); m.Error != "" {
			return fmt.Errorf("go mod download: %s", m.Error)
		}
		if err != nil {
			return fmt.Errorf("go mod download %s: %w", s.Module, err)
		}
		from = m.Dir
	}
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		return err
	}
	// The module cache is read-only, and so is the copy of it.
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		return os.Chmod(path, info.Mode()|0o600)
	})
	if err != nil {
		return err
	}
	for name, text := range s.Add {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}
