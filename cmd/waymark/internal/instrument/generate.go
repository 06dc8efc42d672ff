package instrument

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// generate writes the file that holds a group's site table and registers it.
// It returns nil if there is nothing to put into it, also when all of the group
// has been rewritten before. Files that were added since get a table of their own.
func generate(u *unit, n *names, t *Table, groups []*groupRef) *Rewritten {
	sites := t.Sites
	pkg := ""
	imported := make(map[string]bool)
	for _, src := range u.files {
		if src.tree == nil {
			continue
		}
		if pkg == "" {
			pkg = src.tree.Name.Name
		}
		for _, spec := range src.tree.Imports {
			imported[importPath(spec)] = true
		}
	}
	imports := slices.Compact(slices.Sorted(slices.Values(u.opts.Imports)))
	imports = slices.DeleteFunc(imports, func(path string) bool { return imported[path] })
	// Functions with directives are known to the program even if none of them is instrumented, and so are comments.
	registers := len(sites) > 0 || t.facility()
	if pkg == "" || !registers && len(imports) == 0 {
		return nil
	}

	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\npackage %s\n", header, pkg)
	if registers {
		fmt.Fprintf(&b, "\nimport %s %q\n", n.runtime(), u.opts.runtime())
	}
	if len(groups) > 0 {
		fmt.Fprintf(&b, "\nimport %s %q\n", n.library(), u.opts.library())
	}
	for i, path := range groupPackages(u, groups) {
		fmt.Fprintf(&b, "\nimport %s %q\n", n.groups(i), path)
	}
	for _, path := range imports {
		fmt.Fprintf(&b, "\nimport _ %q\n", path)
	}
	if registers {
		table := ""
		if u.opts.Table != nil {
			table = u.opts.Table(t)
		}
		fmt.Fprintf(&b, "\nvar %s [%d]%s.WMSite\n", n.sites(), len(sites), n.runtime())
		settings := ""
		if u.opts.Settings != "" {
			settings = fmt.Sprintf(", Settings: %q", u.opts.Settings)
		}
		fmt.Fprintf(&b, "\nvar %s = %s.WMPackage{Sites: %s[:], Table: %q%s}\n", n.pkg(), n.runtime(), n.sites(), table, settings)
		fmt.Fprintf(&b, "\nvar %s = %s.WMRegister(&%s)\n", n.reg(), n.runtime(), n.pkg())
		bind(&b, u, n, t, groups)
	}
	return &Rewritten{
		Path:    filepath.Join(filepath.Dir(u.group.Files[0].Path), n.file),
		Source:  []byte(b.String()),
		Changed: true,
	}
}

// bind has the program tell the hooks what the groups are, as soon as their variables have
// been initialised: a variable that refers to them is initialised next. The
// compiler reports what is no group at the directive that names it.
func bind(b *strings.Builder, u *unit, n *names, t *Table, groups []*groupRef) {
	if !t.facility() {
		return
	}
	packages := groupPackages(u, groups)
	fmt.Fprintf(b, "\nvar %s = %s && %s.WMBind(&%s", n.bound(), n.reg(), n.runtime(), n.pkg())
	for _, g := range groups {
		pos := u.fset.Position(g.by.pos)
		at := fmt.Sprintf("%s:%d", pos.Filename, pos.Line)
		if pos.Column > 0 { // below a line directive without one it isn't known
			at += fmt.Sprintf(":%d", pos.Column)
		}
		line := "/*line " + at + "*/"
		name := line + g.name
		if i := slices.Index(packages, g.path); i >= 0 {
			name = line + n.groups(i) + "." + name
		}
		fmt.Fprintf(b, ",\n%s(%s)", n.group(), name)
	}
	b.WriteString(")\n")
	if len(groups) > 0 {
		fmt.Fprintf(b, "\nfunc %s(g *%s.Group) interface{} { return g }\n", n.group(), n.library())
	}
}

// groupPackages gives the paths of other packages that groups are in.
func groupPackages(u *unit, groups []*groupRef) (list []string) {
	for _, g := range groups {
		if g.path != u.group.ImportPath && !slices.Contains(list, g.path) {
			list = append(list, g.path)
		}
	}
	return list
}

// facility tells whether the program is to know more than the sites.
func (t *Table) facility() bool { return len(t.Traced) > 0 || len(t.Docs) > 0 }
