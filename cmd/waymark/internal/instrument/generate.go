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
func generate(u *unit, n *names, sites []Site) *Rewritten {
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
	if pkg == "" || len(sites) == 0 && len(imports) == 0 {
		return nil
	}

	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\npackage %s\n", header, pkg)
	if len(sites) > 0 {
		fmt.Fprintf(&b, "\nimport %s %q\n", n.runtime(), u.opts.runtime())
	}
	for _, path := range imports {
		fmt.Fprintf(&b, "\nimport _ %q\n", path)
	}
	if len(sites) > 0 {
		table := ""
		if u.opts.Table != nil {
			table = u.opts.Table(sites)
		}
		fmt.Fprintf(&b, "\nvar %s [%d]%s.WMSite\n", n.sites(), len(sites), n.runtime())
		settings := ""
		if u.opts.Settings != "" {
			settings = fmt.Sprintf(", Settings: %q", u.opts.Settings)
		}
		fmt.Fprintf(&b, "\nvar %s = %s.WMPackage{Sites: %s[:], Table: %q%s}\n", n.pkg(), n.runtime(), n.sites(), table, settings)
		fmt.Fprintf(&b, "\nvar %s = %s.WMRegister(&%s)\n", n.reg(), n.runtime(), n.pkg())
	}
	return &Rewritten{
		Path:    filepath.Join(filepath.Dir(u.group.Files[0].Path), n.file),
		Source:  []byte(b.String()),
		Changed: true,
	}
}
