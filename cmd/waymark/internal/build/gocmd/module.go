package gocmd

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

// Library is the path of the module that instrumented programs import. LibraryParent is the path of
// a module that has the library in a subfolder, for vendored builds.
const (
	Library       = "github.com/waymark-go/waymark"
	LibraryParent = "github.com/waymark-go"
)

// Modules says how modules must be found differently in the instrumented build.
type Modules struct {
	Version string // of the library that the tool carries

	// Library returns the folder of the module with that path, Library or LibraryParent, with the
	// given language version in its go.mod.
	Library func(path, goVersion string) (dir string, err error)

	// Check returns an error if the library in a folder isn't the one that the tool carries.
	Check func(dir string) error

	// Replace are the folders of copies of modules that can't be overlaid in place.
	Replace map[module.Version]string
}

// Overlay adds to files, an overlay, the files through which the go command finds the library and
// the copies, and returns the flags to add. A file without content is hidden. Overlay adds
// variables that the go command needs to e.
//
// If the build uses a go.mod, the overlay replaces go.mod by one that requires the library too. So
// the build has no workspace, the same module graph and the same GODEBUG defaults as before, and
// -mod=mod and -modfile work.
//
// With a vendor folder that fails: the go command reads vendor/modules.txt past the overlay and
// finds it inconsistent. With a vendor folder, or with a go.work of the user's, an overlaid go.work
// uses the library.
func (m *Modules) Overlay(e *Env, flags Flags, files map[string][]byte) (Flags, error) {
	switch {
	case e.GOWORK != "" && e.GOWORK != "off":
		return m.workspace(e, flags, e.GOWORK, files)
	case e.GOMOD == "" || e.GOMOD == os.DevNull:
		return m.noModule(e, flags, files)
	}
	path := e.GOMOD
	if alt, _ := append(e.Settings(), flags...).Lookup("modfile"); alt != "" {
		path = alt
		if !filepath.IsAbs(path) {
			path = filepath.Join(e.Dir, path)
		}
	}
	f, err := readMod(path)
	if err != nil {
		return nil, err
	}
	if err := m.checkVersion(f); err != nil {
		return nil, err
	}
	if f.Module != nil && f.Module.Mod.Path == Library {
		return nil, m.Check(filepath.Dir(path)) // the library itself is being built
	}
	if vendored(e, flags, filepath.Dir(e.GOMOD), f.Go, false) {
		return m.vendor(e, flags, f, files)
	}
	dir, err := m.Library(Library, goVersion(f.Go))
	if err != nil {
		return nil, err
	}
	if !requires(f, Library) {
		if err := f.AddRequire(Library, "v0.0.0"); err != nil {
			return nil, err
		}
	}
	if err := replaceAll(f, dir, m.Replace); err != nil {
		return nil, err
	}
	f.Cleanup()
	files[path], err = f.Format()
	return nil, err
}

// replacer is what go.mod and go.work files have in common here.
type replacer interface {
	AddReplace(oldPath, oldVers, newPath, newVers string) error
	DropReplace(oldPath, oldVers string) error
}

// dropReplaces removes the replacements of a module, of all its versions and of single ones.
func dropReplaces(f replacer, all []*modfile.Replace, path string) error {
	for _, r := range slices.Clone(all) {
		if r.Old.Path != path {
			continue
		}
		if err := f.DropReplace(path, r.Old.Version); err != nil {
			return err
		}
	}
	return nil
}

func replaceAll(f replacer, library string, copies map[module.Version]string) error {
	if library != "" {
		if err := f.DropReplace(Library, ""); err != nil {
			return err
		}
		if err := f.AddReplace(Library, "", library, ""); err != nil {
			return err
		}
	}
	for mod, dir := range copies {
		// A replacement of all versions by another module gives way to its copy.
		if err := f.DropReplace(mod.Path, ""); err != nil {
			return err
		}
		if err := f.AddReplace(mod.Path, mod.Version, dir, ""); err != nil {
			return err
		}
	}
	return nil
}

// checkVersion returns an error if the user's code requires a newer library than the one that this
// command carries, which every instrumented build uses.
func (m *Modules) checkVersion(f *modfile.File) error {
	for _, r := range f.Require {
		if r.Mod.Path == Library && semver.Compare(r.Mod.Version, m.Version) > 0 {
			return fmt.Errorf("%s requires %s %s, newer than %s, which this waymark carries: use the waymark command of that version",
				f.Syntax.Name, Library, r.Mod.Version, m.Version)
		}
	}
	return nil
}

func requires(f *modfile.File, path string) bool {
	for _, r := range f.Require {
		if r.Mod.Path == path {
			return true
		}
	}
	return false
}

func readMod(path string) (*modfile.File, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return modfile.Parse(path, b, nil)
}

// goVersion returns the language version of a go.mod or go.work.
func goVersion(g *modfile.Go) string {
	if g == nil {
		return "1.16" // what the go command assumes for a go.mod that doesn't say
	}
	return g.Version
}

// workVersion returns a version for a go.work: a workspace wants one, at least 1.18.
func workVersion(g *modfile.Go) string {
	v := goVersion(g)
	if semver.Compare("v"+v, "v1.18") < 0 {
		return "1.18"
	}
	return v
}

// workspace adds the library to the user's go.work.
func (m *Modules) workspace(e *Env, flags Flags, path string, files map[string][]byte) (Flags, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	w, err := modfile.ParseWork(path, b, nil)
	if err != nil {
		return nil, err
	}
	var newer error
	for _, use := range w.Use {
		dir := use.Path
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(filepath.Dir(path), dir)
		}
		f, err := readMod(filepath.Join(dir, "go.mod"))
		if err != nil {
			return nil, err
		}
		if f.Module != nil && f.Module.Mod.Path == Library {
			if err := m.Check(dir); err != nil {
				return nil, err
			}
			return nil, replaceIn(w, m.Replace, path, files) // the workspace has it already
		}
		if err := m.checkVersion(f); err != nil && newer == nil {
			newer = err // unless the workspace has the library itself
		}
	}
	if newer != nil {
		return nil, newer
	}
	if root := filepath.Dir(path); vendored(e, flags, root, w.Go, true) {
		if err := m.useBesideVendor(w, root, files); err != nil {
			return nil, err
		}
		return nil, replaceIn(w, m.Replace, path, files)
	}
	dir, err := m.Library(Library, goVersion(w.Go))
	if err != nil {
		return nil, err
	}
	if err := w.AddUse(dir, ""); err != nil {
		return nil, err
	}
	// The go command refuses to replace a module that the workspace has.
	if err := dropReplaces(w, w.Replace, Library); err != nil {
		return nil, err
	}
	return nil, replaceIn(w, m.Replace, path, files)
}

func replaceIn(w *modfile.WorkFile, copies map[module.Version]string, path string, files map[string][]byte) error {
	if err := replaceAll(w, "", copies); err != nil {
		return err
	}
	w.Cleanup()
	files[path] = modfile.Format(w.Syntax)
	return nil
}

// noModule adds a go.mod for files outside any module.
func (m *Modules) noModule(e *Env, flags Flags, files map[string][]byte) (Flags, error) {
	version := strings.TrimPrefix(e.GOVERSION, "go")
	if i := strings.IndexFunc(version, func(r rune) bool { return r != '.' && (r < '0' || r > '9') }); i >= 0 {
		version = version[:i]
	}
	dir, err := m.Library(Library, version)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(e.Dir, "go.mod")
	if _, err := os.Stat(path); err == nil || !os.IsNotExist(err) {
		return nil, fmt.Errorf("%s is there but the go command does not use it (GO111MODULE=off?): waymark works in module mode", path)
	}
	files[path] = fmt.Appendf(nil, "module %s\n\ngo %s\n\nrequire %s v0.0.0\n\nreplace %[3]s => %[4]s\n", NoModule, version, Library, modfile.AutoQuote(dir))
	return nil, nil
}

// CopyTree copies a module's folder. Files become writable only for the owner,
// nested modules and version control folders are left out as in a module zip.
func CopyTree(dst, src string) error {
	return filepath.WalkDir(src, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(src, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			if rel != "." {
				if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil || strings.HasPrefix(d.Name(), ".git") {
					return fs.SkipDir
				}
			}
			return os.MkdirAll(filepath.Join(dst, rel), 0o755)
		}
		if !d.Type().IsRegular() {
			return nil
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dst, rel), b, 0o644)
	})
}
