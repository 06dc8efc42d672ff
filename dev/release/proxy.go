package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
	"golang.org/x/mod/zip"
)

// put writes a module to the module proxy in a folder, see `go help goproxy`.
func (m *released) put(proxy string, when time.Time) error {
	escaped, err := module.EscapePath(m.Path)
	if err != nil {
		return err
	}
	dir := filepath.Join(proxy, filepath.FromSlash(escaped), "@v")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	info, err := json.Marshal(map[string]any{"Version": m.Version.Version, "Time": when.UTC()})
	if err != nil {
		return err
	}
	var packed bytes.Buffer
	if err := zip.Create(&packed, m.Version, m.files); err != nil {
		return err
	}
	old, err := os.ReadFile(filepath.Join(dir, "list"))
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	versions := append(strings.Fields(string(old)), m.Version.Version)
	semver.Sort(versions)
	list := []byte(strings.Join(slices.Compact(versions), "\n") + "\n")
	for _, f := range []file{
		{m.Version.Version + ".info", info}, {m.Version.Version + ".mod", m.mod}, {m.Version.Version + ".zip", packed.Bytes()}, {"list", list},
	} {
		if err := os.WriteFile(filepath.Join(dir, f.name), f.content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// A content is a file of a module.
type content struct {
	path, source string
	data         []byte // in place of the source's, if not nil
}

func (c *content) Path() string { return c.path }

func (c *content) Lstat() (os.FileInfo, error) {
	fi, err := os.Lstat(c.source)
	if err != nil || c.data == nil {
		return fi, err
	}
	return sized{fi, int64(len(c.data))}, nil
}

func (c *content) Open() (io.ReadCloser, error) {
	if c.data == nil {
		return os.Open(c.source)
	}
	return io.NopCloser(bytes.NewReader(c.data)), nil
}

// A sized file is described as another one but for its size.
type sized struct {
	os.FileInfo
	size int64
}

func (s sized) Size() int64 { return s.size }
