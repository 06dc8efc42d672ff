package lint

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/build/toolchain"
	"github.com/waymark-go/waymark/cmd/waymark/internal/cli"
	"github.com/waymark-go/waymark/cmd/waymark/internal/show/report"
	"github.com/waymark-go/waymark/internal/program/agent"
	"github.com/waymark-go/waymark/internal/testing/repository"
	"github.com/waymark-go/waymark/internal/text/table"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// commandFlags returns the flags of each command, out of its help.
func commandFlags(t *testing.T) map[string][]string {
	t.Helper()
	help := func(args ...string) string {
		var out strings.Builder
		if status := cli.Main(args, strings.NewReader(""), &out, &out); status != 0 {
			t.Fatalf("waymark %s: status %d, want 0\n%s", args, status, &out)
		}
		return out.String()
	}
	flags := map[string][]string{"completion": nil, "help": nil, "toolexec": nil}
	_, list, _ := strings.Cut(help("help"), "Available Commands:\n")
	list, _, _ = strings.Cut(list, "\n\n")
	for _, l := range strings.Split(list, "\n") {
		name := strings.Fields(l)[0]
		if _, ok := flags[name]; ok {
			continue
		}
		flags[name] = nil
		for _, m := range regexp.MustCompile(`(?m)^ +(?:-\w, )?--([\w-]+)`).FindAllStringSubmatch(help(name, "-h"), -1) {
			flags[name] = append(flags[name], m[1])
		}
	}
	return flags
}

// TestDocsCommands checks that commands, flags and keys of WAYMARK that documents mention exist.
func TestDocsCommands(t *testing.T) {
	flags := commandFlags(t)
	if len(flags) < 10 || !slices.Contains(flags["report"], "sort") {
		t.Fatalf("commands with their flags: %v; want report with --sort, and others", flags)
	}
	every := []string{"no-event"} // uftrace's
	for _, names := range flags {
		every = append(every, names...)
	}
	command := regexp.MustCompile(`(?:^|[\s/(])waymark ([a-z][\w-]*)([^|;&>#)]*)`)
	setting := regexp.MustCompile(`\bWAYMARK=([^\s@'"]+)`)
	checked := 0
	for _, d := range documents(t) {
		if d.name == "CHANGELOG.md" {
			continue // it names what is gone, too
		}
		for _, l := range d.lines {
			pieces := l.inline()
			if l.code {
				pieces = []string{l.text}
			}
			for _, code := range pieces {
				for _, m := range command.FindAllStringSubmatch(code, -1) {
					own, ok := flags[m[1]]
					if !ok {
						if !l.code || strings.HasPrefix(strings.TrimSpace(code), "waymark") {
							t.Errorf("%s: waymark %s: there is no such command: %s", d.at(l), m[1], code)
						}
						continue
					}
					checked++
					for _, f := range longFlags(m[2]) {
						if !slices.Contains(own, f) {
							t.Errorf("%s: waymark %s has no flag --%s: %s", d.at(l), m[1], f, code)
						}
					}
				}
				if !command.MatchString(code) && !l.code {
					for _, f := range longFlags(code) {
						if !slices.Contains(every, f) {
							t.Errorf("%s: no command has the flag --%s", d.at(l), f)
						}
					}
				}
				for _, m := range setting.FindAllStringSubmatch(code, -1) {
					for _, key := range keysOf(m[1]) {
						if !slices.Contains(agent.Keys(), key) {
							t.Errorf("%s: WAYMARK has no key %q: %s", d.at(l), key, code)
						}
					}
				}
			}
		}
	}
	if checked < 50 {
		t.Errorf("found %d commands in the documents, want 50 at least", checked)
	}
}

// longFlags returns the names of the flags with two dashes.
func longFlags(code string) []string {
	var names []string
	for _, m := range regexp.MustCompile(`(?:^|\s)--([a-z][\w-]*)`).FindAllStringSubmatch(code, -1) {
		names = append(names, m[1])
	}
	return names
}

// keysOf returns the keys of a value of WAYMARK, in its form with commas or with number signs.
func keysOf(value string) []string {
	separator, equals := ",", "="
	if len(value) > 1 && value[1] == ':' {
		separator, equals = "#", ":"
	}
	var keys []string
	for _, item := range strings.Split(value, separator) {
		key, _, _ := strings.Cut(item, equals)
		if regexp.MustCompile(`^[a-z][a-z-]*$`).MatchString(key) {
			keys = append(keys, key)
		}
	}
	return keys
}

// Tests of others, and made-up ones, that documents name.
var othersTests = []string{"TestDeepNestedLabelPerformance", "TestManyCDATAPerformance"}

// TestDocsNames checks that tests, scripts, goldens, make targets, files and identifiers that
// documents name exist.
func TestDocsNames(t *testing.T) {
	files := repository.Files(t)
	var tests strings.Builder
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			tests.WriteString(repository.Read(t, name))
		}
	}
	makefile := repository.Read(t, "Makefile")
	test := regexp.MustCompile(`\b(?:Test|Fuzz|Benchmark)[A-Z]\w*`)
	scripts := regexp.MustCompile("\\bscripts? ((?:`[\\w-]+`(?:, | and )?)+)")
	goldens := regexp.MustCompile("\\bgoldens? ((?:`[\\w-]+`(?:, | and )?)+)")
	target := regexp.MustCompile(`(?:^|\s)make ([a-z][\w/-]*)`)
	file := regexp.MustCompile(`^[\w./-]+/[\w.-]+\.(?:go|s|md|txtar|txt|py|csv|svg)$`)
	identifier := regexp.MustCompile(`^\*?(waymark|stats|timing|monitor|tracefile|value|histogram|sampler|callgraph)\.([A-Z]\w*)`)
	exported := make(map[string][]string)
	for _, d := range documents(t) {
		for _, l := range d.lines {
			if d.name == "CHANGELOG.md" {
				// It names what is gone, too, but for the last column of a table.
				cells := strings.Split(strings.TrimSuffix(l.text, " |"), " | ")
				if !strings.HasPrefix(l.text, "|") || len(cells) < 2 {
					continue
				}
				l.text = cells[len(cells)-1]
			}
			if l.code {
				for _, m := range target.FindAllStringSubmatch(l.text, -1) {
					wantTarget(t, d.at(l), makefile, m[1])
				}
				continue
			}
			text := inlineCode.ReplaceAllStringFunc(l.text, func(code string) string {
				if strings.ContainsAny(code, " /=") || identifier.MatchString(strings.Trim(code, "`")) {
					return "" // a command, something of other modules, or of the library
				}
				return code
			})
			for _, name := range test.FindAllString(text, -1) {
				if !strings.Contains(tests.String(), "func "+name+"(") && !slices.Contains(othersTests, name) {
					t.Errorf("%s: there is no test %s", d.at(l), name)
				}
			}
			for _, m := range scripts.FindAllStringSubmatch(l.text, -1) {
				for _, name := range inlineCode.FindAllString(m[1], -1) {
					if !test.MatchString(name) {
						wantFile(t, scriptFolder+strings.Trim(name, "`")+".txtar")
					}
				}
			}
			for _, m := range goldens.FindAllStringSubmatch(l.text, -1) {
				for _, name := range inlineCode.FindAllString(m[1], -1) {
					wantFile(t, goldenFolder+strings.Trim(name, "`")+"*.txtar")
				}
			}
			for _, code := range l.inline() {
				for _, m := range target.FindAllStringSubmatch(code, -1) {
					wantTarget(t, d.at(l), makefile, m[1])
				}
				if file.MatchString(code) && !strings.HasPrefix(code, "/") && !strings.HasPrefix(code, "vendor/") &&
					!slices.ContainsFunc(files, func(f string) bool { return f == code || strings.HasSuffix(f, "/"+code) }) {
					t.Errorf("%s: there is no file %s", d.at(l), code)
				}
				if m := identifier.FindStringSubmatch(code); m != nil {
					if exported[m[1]] == nil {
						exported[m[1]] = exportedBy(t, m[1])
					}
					if !slices.Contains(exported[m[1]], m[2]) {
						t.Errorf("%s: package %s has no %s", d.at(l), m[1], m[2])
					}
				}
			}
		}
	}
}

// TestDocsTable checks that the tests in the appendices of documents are in the packages that these
// say.
func TestDocsTable(t *testing.T) {
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Benchmark)\w+)\(`)
	folders := make(map[string][]string) // of a test
	for _, name := range repository.Files(t) {
		if strings.HasSuffix(name, "_test.go") {
			for _, m := range declared.FindAllStringSubmatch(repository.Read(t, name), -1) {
				folders[m[1]] = append(folders[m[1]], filepath.ToSlash(filepath.Dir(name)))
			}
		}
	}
	tests := regexp.MustCompile("((?:\\b(?:Test|Benchmark)\\w+(?:, )?)+)(?: in `([\\w/]+)`)?")
	for document, d := range map[string]struct {
		home []string // of tests without a package
		rows int      // at least
	}{
		"docs/groups.md":   {[]string{".", "monitor"}, 60},
		"docs/probes.md":   {[]string{"probe"}, 40},
		"docs/security.md": {[]string{"cmd/waymark/internal/endtoend"}, 25},
	} {
		_, table, _ := strings.Cut(repository.Read(t, document), "\n## Appendix")
		rows := regexp.MustCompile(`(?m)^\|.*\| ([^|]+) \|$`).FindAllStringSubmatch(table, -1)
		for _, row := range rows {
			for _, m := range tests.FindAllStringSubmatch(row[1], -1) {
				for _, name := range strings.Split(strings.TrimSuffix(m[1], ", "), ", ") {
					in := func(dir string) bool {
						return m[2] == "" && slices.Contains(d.home, dir) || m[2] != "" && (dir == m[2] || strings.HasSuffix(dir, "/"+m[2]))
					}
					if !slices.ContainsFunc(folders[name], in) {
						t.Errorf("%s: %s is in %q, want what its row says: %s", document, name, folders[name], row[1])
					}
				}
			}
		}
		if len(rows) < d.rows {
			t.Errorf("the appendix of %s has %d rows, want %d at least", document, len(rows), d.rows)
		}
	}
}

func wantTarget(t *testing.T, at, makefile, name string) {
	t.Helper()
	folder, _, ok := strings.Cut(name, "/")
	if !strings.Contains(makefile, "\n"+name+":") && !(ok && strings.Contains(makefile, "\n"+folder+"/%:")) {
		t.Errorf("%s: there is no make target %s", at, name)
	}
}

// exportedBy returns the names that a package of the library declares.
func exportedBy(t *testing.T, pkg string) []string {
	t.Helper()
	dir := repository.Path(t, pkg)
	if pkg == "waymark" {
		dir = repository.Path(t, "")
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil {
					names = append(names, d.Name.Name)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch spec := spec.(type) {
					case *ast.TypeSpec:
						names = append(names, spec.Name.Name)
					case *ast.ValueSpec:
						for _, id := range spec.Names {
							names = append(names, id.Name)
						}
					}
				}
			}
		}
	}
	return names
}

// TestDocsFigures compares figures that stand in several documents with where they come from.
func TestDocsFigures(t *testing.T) {
	readme := repository.Read(t, "README.md")
	_, costs, _ := strings.Cut(readme, "\n## What it costs\n")
	costs, _, _ = strings.Cut(costs, "\n## ")
	measured := repository.Read(t, "docs/performance.md")
	figures := regexp.MustCompile(`[+-]?\d+(?:\.\d+)? (?:ns|x|%|M|MB)\b|[+-]?\d+(?:\.\d+)? %`).FindAllString(costs, -1)
	if len(figures) < 5 {
		t.Errorf("README.md says what tracing costs with the figures %q, want 5 at least", figures)
	}
	for _, f := range figures {
		number, unit, _ := strings.Cut(f, " ")
		if !strings.Contains(measured, f) && !(unit == "ns" && strings.Contains(measured, "| "+number+" |")) {
			t.Errorf("README.md: docs/performance.md has no figure %s", f)
		}
	}
	suites := repository.Read(t, "docs/compatibility.md")
	total := regexp.MustCompile(`suites\*\* \| \| (\d+)(\d{3}) \|`).FindStringSubmatch(suites)
	if total == nil || !strings.Contains(readme, total[1]+","+total[2]+" tests") {
		t.Errorf("README.md doesn't have the number of tests of docs/compatibility.md, %q", total)
	}
	usage := repository.Read(t, "docs/usage.md")
	for _, word := range strings.Split(format.DefaultRedact, ",") {
		if !regexp.MustCompile(`\b` + word + `\b`).MatchString(usage) {
			t.Errorf("docs/usage.md doesn't name %q, which names of secrets have", word)
		}
	}
	for _, want := range []string{fmt.Sprintf("Below level %d ", table.MaxIndent), fmt.Sprintf("Nested JSON has %d levels", report.DefaultLevels)} {
		if !strings.Contains(usage, want) {
			t.Errorf("docs/usage.md has no %q", want)
		}
	}
	limits := repository.Read(t, "docs/limits.md")
	for _, release := range toolchain.Tested {
		if !strings.Contains(readme, release) || !strings.Contains(limits, release) {
			t.Errorf("README.md or docs/limits.md doesn't name the tested release %s", release)
		}
	}
}

// TestDocsFaults checks that each fault in docs/limits.md names a test: one of its own, or a part
// of TestFaults.
func TestDocsFaults(t *testing.T) {
	var tests strings.Builder
	for _, name := range repository.Files(t) {
		if strings.HasPrefix(name, "cmd/waymark/internal/endtoend/faults_") {
			tests.WriteString(repository.Read(t, name))
		}
	}
	_, faults, _ := strings.Cut(repository.Read(t, "docs/limits.md"), "\n## Faults\n")
	rows := regexp.MustCompile(`(?m)^\| .*\| ([^|]+) \|$`).FindAllStringSubmatch(faults, -1)
	for _, row := range rows[1:] { // the first one is the heading
		names := inlineCode.FindAllString(row[1], -1)
		if len(names) == 0 {
			t.Errorf("docs/limits.md: no test is named: %s", row[0])
		}
		for _, name := range names {
			part, _, _ := strings.Cut(strings.Trim(name, "`"), "/")
			if !strings.HasPrefix(part, "Test") && !strings.Contains(tests.String(), "Run(\""+part+"\"") {
				t.Errorf("docs/limits.md: TestFaults has no part %s", part)
			}
		}
	}
	if len(rows) < 20 {
		t.Errorf("docs/limits.md has %d faults, want 20 at least", len(rows))
	}
}
