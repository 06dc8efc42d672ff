package lint

import (
	"regexp"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/internal/testing/repository"
)

// Every line of docs/semantics.md names a test, and there are such tests.
func TestSemanticsAreTested(t *testing.T) {
	doc := repository.Read(t, "docs/semantics.md")
	makefile := repository.Read(t, "Makefile")
	var tests strings.Builder // all test files
	for _, name := range repository.Files(t) {
		if strings.HasPrefix(name, "cmd/waymark/") && strings.HasSuffix(name, "_test.go") {
			tests.WriteString(repository.Read(t, name))
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
				wantFile(t, goldenFolder+rest+".txtar")
			case ok && kind == "goldens":
				wantFile(t, goldenFolder+rest+"*.txtar")
			case ok && kind == "modes":
				wantFile(t, modesFolder+rest+".txtar")
			default:
				wantFile(t, scriptFolder+ref+".txtar")
			}
		}
	}
	if rows < 50 {
		t.Errorf("%d lines of tables", rows)
	}
}
