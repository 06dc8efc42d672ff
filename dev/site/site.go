package main

import (
	"bytes"
	"embed"
	"encoding/json"
	"html/template"
	"os"
	"path/filepath"
	"slices"
)

//go:embed assets
var assets embed.FS

var layout = template.Must(template.ParseFS(assets, "assets/page.html"))

// contents is the document that lists all others.
const contents = "docs/README.md"

// A site is what a repository's pages are.
type site struct {
	root  string
	pages []*page
	nav   []*group
}

// A group is a part of the navigation.
type group struct {
	Title string
	Links []link
}

// read reads README.md and every Markdown file that it leads to.
func read(root string) (*site, error) {
	s := &site{root: root}
	names := []string{"README.md"}
	for i := 0; i < len(names); i++ {
		p, err := readPage(root, names[i])
		if err != nil {
			return nil, err
		}
		s.pages = append(s.pages, p)
		for _, l := range p.links {
			if !slices.Contains(names, l.To) {
				names = append(names, l.To)
			}
		}
		if p.name == contents {
			s.nav = navigation(p)
		}
	}
	return s, nil
}

// navigation returns the links of a page by their groups, each target once.
func navigation(p *page) []*group {
	var nav []*group
	seen := make(map[string]bool)
	for _, l := range p.links {
		if seen[l.To] {
			continue
		}
		seen[l.To] = true
		if n := len(nav); n == 0 || nav[n-1].Title != l.Group {
			nav = append(nav, &group{Title: l.Group})
		}
		last := nav[len(nav)-1]
		last.Links = append(last.Links, l)
	}
	return nav
}

// write writes the pages, what they need, and the index for the search into a folder.
func (s *site) write(out string) error {
	put := func(name string, content []byte) error {
		file := filepath.Join(out, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			return err
		}
		return os.WriteFile(file, content, 0o666)
	}
	for _, p := range s.pages {
		html, err := s.html(p)
		if err != nil {
			return err
		}
		if err := put(address(p.name), html); err != nil {
			return err
		}
		for _, name := range p.files {
			content, err := os.ReadFile(filepath.Join(s.root, filepath.FromSlash(name)))
			if err != nil {
				return err
			}
			if err := put(name, content); err != nil {
				return err
			}
		}
	}
	if err := put("index.js", []byte(s.index())); err != nil {
		return err
	}
	for _, name := range []string{"style.css", "site.js"} {
		content, err := assets.ReadFile("assets/" + name)
		if err != nil {
			return err
		}
		if err := put(name, content); err != nil {
			return err
		}
	}
	return nil
}

// html returns a page with the navigation.
func (s *site) html(p *page) ([]byte, error) {
	var out bytes.Buffer
	err := layout.Execute(&out, struct {
		*page
		Nav []*group
	}{p, s.nav})
	return out.Bytes(), err
}

// index returns what the search reads: for each section its address, the page's title, the heading
// and the text. It is a script, because pages that come from files can load scripts but no data.
func (s *site) index() string {
	var list [][4]string
	for _, p := range s.pages {
		for _, c := range p.Sections {
			list = append(list, [4]string{address(p.name) + "#" + c.Anchor, p.Title(), c.Title, c.text})
		}
	}
	data, err := json.Marshal(list)
	if err != nil {
		panic(err) // strings can be marshaled
	}
	return "const sections = " + string(data) + ";\n"
}
