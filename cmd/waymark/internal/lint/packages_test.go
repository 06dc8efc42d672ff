package lint

import (
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/internal/testing/repository"
)

// module is the library's, and what the names of the others begin with.
const module = "github.com/waymark-go/waymark"

// A listed package is what `go list` says of one of the repository.
type listedPackage struct {
	name      string   // import path below the repository
	imports   []string // of the repository, by name
	importers []string
}

// listPackages returns the packages of the repository but examples, without their tests' imports.
func listPackages(t *testing.T) []*listedPackage {
	t.Helper()
	works := []string{repository.Path(t, "go.work")}
	for _, pattern := range []string{"*/*/go.work", "*/*/*/go.work"} {
		apart, err := filepath.Glob(repository.Path(t, pattern))
		if err != nil {
			t.Fatal(err)
		}
		works = append(works, apart...)
	}
	var out []byte
	for _, work := range works {
		// With -e modules from elsewhere need not be there.
		cmd := exec.Command("go", "list", "-e", "-f", "{{.ImportPath}}\t{{join .Imports \" \"}}", module+"/...")
		cmd.Dir, cmd.Stderr = filepath.Dir(work), os.Stderr
		text, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v in %s: %v", cmd.Args, cmd.Dir, err)
		}
		out = append(out, text...)
	}
	below := func(importPath string) (name string, ok bool) {
		rest, ok := strings.CutPrefix(importPath, module)
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
			p := &listedPackage{name: name}
			for _, i := range strings.Fields(fields[1]) {
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

// storeys are the folders of the command, and packages beside them. Each imports of the others only
// what stands before it.
var storeys = []string{
	"permission", // who may read what is made of a file
	"expression", // conditions, as users write them
	"usdt",       // probes of the system's tracers
	"rewrite",    // sources in, sources out
	"build",      // prepares builds and runs the go command
	"patch",      // changes running programs, whoever built them
	"live",       // connects to running programs
	"read",       // recordings, and calls made of events
	"affected",   // which tests a change can reach
	"show",       // prints calls
	"export",     // formats of other programs
	"load",       // sends traces at a pace
	"screen",     // terminals and pages
	"cli",        // a file for each command
	"endtoend",   // tests of the whole command
	"lint",       // tests of the repository's text
}

const (
	internal = "cmd/waymark/internal/"
	show     = internal + "show/"
)

// importers says which packages may import some others. A pattern is that of path.Match, with /...
// for all packages below, too.
var importers = []struct {
	of, why string
	allowed []string
}{
	{show + "*", "outputs know the model and none knows another, but tests print calls", []string{internal + "cli", internal + "screen/...", show + "testtrace"}},
	{internal + "export/*", "formats are the business of packages export and load; only package full has all", []string{internal + "export/...", internal + "load", internal + "cli/full"}},
	{"tracefile", "the programs that are traced need not read trace files", []string{"cmd/waymark/...", "dev/..."}},
	{"cmd/waymark/...", "the library and tools for development go without the command", []string{"cmd/waymark/..."}},
	{"dev/...", "nothing is built on tools for development", []string{"dev/..."}},
	{"contrib/...", "only users' programs need what other systems need", nil},
	{"internal/testing/...", "programs go without what tests need", []string{"internal/testing/...", internal + "read/calltree/calltreetest"}},
}

// leaves are packages that import no package of the repository but each other.
var leaves = []string{
	"internal/calls", "internal/estimate", "internal/function", "internal/pattern", "internal/text/names", "internal/text/table", "internal/text/units",
	"internal/wire/format", "internal/wire/protobuf", "internal/wire/setting", "internal/wire/usdt",
	"internal/program/budget", "internal/program/clock", "internal/program/console", "internal/program/cputime", "internal/program/rt", "internal/program/text",
	"histogram", "value",
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
	storey := func(name string) (at int, ok bool) {
		folder, _, _ := strings.Cut(strings.TrimPrefix(name, internal), "/")
		at = slices.Index(storeys, folder)
		return at, strings.HasPrefix(name, internal)
	}
	for _, p := range listPackages(t) {
		at, ok := storey(p.name)
		if ok && at < 0 {
			t.Errorf("%s stands in no folder of storeys", p.name)
		}
		for _, i := range p.imports {
			if below, ok2 := storey(i); ok && ok2 && below > at {
				t.Errorf("%s imports %s, which stands above it", p.name, i)
			}
		}
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

// A program that imports the library and is built by plain Go carries no recorder, no settings and no
// commands, and of the standard library little that a server hasn't anyway.
func TestPlainPrograms(t *testing.T) {
	const most = 16 // packages of this module; 38 before package linked
	out, err := exec.Command("go", "list", "-deps", "github.com/waymark-go/waymark").Output()
	if err != nil {
		t.Fatal(err)
	}
	own := 0
	for _, name := range strings.Fields(string(out)) {
		switch name {
		case "encoding/json", "compress/gzip", "log/slog", "runtime/pprof", "text/tabwriter", "net/http":
			t.Errorf("package waymark imports %s", name)
		}
		if strings.HasPrefix(name, "github.com/waymark-go/waymark") {
			own++
		}
	}
	if own > most {
		t.Errorf("package waymark is %d packages with what it imports, want at most %d", own, most)
	}
}
