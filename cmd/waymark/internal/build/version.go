package build

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/waymark-go/waymark/cmd/waymark/internal/build/cache"
	"github.com/waymark-go/waymark/cmd/waymark/internal/build/gocmd"
)

// atVersion has packages that are named at a version built in a module that requires
// them, which lies in the cache. It returns the folder that the go command runs in: that
// module's, or dir if no version is named.
func (b *Build) atVersion(o *Options, dir string) (string, error) {
	packages, version, err := gocmd.CutVersion(o.Args)
	if err != nil || version == "" {
		return dir, err
	}
	if o.Test {
		return "", fmt.Errorf("%s: the go command tests no package at a version: clone its module, or require it in a module of your own and name the package without @", o.Args[0])
	}
	if _, ok := b.Given.Lookup("modfile"); ok {
		return "", fmt.Errorf("%s: -modfile is about the module in this folder, which a package at a version doesn't use: leave it out", o.Args[0])
	}
	if mod, _ := b.Given.Lookup("mod"); mod == "vendor" {
		return "", fmt.Errorf("%s: -mod=vendor is about the module in this folder, which a package at a version doesn't use: leave it out", o.Args[0])
	}
	// GOFLAGS may have them, too.
	b.Given = append(b.Given.Without("mod").Absolute(dir), "-mod=readonly", "-modfile=")
	b.Asked, b.Version = packages, version
	o.Progress("looking up " + o.Args[0])
	return requiring(o.Cache, o.Args, packages, version)
}

// requiring returns the folder of a module that requires the packages at the version.
func requiring(c *cache.Cache, args, packages []string, version string) (string, error) {
	var query [][]byte
	for _, arg := range args {
		query = append(query, []byte(arg))
	}
	name := "version-" + cache.Hash(query...)
	if gocmd.Exact(version) {
		if tree, ok := c.Get(name); ok {
			if dir, ok := c.Lookup(string(tree)); ok {
				return dir, nil
			}
		}
	}
	tmp, err := os.MkdirTemp("", "waymark-")
	if err != nil {
		return "", fmt.Errorf("no temporary folder: %w; set TMPDIR to a folder that can be written", err)
	}
	defer os.RemoveAll(tmp)
	if err := gocmd.Require(tmp, packages, version); err != nil {
		return "", err
	}
	mod, err := os.ReadFile(filepath.Join(tmp, "go.mod"))
	if err != nil {
		return "", err
	}
	sum, err := os.ReadFile(filepath.Join(tmp, "go.sum"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	tree := "version-" + cache.Hash(mod, sum)
	dir, err := c.Tree(tree, func(dir string) error { // the same requirements, the same folder
		if err := os.WriteFile(filepath.Join(dir, "go.mod"), mod, 0o644); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, "go.sum"), sum, 0o644)
	})
	if err != nil {
		return "", err
	}
	return dir, c.Set(name, []byte(tree))
}
