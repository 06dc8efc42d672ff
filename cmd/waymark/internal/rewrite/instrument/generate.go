package instrument

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/hook"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/syntax"
)

// A Generated is a file to add to the unit's folder.
type Generated struct {
	Path   string
	Source []byte
}

// Generate returns the file that holds the site table and registers it. table is what Sites and
// Facility are encoded as. Generate returns nil if there is nothing to put into the file, also when
// all of the unit has been rewritten before. Files that were added since get a table of their own.
func (p *Plan) Generate(table string) *Generated {
	t, o, n := p.analysis.tree, p.analysis.opts, p.names
	pkg := ""
	imported := make(map[string]bool)
	for _, src := range t.Files {
		if src.AST == nil {
			continue
		}
		if pkg == "" {
			pkg = src.AST.Name.Name
		}
		for _, spec := range src.AST.Imports {
			imported[syntax.ImportPath(spec)] = true
		}
	}
	imports := slices.Compact(slices.Sorted(slices.Values(o.Imports)))
	imports = slices.DeleteFunc(imports, func(path string) bool { return imported[path] })
	registers := len(p.Sites) > 0 || len(p.words) > 0 || p.binds()
	if pkg == "" || !registers && len(imports) == 0 {
		return nil
	}

	packages := p.groupPackages()
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\npackage %s\n", syntax.Header, pkg)
	if registers {
		fmt.Fprintf(&b, "\nimport %s %q\n", n.runtime(), o.HooksPath())
	}
	if len(p.groups) > 0 {
		fmt.Fprintf(&b, "\nimport %s %q\n", n.library(), o.library())
	}
	for i, path := range packages {
		fmt.Fprintf(&b, "\nimport %s %q\n", n.groups(i), path)
	}
	for _, path := range imports {
		fmt.Fprintf(&b, "\nimport _ %q\n", path)
	}
	if registers {
		fmt.Fprintf(&b, "\nvar %s [%d]%s\n", n.sites(), len(p.Sites), n.hook(hook.Site))
		settings := ""
		if o.Settings != "" {
			settings = fmt.Sprintf(", %s: %q", hook.Settings, o.Settings)
		}
		p.probeTable(&b)
		settings += p.packageProbes()
		fmt.Fprintf(&b, "\nvar %s = %s{%s: %s[:], %s: %q%s}\n", n.pkg(), n.hook(hook.Package), hook.Sites, n.sites(), hook.Table, table, settings)
		fmt.Fprintf(&b, "\nvar %s = %s(&%s)\n", n.reg(), n.hook(hook.Register), n.pkg())
		p.bind(&b, packages)
	}
	return &Generated{filepath.Join(filepath.Dir(t.Unit.Files[0].Path), n.file), []byte(b.String())}
}

// binds reports whether the program is to know more than the sites: functions with directives, even
// if none of them is instrumented, and comments.
func (p *Plan) binds() bool { return len(p.Facility.Functions) > 0 || len(p.Facility.Docs) > 0 }

// bind has the program tell the hooks what the groups are, as soon as their variables have been
// initialised. A variable that refers to them is initialised next. The compiler reports what is no
// group at the directive that names it.
func (p *Plan) bind(b *strings.Builder, packages []string) {
	if !p.binds() {
		return
	}
	n := p.names
	fmt.Fprintf(b, "\nvar %s = %s && %s(&%s", n.bound(), n.reg(), n.hook(hook.Bind), n.pkg())
	for _, g := range p.groups {
		at := fmt.Sprintf("%s:%d", g.Pos.Filename, g.Pos.Line)
		if g.Pos.Column > 0 { // below a line directive without one it isn't known
			at += fmt.Sprintf(":%d", g.Pos.Column)
		}
		line := "/*line " + at + "*/"
		name := line + g.Name
		if i := slices.Index(packages, g.Package); i >= 0 {
			name = line + n.groups(i) + "." + name
		}
		fmt.Fprintf(b, ",\n%s(%s)", n.group(), name)
	}
	b.WriteString(")\n")
	if len(p.groups) > 0 {
		fmt.Fprintf(b, "\nfunc %s(g *%s.Group) interface{} { return g }\n", n.group(), n.library())
	}
}

// groupPackages returns the paths of other packages that groups are in.
func (p *Plan) groupPackages() (list []string) {
	for _, g := range p.groups {
		if g.Package != p.analysis.tree.Unit.ImportPath && !slices.Contains(list, g.Package) {
			list = append(list, g.Package)
		}
	}
	return list
}
