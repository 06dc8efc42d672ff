package gocmd

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"
)

// vendored reports whether the go command would use the vendor folder in root. In a
// workspace it takes one that was made for a workspace only.
func vendored(e *Env, flags Flags, root string, g *modfile.Go, workspace bool) bool {
	mod, ok := flags.Lookup("mod")
	if !ok {
		mod, ok = e.Settings().Lookup("mod")
	}
	if ok {
		return mod == "vendor"
	}
	dir := filepath.Join(root, "vendor")
	fi, err := os.Stat(dir)
	if err != nil || !fi.IsDir() || semver.Compare("v"+goVersion(g), "v1.14") < 0 {
		return false
	}
	first, _, _ := strings.Cut(modulesText(dir), "\n")
	annotations, _ := strings.CutPrefix(first, "## ")
	return slices.Contains(strings.Split(strings.ReplaceAll(annotations, " ", ""), ";"), "workspace") == workspace
}

// modulesText returns the list of modules in a vendor folder. Some folders have none.
func modulesText(vendor string) string {
	text, _ := os.ReadFile(filepath.Join(vendor, "modules.txt"))
	return string(text)
}

// vendor makes a workspace of the module and the library, for this build only.
func (m *Modules) vendor(e *Env, flags Flags, f *modfile.File, files map[string][]byte) (Flags, error) {
	root := filepath.Dir(e.GOMOD)
	w := &modfile.WorkFile{Syntax: new(modfile.FileSyntax)}
	if err := w.AddGoStmt(workVersion(f.Go)); err != nil {
		return nil, err
	}
	// In a workspace the go command takes these from go.work alone.
	for _, g := range f.Godebug {
		if err := w.AddGodebug(g.Key, g.Value); err != nil {
			return nil, err
		}
	}
	// It compares the text of replacements with that in modules.txt. Those in a go.mod are
	// written anew for this, those in go.work aren't.
	for _, r := range f.Replace {
		if err := w.AddReplace(r.Old.Path, r.Old.Version, r.New.Path, r.New.Version); err != nil {
			return nil, err
		}
	}
	if err := w.AddUse(root, ""); err != nil {
		return nil, err
	}
	if err := m.useBesideVendor(w, root, files); err != nil {
		return nil, err
	}
	// The vendor folder is the one beside this file. The user may have a go.work, not used here.
	path := filepath.Join(root, "0-waymark.work")
	files[path] = modfile.Format(w.Syntax)
	if !slices.Contains(e.Extra, "GOWORK="+path) {
		e.Extra = append(e.Extra, "GOWORK="+path)
	}
	if _, ok := flags.Lookup("mod"); !ok {
		return Flags{"-mod=vendor"}, nil
	}
	return nil, nil
}

// useBesideVendor adds the library to a workspace whose dependencies are in root's vendor
// folder. The program may require the library, which then is one of these: modules.txt
// says so, which can't be overlaid, and go.mod must agree with it. So the workspace gets a
// module with another path that has the library's packages, and the vendored ones are hidden.
func (m *Modules) useBesideVendor(w *modfile.WorkFile, root string, files map[string][]byte) error {
	dir, err := m.Library(LibraryParent, goVersion(w.Go))
	if err != nil {
		return err
	}
	if err := hide(filepath.Join(root, "vendor"), files); err != nil {
		return err
	}
	return w.AddUse(dir, "")
}

// hide leaves the library's packages in a vendor folder out of the build. These are the packages in
// modules.txt, and those that are there because package waymark embeds its source.
func hide(vendor string, files map[string][]byte) error {
	library := false
	inside := make(map[string]bool) // folders of modules in the library's, such as those of contrib
	for line := range strings.Lines(modulesText(vendor)) {
		if words := strings.Fields(line); len(words) > 1 && words[0] == "#" {
			library = library || words[1] == Library
			inside[filepath.Join(vendor, filepath.FromSlash(words[1]))] = words[1] != Library
		}
	}
	if !library {
		return nil
	}
	err := filepath.WalkDir(filepath.Join(vendor, filepath.FromSlash(Library)), func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && inside[path]:
			return fs.SkipDir
		case d.Type().IsRegular():
			files[path] = nil
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) { // no package is used
		return nil
	}
	return err
}
