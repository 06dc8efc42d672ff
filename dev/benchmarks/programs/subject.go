package main

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

// A subject is a real program with a job that is the same each time.
type subject struct {
	name   string
	module string // path@version, or a folder
	main   string // package of the command
	driver string // if not empty, the source of that package, which the module hasn't
	change string // the file that is changed for a build after a change
	// args are the command's arguments; the job is about size times that of a second.
	args func(b *bench, size float64) []string
}

// bboltDriver is there because bbolt's own benchmark command ends after a given time, however far
// it got.
//
//go:embed bbolt.go.txt
var bboltDriver string

func subjects() []subject {
	return []subject{
		{
			name: "gofumpt (formatter)", module: "mvdan.cc/gofumpt@v0.9.2", main: ".", change: "format/format.go",
			args: func(b *bench, size float64) []string {
				if size < 1 {
					return []string{"-l", filepath.Join(b.goroot, "src", "go", "token")}
				}
				return []string{"-l", filepath.Join(b.goroot, "src", "go"), filepath.Join(b.goroot, "src", "net")}
			},
		},
		{
			name: "bbolt (key-value store)", module: "go.etcd.io/bbolt@v1.4.3", main: "./cmd/kv", driver: bboltDriver, change: "bucket.go",
			args: func(b *bench, size float64) []string {
				return []string{filepath.Join(b.dir, "kv.db"), strconv.Itoa(int(200_000 * size))}
			},
		},
		{
			name: "shop (HTTP service)", module: "../../../examples/shop", main: ".", change: "internal/catalog/catalog.go",
			args: func(_ *bench, size float64) []string {
				return []string{"-requests", strconv.Itoa(int(8000 * size))}
			},
		},
	}
}

// checkout makes a copy of the subject's module that may be written to.
func (s subject) checkout(dir string) error {
	from := s.module
	if _, err := os.Stat(from); errors.Is(err, fs.ErrNotExist) {
		cmd := exec.Command("go", "mod", "download", "-json", s.module)
		cmd.Env = append(os.Environ(), "GOWORK=off")
		out, err := cmd.Output()
		var m struct{ Dir, Error string }
		if json.Unmarshal(out, &m); m.Error != "" {
			return fmt.Errorf("go mod download: %s", m.Error)
		}
		if err != nil {
			return fmt.Errorf("go mod download %s: %w", s.module, err)
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
	if err != nil || s.driver == "" {
		return err
	}
	name := filepath.Join(dir, s.main, "main.go")
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return os.WriteFile(name, []byte(s.driver), 0o666)
}

// edit changes the subject's file, so that the next build has one package to compile
// anew and those that import it.
func (s subject) edit(dir string, round int, original []byte) error {
	return os.WriteFile(filepath.Join(dir, s.change), fmt.Appendf(original, "\nconst benchmarkRound = %d\n", round), 0o666)
}
