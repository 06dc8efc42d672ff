package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
	"golang.org/x/mod/zip"
)

// check returns an error if a version can't be that of a release.
func check(version string) error {
	switch {
	case semver.Canonical(version) != version || version == "":
		return fmt.Errorf("%s: want a version like v0.9.0", version)
	case semver.Major(version) != "v0" && semver.Major(version) != "v1":
		return fmt.Errorf("%s: modules of that version have another path, one that ends in /%s", version, semver.Major(version))
	case module.IsPseudoVersion(version):
		return fmt.Errorf("%s: the go command makes such versions of commits without a tag", version)
	}
	return nil
}

// A repository is a checkout of this repository.
type repository struct {
	root, version string

	files []string // that git has, or would take, with slashes
	paths []string // of the public modules
	stale []file   // go.mod and go.work files with other versions of public modules, mended
	dirty bool     // not all is committed

	commit string // that is checked out, with +dirty if there are changes
	time   time.Time
}

// A file is a file as it is to be.
type file struct {
	name    string
	content []byte
}

// open returns the repository in a folder.
func open(root, version string) (*repository, error) {
	r := &repository{root: root, version: version}
	if err := r.list(); err != nil {
		return nil, err
	}
	for _, dir := range public {
		f, err := r.readMod(dir)
		if err != nil {
			return nil, err
		}
		r.paths = append(r.paths, f.Module.Mod.Path)
	}
	return r, r.findStale()
}

// git runs git in the repository.
func (r *repository) git(args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Stderr = r.root, os.Stderr
	out, err := cmd.Output()
	return string(out), err
}

// list asks git for the files and the commit.
func (r *repository) list() error {
	out, err := r.git("ls-files", "-z", "--cached", "--others", "--exclude-standard")
	if err != nil {
		return fmt.Errorf("git, which knows what belongs to a module: %w", err)
	}
	for _, name := range strings.Split(strings.TrimSuffix(out, "\x00"), "\x00") {
		if fi, err := os.Lstat(filepath.Join(r.root, name)); err == nil && fi.Mode().IsRegular() {
			r.files = append(r.files, name)
		}
	}
	changes, err := r.git("status", "--porcelain")
	if err != nil {
		return err
	}
	r.dirty = changes != ""
	last, err := r.git("log", "-1", "--format=%H %cI")
	if err != nil {
		return err
	}
	commit, when, _ := strings.Cut(strings.TrimSpace(last), " ")
	if r.commit = commit; r.dirty {
		r.commit += "+dirty"
	}
	r.time, err = time.Parse(time.RFC3339, when)
	return err
}

// prepare makes the folder of a release. It must not be a part of modules, as the next release's would have it.
func (r *repository) prepare(dir string) error {
	root, err := filepath.Abs(r.root)
	if err != nil {
		return err
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if rel, err := filepath.Rel(root, abs); err == nil && filepath.IsLocal(rel) {
		if _, err := r.git("check-ignore", "-q", rel); err != nil {
			return fmt.Errorf("%s is in the repository, and git doesn't ignore it: modules would have it; give a folder elsewhere, or in bin", dir)
		}
	}
	if err = os.MkdirAll(dir, 0o755); err == nil {
		var probe string
		if probe, err = os.MkdirTemp(dir, "probe"); err == nil {
			return os.Remove(probe)
		}
	}
	return fmt.Errorf("can't write there: %w; give another folder as OUT", err)
}

// A released module has the files of its folder.
type released struct {
	module.Version
	mod   []byte // its go.mod
	files []zip.File
}

// modules returns the modules to release.
func (r *repository) modules() ([]*released, error) {
	var mods []*released
	for i, dir := range public {
		f, err := r.readMod(dir)
		if err != nil {
			return nil, err
		}
		for _, req := range f.Require {
			if strings.HasPrefix(req.Mod.Path, r.paths[0]+"/") && !slices.Contains(r.paths, req.Mod.Path) {
				return nil, fmt.Errorf("%s requires %s, which isn't released", f.Syntax.Name, req.Mod.Path)
			}
		}
		if len(f.Replace) > 0 {
			return nil, fmt.Errorf("%s replaces %s: go install takes no such module, say it in go.work", f.Syntax.Name, f.Replace[0].Old.Path)
		}
		m := &released{Version: module.Version{Path: r.paths[i], Version: r.version}}
		if m.mod, err = r.require(f); err != nil {
			return nil, err
		}
		m.files = r.contents(dir)
		mods = append(mods, m)
	}
	return mods, nil
}

// readMod reads the go.mod in a folder.
func (r *repository) readMod(dir string) (*modfile.File, error) {
	name := path.Join(dir, "go.mod")
	data, err := os.ReadFile(filepath.Join(r.root, name))
	if err != nil {
		return nil, err
	}
	f, err := modfile.Parse(name, data, nil)
	if err == nil && f.Module == nil {
		err = fmt.Errorf("%s names no module", name)
	}
	return f, err
}

// require returns a go.mod that requires public modules at the version that is released.
func (r *repository) require(f *modfile.File) ([]byte, error) {
	for _, req := range f.Require {
		if slices.Contains(r.paths, req.Mod.Path) {
			if err := f.AddRequire(req.Mod.Path, r.version); err != nil {
				return nil, err
			}
		}
	}
	return f.Format()
}

// contents returns the files of the module in dir, without those of modules in it. As the go
// command does with what is tagged, it adds the repository's license to a module without one.
func (r *repository) contents(dir string) (list []zip.File) {
	var nested []string
	for _, name := range r.files {
		if d, base := path.Split(name); base == "go.mod" && path.Clean(d) != dir {
			nested = append(nested, d)
		}
	}
	prefix := strings.TrimPrefix(dir+"/", "./")
	license := false
	for _, name := range r.files {
		inside, ok := strings.CutPrefix(name, prefix)
		if !ok || slices.ContainsFunc(nested, func(d string) bool {
			return strings.HasPrefix(d, prefix) && strings.HasPrefix(name, d)
		}) {
			continue
		}
		f := &content{path: inside, source: filepath.Join(r.root, name)}
		if i := slices.IndexFunc(r.stale, func(f file) bool { return f.name == name }); i >= 0 {
			f.data = r.stale[i].content
		}
		license = license || inside == "LICENSE"
		list = append(list, f)
	}
	if !license {
		list = append(list, &content{path: "LICENSE", source: filepath.Join(r.root, "LICENSE")})
	}
	return list
}

// findStale finds the go.mod and go.work files that name public modules at other versions.
// The go.work files replace these versions by folders, because the go command reads the
// go.mod of each version that is required.
func (r *repository) findStale() error {
	for _, name := range r.files {
		old, err := os.ReadFile(filepath.Join(r.root, name))
		if err != nil {
			return err
		}
		var content []byte
		switch path.Base(name) {
		case "go.mod":
			if strings.Contains(name, "testdata/") {
				continue
			}
			f, err := modfile.Parse(name, old, nil)
			if err != nil {
				return err
			}
			if content, err = r.require(f); err != nil {
				return err
			}
		case "go.work":
			f, err := modfile.ParseWork(name, old, nil)
			if err != nil {
				return err
			}
			for _, rep := range slices.Clone(f.Replace) {
				old, dir := rep.Old, rep.New.Path
				if !slices.Contains(r.paths, old.Path) || old.Version == r.version {
					continue
				}
				if err := errors.Join(f.DropReplace(old.Path, old.Version), f.AddReplace(old.Path, r.version, dir, "")); err != nil {
					return err
				}
			}
			f.Cleanup()
			content = modfile.Format(f.Syntax)
		default:
			continue
		}
		if !bytes.Equal(content, old) {
			r.stale = append(r.stale, file{name, content})
		}
	}
	return nil
}
