package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every line of docs/semantics.md names a test, and there are such tests.
func TestSemanticsAreTested(t *testing.T) {
	doc := readText(t, "../../docs/semantics.md")
	makefile := readText(t, "../../Makefile")
	var tests strings.Builder // all test files
	for _, name := range repositoryFiles(t) {
		if strings.HasPrefix(name, "cmd/waymark/") && strings.HasSuffix(name, "_test.go") {
			tests.WriteString(readText(t, filepath.Join(topFolder, name)))
		}
	}
	name := regexp.MustCompile("\\*[^*]+\\*|`[^`]+`")
	rows := 0
	for _, line := range strings.Split(doc, "\n") {
		cells := strings.Split(strings.Trim(line, "|"), "|")
		if !strings.HasPrefix(line, "|") || strings.HasPrefix(line, "|---") || strings.TrimSpace(cells[len(cells)-1]) == "Test" {
			continue
		}
		rows++
		found := name.FindAllString(cells[len(cells)-1], -1)
		if len(found) == 0 {
			t.Errorf("no test is named: %s", line)
		}
		for _, ref := range found {
			ref = strings.Trim(ref, "*`")
			kind, rest, ok := strings.Cut(ref, " ")
			switch {
			case strings.HasPrefix(ref, "-"): // a flag of the test before
			case strings.HasPrefix(ref, "Test"):
				if !strings.Contains(tests.String(), "func "+ref+"(") {
					t.Errorf("no test %s", ref)
				}
			case ok && kind == "make":
				if !strings.Contains(makefile, "\n"+rest+":") {
					t.Errorf("no make target %s", rest)
				}
			case ok && kind == "golden":
				wantFile(t, "internal/rewrite/instrument/testdata/"+rest+".txtar")
			case ok && kind == "goldens":
				wantFile(t, "internal/rewrite/instrument/testdata/"+rest+"*.txtar")
			case ok && kind == "modes":
				wantFile(t, "testdata/modes/"+rest+".txtar")
			default:
				wantFile(t, "testdata/script/"+ref+".txtar")
			}
		}
	}
	if rows < 50 {
		t.Errorf("%d lines of tables", rows)
	}
}

func readText(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func wantFile(t *testing.T, pattern string) {
	t.Helper()
	if found, err := filepath.Glob(pattern); err != nil || len(found) == 0 {
		t.Errorf("no %s", pattern)
	}
}
