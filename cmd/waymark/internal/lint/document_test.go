package lint

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/waymark-go/waymark/internal/testing/repository"
)

// A document is a Markdown file of the repository.
type document struct {
	name  string // path from the repository's folder
	lines []line
}

type line struct {
	text   string
	number int
	code   bool // in a fence, or indented
	fence  string
}

func (d *document) at(l line) string { return fmt.Sprintf("%s:%d", d.name, l.number) }

// documents returns all Markdown files but those of tests.
func documents(t *testing.T) []*document {
	t.Helper()
	var list []*document
	for _, name := range repository.Documents(t) {
		list = append(list, readDocument(name, repository.Read(t, name)))
	}
	return list
}

func readDocument(name, text string) *document {
	d := &document{name: name}
	fence, fenced, blank, indented := "", false, true, false
	for i, s := range strings.Split(text, "\n") {
		l := line{text: s, number: i + 1, code: fenced, fence: fence}
		switch {
		case strings.HasPrefix(strings.TrimSpace(s), "```"):
			fenced, fence = !fenced, ""
			if fenced {
				fence = strings.TrimPrefix(strings.TrimSpace(s), "```")
			}
			l.code = true
		case !fenced:
			indented = strings.HasPrefix(s, "    ") && (blank || indented)
			l.code = indented
		}
		blank = strings.TrimSpace(s) == ""
		d.lines = append(d.lines, l)
	}
	return d
}

var inlineCode = regexp.MustCompile("`[^`]+`")

// inline returns the pieces of code in the text of a line.
func (l line) inline() []string {
	if l.code {
		return nil
	}
	found := inlineCode.FindAllString(l.text, -1)
	for i := range found {
		found[i] = strings.Trim(found[i], "`")
	}
	return found
}

// anchors returns what links to the headings of a document end with.
func (d *document) anchors() []string {
	var list []string
	for _, l := range d.lines {
		title := strings.TrimLeft(l.text, "#")
		if l.code || title == l.text || !strings.HasPrefix(title, " ") {
			continue
		}
		anchor := strings.Map(func(r rune) rune {
			switch {
			case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_':
				return unicode.ToLower(r)
			case r == ' ':
				return '-'
			}
			return -1
		}, strings.TrimSpace(title))
		list = append(list, anchor)
	}
	return list
}
