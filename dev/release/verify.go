package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
)

// verify makes the release again, of a clone and with empty caches. It returns an error if anything differs.
func (o options) verify() error {
	dir, err := os.MkdirTemp("", "verify")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	again := o
	again.root, again.out, again.cache = filepath.Join(dir, "clone"), filepath.Join(dir, "out"), filepath.Join(dir, "cache")
	if out, err := exec.Command("git", "clone", "-q", o.root, again.root).CombinedOutput(); err != nil {
		return fmt.Errorf("git clone: %w\n%s", err, out)
	}
	if _, err := again.release(); err != nil {
		return err
	}
	return same(o.out, again.out)
}

// same returns an error if a release lacks a file that it has again, or has another one.
func same(release, again string) error {
	return fs.WalkDir(os.DirFS(again), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "list" { // a list has other versions, too
			return err
		}
		want, err := os.ReadFile(filepath.Join(release, name))
		if err != nil {
			return err
		}
		got, err := os.ReadFile(filepath.Join(again, name))
		if err == nil && !bytes.Equal(got, want) {
			err = fmt.Errorf("%s has other bytes when it is made again of a clone: %d of them, not %d", name, len(got), len(want))
		}
		return err
	})
}
