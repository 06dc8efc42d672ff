// Package manifest says which groups of functions a program has, and which functions are in
// them. It says so for people, for programs, and in the properties format of the tracing
// facility that the idea comes from.
package manifest

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/build"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/directive"
)

// A Manifest lists the groups and the functions with directives of some packages, and of their
// tests. Groups are named as flags (--include @NAME) and waymark.GroupByName take them. Where a
// name isn't known, the variable's stands for it.
type Manifest struct {
	Groups   []Group   `json:"groups"`
	Packages []Package `json:"packages"`
}

// A Group is a group with what is directly in it.
type Group struct {
	directive.GroupVar
	Functions []string `json:"functions,omitempty"` // with their packages, by their tracing names
}

// A Package lists its functions with directives, by id.
type Package struct {
	Path      string     `json:"package"`
	Functions []Function `json:"functions"`
}

// A Function is a function with a directive.
type Function struct {
	Name  string `json:"name"` // that tracing knows it by
	ID    int    `json:"id"`
	Group string `json:"group,omitempty"` // its name, or the variable that holds it
	Info  string `json:"info,omitempty"`  // of an info function: NONE, ENTER or EXIT
	Doc   string `json:"doc,omitempty"`   // the whole comment

	Symbol string `json:"symbol"` // as runtime.FuncForPC has it
	File   string `json:"file"`
	Line   int    `json:"line"`
}

// Of returns the manifest of a build, and of what the build of its tests has in test files; nil:
// without. It is an error if two groups have one name.
func Of(b, tests *build.Build) (*Manifest, error) {
	m := &Manifest{Groups: []Group{}, Packages: []Package{}}
	byVar := make(map[string]*Group)
	declared := make(map[string]bool)
	vars, funcs := slices.Clone(b.Groups), slices.Clone(b.Funcs)
	if tests != nil {
		vars = append(vars, ofTests(tests.Groups, func(g *directive.GroupVar) string { return g.File })...)
		funcs = append(funcs, ofTests(tests.Funcs, func(f *build.Func) string { return f.File })...)
	}
	for _, g := range vars {
		m.Groups = append(m.Groups, Group{GroupVar: g})
		declared[g.Var] = true
	}
	// Of those that functions are in and that are made otherwise, or elsewhere, only the variable
	// is known.
	for _, f := range funcs {
		if f.Group != "" && !declared[f.Group] {
			m.Groups = append(m.Groups, Group{GroupVar: directive.GroupVar{Var: f.Group}})
			declared[f.Group] = true
		}
	}
	slices.SortStableFunc(m.Groups, func(x, y Group) int { return cmp.Or(cmp.Compare(x.label(), y.label()), cmp.Compare(x.Var, y.Var)) })
	var twice []string
	for i := range m.Groups {
		g := &m.Groups[i]
		byVar[g.Var] = g
		if i > 0 && g.Name != "" && m.Groups[i-1].Name == g.Name {
			twice = append(twice, fmt.Sprintf("%s:%d: group %s has the name of the one at %s:%d", g.File, g.Line, g.Name, m.Groups[i-1].File, m.Groups[i-1].Line))
		}
	}
	if twice != nil {
		return nil, fmt.Errorf("%s", strings.Join(twice, "\n"))
	}
	packages := make(map[string]*Package)
	var paths []string
	for i := range funcs {
		f := &funcs[i]
		if !f.Traced() {
			continue
		}
		path := f.Package
		if external := path + "_test"; strings.HasPrefix(f.Name, external+".") {
			path = external // the program knows it so
		}
		if packages[path] == nil {
			packages[path] = &Package{Path: path}
			paths = append(paths, path)
		}
		p := packages[path]
		p.Functions = append(p.Functions, Function{f.TracingName, f.ID, f.Group, f.Info, f.Comment, f.Name, f.File, f.Line})
	}
	slices.Sort(paths)
	for _, path := range paths {
		p := packages[path]
		slices.SortFunc(p.Functions, func(x, y Function) int { return cmp.Compare(x.ID, y.ID) })
		m.Packages = append(m.Packages, *p)
		for _, f := range p.Functions {
			if g := byVar[f.Group]; g != nil {
				g.Functions = append(g.Functions, path+"."+f.Name)
			}
		}
	}
	name := func(v string) string {
		if g := byVar[v]; g != nil {
			return g.label()
		}
		return v
	}
	for i := range m.Groups {
		g := &m.Groups[i]
		g.Subgroups = slices.Clone(g.Subgroups)
		for j, sub := range g.Subgroups {
			g.Subgroups[j] = name(sub)
		}
	}
	for _, p := range m.Packages {
		for i := range p.Functions {
			p.Functions[i].Group = name(p.Functions[i].Group)
		}
	}
	return m, nil
}

// ofTests returns those of list that are in files of tests.
func ofTests[T any](list []T, file func(*T) string) (out []T) {
	for i := range list {
		if strings.HasSuffix(file(&list[i]), "_test.go") {
			out = append(out, list[i])
		}
	}
	return out
}

// label returns the group's name, or its variable if that isn't known.
func (g Group) label() string { return cmp.Or(g.Name, g.Var) }

// Formats are the names of the ways to write a manifest.
var Formats = []string{"text", "json", "properties"}

// Write writes the manifest in one of the Formats. For people, files below dir are named from
// there.
func (m *Manifest) Write(w io.Writer, format, dir string) error {
	b := bufio.NewWriter(w)
	switch format {
	case "json":
		if err := writeJSON(b, m); err != nil {
			return err
		}
	case "properties":
		fmt.Fprintf(b, "waymark.groups.size=%d\n", len(m.Groups))
		for i, g := range m.Groups {
			fmt.Fprintf(b, "waymark.group.%d=%s\n", i+1, g.label())
		}
	default:
		m.text(b, dir)
	}
	return b.Flush()
}

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

func (m *Manifest) text(w io.Writer, dir string) {
	file := func(path string) string {
		if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
			return rel
		}
		return path
	}
	for _, g := range m.Groups {
		fmt.Fprintf(w, "group %s  %s", cmp.Or(g.Name, "?"), g.Var)
		if g.File != "" {
			fmt.Fprintf(w, "  %s:%d", file(g.File), g.Line)
		}
		fmt.Fprintln(w)
		if g.Doc != "" {
			fmt.Fprintf(w, "    %s\n", g.Doc)
		}
		for _, sub := range g.Subgroups {
			fmt.Fprintf(w, "    contains %s\n", sub)
		}
		for _, f := range g.Functions {
			fmt.Fprintf(w, "    %s\n", f)
		}
	}
	for _, p := range m.Packages {
		fmt.Fprintf(w, "package %s\n", p.Path)
		for _, f := range p.Functions {
			what := f.Group
			if f.Info != "" {
				what = "info " + f.Info
			}
			fmt.Fprintf(w, "    %d  %s  %s  %s:%d\n", f.ID, f.Name, what, file(f.File), f.Line)
		}
	}
}
