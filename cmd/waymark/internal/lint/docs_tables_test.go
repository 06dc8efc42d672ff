package lint

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/build/toolchain"
	"github.com/waymark-go/waymark/cmd/waymark/internal/show/report"
	"github.com/waymark-go/waymark/internal/testing/repository"
	"github.com/waymark-go/waymark/internal/text/table"
	"github.com/waymark-go/waymark/internal/wire/format"
)

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
		if !strings.Contains(measured, f) && !((unit == "ns" || unit == "x") && strings.Contains(measured, "| "+number+" |")) {
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
