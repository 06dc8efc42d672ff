package main

import (
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const repository = "github.com/waymark-go/waymark"

// A listed package is what `go list` says of one of the repository.
type listedPackage struct {
	name      string // import path below the repository
	synopsis  string
	imports   []string // of the repository, by name
	importers []string
}

// listPackages returns the packages of the repository but examples, without their tests' imports.
func listPackages(t *testing.T) []*listedPackage {
	t.Helper()
	if _, err := os.Stat("../../go.work"); err != nil {
		t.Skip("without go.work there is only a part of the repository")
	}
	works := []string{"../../go.work"}
	for _, pattern := range []string{"../../*/*/go.work", "../../*/*/*/go.work"} {
		apart, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		works = append(works, apart...)
	}
	var out []byte
	for _, work := range works {
		// With -e modules from elsewhere need not be there.
		cmd := exec.Command("go", "list", "-e", "-f", "{{.ImportPath}}\t{{.Doc}}\t{{join .Imports \" \"}}", repository+"/...")
		cmd.Dir, cmd.Stderr = filepath.Dir(work), os.Stderr
		text, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v in %s: %v", cmd.Args, cmd.Dir, err)
		}
		out = append(out, text...)
	}
	below := func(importPath string) (name string, ok bool) {
		rest, ok := strings.CutPrefix(importPath, repository)
		name = strings.TrimPrefix(rest, "/")
		if name == "" {
			name = "waymark"
		}
		return name, ok && !strings.HasPrefix(name, "examples/")
	}
	var list []*listedPackage
	byName := make(map[string]*listedPackage)
	for line := range strings.Lines(string(out)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if name, ok := below(fields[0]); ok && byName[name] == nil {
			p := &listedPackage{name: name, synopsis: fields[1]}
			for _, i := range strings.Fields(fields[2]) {
				if name, ok := below(i); ok {
					p.imports = append(p.imports, name)
				}
			}
			list, byName[name] = append(list, p), p
		}
	}
	for _, p := range list {
		for _, i := range p.imports {
			byName[i].importers = append(byName[i].importers, p.name)
		}
	}
	return list
}

const internal = "cmd/waymark/internal/"

// importers says which packages may import some others. A pattern is that of path.Match, with /...
// for all packages below, too.
var importers = []struct {
	of, why string
	allowed []string
}{
	{internal + "cli", "only the command itself is on top of it", []string{"cmd/waymark"}},
	{internal + "report", "outputs know the model and none knows another", []string{internal + "cli", internal + "page", internal + "ui/...", internal + "viewer"}},
	{internal + "replay", "outputs know the model and none knows another", []string{internal + "cli"}},
	{internal + "testtrace", "outputs know the model and none knows another", []string{internal + "cli"}},
	{internal + "traces", "outputs know the model and none knows another", []string{internal + "cli", internal + "ui/...", internal + "viewer"}},
	{internal + "export", "outputs know the model and none knows another", []string{internal + "cli", internal + "ui/..."}},
	{internal + "diff", "outputs know the model and none knows another", []string{internal + "cli", internal + "ui/..."}},
	{internal + "levels", "outputs know the model and none knows another", []string{internal + "cli", internal + "ui/..."}},
	{internal + "load", "outputs know the model and none knows another", []string{internal + "cli"}},
	{internal + "export/*", "formats are the business of packages export and load", []string{internal + "export/...", internal + "load"}},
	{internal + "transcript", "only packages that print calls need their lines", []string{internal + "cli", internal + "replay", internal + "testtrace"}},
	{internal + "recording", "the model is for outputs", []string{internal + "cli", internal + "diff", internal + "export/...", internal + "levels", internal + "load", internal + "page", internal + "paths", internal + "report", internal + "replay", internal + "testtrace", internal + "traces", internal + "transcript", internal + "ui/..."}},
	{internal + "tui", "only terminal programs need its parts", []string{internal + "cli", internal + "dashboard", internal + "viewer"}},
	{internal + "session", "only dashboards keep what is on in a program", []string{internal + "cli", internal + "dashboard", internal + "session/...", internal + "ui/..."}},
	{"tracefile", "the programs that are traced need not read trace files", []string{"cmd/waymark/...", "dev/..."}},
	{"cmd/waymark/...", "the library and tools for development go without the command", []string{"cmd/waymark/..."}},
	{"dev/...", "nothing is built on tools for development", []string{"dev/..."}},
	{"contrib/...", "only users' programs need what other systems need", nil},
}

// leaves are packages that import no package of the repository but each other.
var leaves = []string{
	"internal/budget", "internal/clock", "internal/console", "internal/cputime", "internal/format", "internal/function", "internal/names", "internal/pattern", "internal/rt",
	"internal/table", "internal/text", "internal/units", "internal/wire", "histogram", "value",
}

// Data goes one way through the packages.
func TestLayers(t *testing.T) {
	matches := func(pattern, name string) bool {
		if root, ok := strings.CutSuffix(pattern, "/..."); ok {
			return name == root || strings.HasPrefix(name, root+"/")
		}
		ok, err := path.Match(pattern, name)
		if err != nil {
			t.Fatalf("%s: %v", pattern, err)
		}
		return ok
	}
	for _, p := range listPackages(t) {
		for _, rule := range importers {
			if !matches(rule.of, p.name) {
				continue
			}
			for _, by := range p.importers {
				if !slices.ContainsFunc(rule.allowed, func(pattern string) bool { return matches(pattern, by) }) {
					t.Errorf("%s imports %s, want importers %q only: %s", by, p.name, rule.allowed, rule.why)
				}
			}
		}
		if slices.Contains(leaves, p.name) {
			for _, i := range p.imports {
				if !slices.Contains(leaves, i) {
					t.Errorf("%s imports %s, want imports of %q only", p.name, i, leaves)
				}
			}
		}
	}
}

// docs/packages.md lists all packages with their importers, as `go test -run TestPackages -update
// .` writes it.
func TestPackages(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Packages\n\n" + wrap("Each package of this repository with the first sentence of its comment, and the packages that import it. "+
		"`go test -run TestPackages -update .` in cmd/waymark writes this list from the source.", ""))
	list := listPackages(t)
	for _, part := range parts {
		b.WriteString("\n## " + part.heading + "\n\n")
		for _, p := range list {
			if partOf(p.name) != part.folder {
				continue
			}
			if p.synopsis == "" {
				t.Errorf("%s has no package comment", p.name)
			}
			text := fmt.Sprintf("- **%s**: %s", p.name, p.synopsis)
			if len(p.importers) > 0 {
				text += " Imported by " + strings.Join(p.importers, ", ") + "."
			}
			b.WriteString(wrap(text, "  "))
		}
	}
	got := b.String()
	file := filepath.Join("..", "..", "docs", "packages.md")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want := readText(t, file)
	if got != want {
		t.Errorf("%s differs from the source; write it anew with go test -run TestPackages -update . in cmd/waymark. It should be:\n%s", file, got)
	}
}

// parts are those of the list.
var parts = []struct{ folder, heading string }{
	{"", "The library, for programs to import"}, {"internal", "The library's own"},
	{"contrib", "For programs that use other systems, each a module of its own"},
	{"cmd", "The command"}, {"dev", "For development"},
}

// partOf returns the folder of the part that a package is listed in.
func partOf(name string) string {
	top, _, _ := strings.Cut(name, "/")
	for _, p := range parts {
		if p.folder == top {
			return top
		}
	}
	return ""
}

// wrap breaks text into lines of 100 columns at most, which but for the first begin with indent.
func wrap(text, indent string) string {
	var b strings.Builder
	room := 100
	for i, word := range strings.Fields(text) {
		switch {
		case i > 0 && len(word) >= room:
			b.WriteString("\n" + indent)
			room = 100 - len(indent)
		case i > 0:
			b.WriteByte(' ')
			room--
		}
		b.WriteString(word)
		room -= len(word)
	}
	return b.String() + "\n"
}
