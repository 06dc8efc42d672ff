package lint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/internal/testing/repository"
)

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
