package main

import (
	"bytes"
	"fmt"
	"html/template"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// sources is where links to files that are not in the site lead.
const sources = "https://github.com/waymark-go/waymark/blob/HEAD/"

var markdown = goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithParserOptions(parser.WithAutoHeadingID()))

// A page is a Markdown file.
type page struct {
	name     string // path from the repository's folder
	Sections []section
	links    []link
	files    []string // pictures and data that it needs, by their names in the repository
	Body     template.HTML
}

// A section is a heading, of level 1 to 6, and the text up to the next one.
type section struct {
	Level         int
	Anchor, Title string
	text          string
}

// A link leads to another Markdown file. Group is the heading of level 2 above it.
type link struct{ Group, Text, To string }

// Title returns the first heading.
func (p *page) Title() string { return p.Sections[0].Title }

// Root returns the path to the site's folder.
func (p *page) Root() string { return relative(p.name, "") }

// Href returns the address of a link's page.
func (p *page) Href(l link) string { return relative(p.name, address(l.To)) }

// Is reports whether the link leads to the page, and In whether the page is in a folder named like
// the link's page: so are the decisions.
func (p *page) Is(l link) bool { return p.name == l.To }
func (p *page) In(l link) bool {
	return p.Is(l) || strings.HasPrefix(p.name, strings.TrimSuffix(l.To, ".md")+"/")
}

// readPage reads a Markdown file of a repository.
func readPage(root, name string) (*page, error) {
	source, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		return nil, err
	}
	p := &page{name: name}
	doc := markdown.Parser().Parse(text.NewReader(source), parser.WithContext(parser.NewContext(parser.WithIDs(anchors{}))))
	group := ""
	var said strings.Builder // since the last heading
	end := func() {
		if n := len(p.Sections); n > 0 {
			p.Sections[n-1].text = strings.Join(strings.Fields(said.String()), " ")
		}
	}
	err = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			if n.Kind() == ast.KindHeading {
				said.Reset()
			} else if n.Type() == ast.TypeBlock {
				said.WriteByte(' ')
			}
			return ast.WalkContinue, nil
		}
		var err error
		switch n := n.(type) {
		case *ast.Heading:
			end()
			id, _ := n.AttributeString("id")
			title := plain(n, source)
			p.Sections = append(p.Sections, section{Level: n.Level, Anchor: string(id.([]byte)), Title: title})
			if n.Level == 2 {
				group = title
			}
		case *ast.Link:
			var to string
			if to, err = p.follow(root, &n.Destination); to != "" {
				p.links = append(p.links, link{group, plain(n, source), to})
			}
		case *ast.Image:
			_, err = p.follow(root, &n.Destination)
		case *ast.Text:
			said.Write(n.Value(source))
			if n.SoftLineBreak() {
				said.WriteByte(' ')
			}
		case *ast.CodeBlock, *ast.FencedCodeBlock:
			said.Write(n.Lines().Value(source))
		}
		return ast.WalkContinue, err
	})
	if err != nil {
		return nil, err
	}
	end()
	if len(p.Sections) == 0 {
		return nil, fmt.Errorf("%s: no heading, which is a page's title", name)
	}
	var html bytes.Buffer
	err = markdown.Renderer().Render(&html, source, doc)
	p.Body = template.HTML(html.String())
	return p, err
}

// follow turns a destination in the repository into one in the site. It returns the Markdown file
// that the link leads to, "" for another kind of link.
func (p *page) follow(root string, destination *[]byte) (to string, err error) {
	u, err := url.Parse(string(*destination))
	if err != nil {
		return "", fmt.Errorf("%s: link to %s: %w", p.name, *destination, err)
	}
	if u.IsAbs() || u.Path == "" {
		return "", nil
	}
	file := path.Join(path.Dir(p.name), u.Path)
	if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(file))); err != nil {
		return "", fmt.Errorf("%s: link to %s: there is no %s", p.name, *destination, file)
	}
	switch {
	case path.Ext(file) == ".md":
		u.Path = relative(p.name, address(file))
		*destination = []byte(u.String())
		return file, nil
	case strings.HasPrefix(file, "docs/"):
		p.files = append(p.files, file)
	default:
		*destination = []byte(sources + file)
	}
	return "", nil
}

// address returns where a Markdown file is in the site.
func address(name string) string {
	base := strings.TrimSuffix(path.Base(name), ".md")
	if base == "README" {
		base = "index"
	}
	return path.Join(path.Dir(name), base+".html")
}

// relative returns the path to a file from a page.
func relative(from, to string) string { return strings.Repeat("../", strings.Count(from, "/")) + to }

// plain returns the text below a node without its markup.
func plain(n ast.Node, source []byte) string {
	var b strings.Builder
	ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := n.(*ast.Text); ok && entering {
			b.Write(t.Value(source))
			if t.SoftLineBreak() {
				b.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// anchors makes the anchors of a page's headings as GitHub makes them.
type anchors map[string]bool

// Generate returns the anchor of a heading.
func (a anchors) Generate(title []byte, _ ast.NodeKind) []byte {
	anchor := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_':
			return unicode.ToLower(r)
		case r == ' ':
			return '-'
		}
		return -1
	}, strings.TrimSpace(string(title)))
	unique := anchor
	for i := 1; a[unique]; i++ {
		unique = fmt.Sprintf("%s-%d", anchor, i)
	}
	a[unique] = true
	return []byte(unique)
}

// Put notes an anchor that the text itself gives.
func (a anchors) Put(anchor []byte) { a[string(anchor)] = true }
