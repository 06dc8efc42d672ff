package lint

import (
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/waymark-go/waymark/internal/testing/repository"
)

// TestDocsLinks follows the links between documents, and to files.
func TestDocsLinks(t *testing.T) {
	docs := documents(t)
	anchors := make(map[string][]string)
	for _, d := range docs {
		anchors[d.name] = d.anchors()
	}
	link := regexp.MustCompile(`\]\(([^()\s]+)\)`)
	for _, d := range docs {
		whole := strings.Builder{} // links may be broken after "]"
		for _, l := range d.lines {
			if !l.code {
				whole.WriteString(inlineCode.ReplaceAllString(l.text, "") + "\n")
			}
		}
		for _, m := range link.FindAllStringSubmatch(whole.String(), -1) {
			target, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			to := d.name
			if target != "" {
				to = path.Join(path.Dir(d.name), target)
			}
			if _, err := os.Stat(repository.Path(t, to)); err != nil {
				t.Errorf("%s: link to %s: there is no %s", d.name, m[1], to)
			} else if anchor != "" && !slices.Contains(anchors[to], anchor) {
				t.Errorf("%s: link to %s: %s has no such heading", d.name, m[1], to)
			}
		}
	}
}

// TestDocsShape measures documents: lines end at column 100, and some have few.
func TestDocsShape(t *testing.T) {
	most := map[string]int{"README.md": 150, "docs/dev/architecture.md": 200}
	for _, d := range documents(t) {
		if n, ok := most[d.name]; ok && len(d.lines)-1 > n {
			t.Errorf("%s has %d lines, want %d at most", d.name, len(d.lines)-1, n)
		}
		for _, l := range d.lines {
			if n := utf8.RuneCountInString(l.text); n > 100 && !l.code && !strings.HasPrefix(l.text, "|") {
				t.Errorf("%s: %d columns, want 100 at most: %s", d.at(l), n, l.text)
			}
		}
	}
}

// TestDocsDecisions checks that each decision has its number: those of an area are in order, and those of
// all areas are without a gap. An area can be read at a sitting.
func TestDocsDecisions(t *testing.T) {
	const most = 150 // lines
	where := make(map[int]string)
	for _, d := range documents(t) {
		if path.Dir(d.name) != "docs/dev/decisions" {
			continue
		}
		if n := len(d.lines) - 1; n > most {
			t.Errorf("%s has %d lines, want %d at most: divide the area", d.name, n, most)
		}
		last := 0
		for _, l := range d.lines {
			m := regexp.MustCompile(`^## (\d+)\. `).FindStringSubmatch(l.text)
			if m == nil || l.code {
				continue
			}
			n, err := strconv.Atoi(m[1])
			if err != nil || n <= last || where[n] != "" {
				t.Errorf("%s: decision %s comes after %d, and is in %q too", d.name, m[1], last, where[n])
			}
			last, where[n] = n, d.name
		}
	}
	for n := range len(where) {
		if where[n+1] == "" {
			t.Errorf("there is no decision %d of %d", n+1, len(where))
		}
	}
	if len(where) < 100 {
		t.Errorf("%d decisions, want more", len(where))
	}
}
