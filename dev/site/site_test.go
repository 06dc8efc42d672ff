package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The site of this repository has all documents, and every link in it leads somewhere.
func TestSite(t *testing.T) {
	const root = "../.."
	out := t.TempDir()
	if err := run(root, out); err != nil {
		t.Fatal(err)
	}
	s, err := read(root)
	if err != nil {
		t.Fatal(err)
	}
	pages := make(map[string]*page)
	for _, p := range s.pages {
		pages[p.name] = p
		if !strings.Contains(s.index(), `["`+address(p.name)+"#"+p.Sections[0].Anchor+`"`) {
			t.Errorf("the search does not find %s", p.name)
		}
	}
	listed := func(p *page) bool {
		return slices.ContainsFunc(s.nav, func(g *group) bool { return slices.ContainsFunc(g.Links, p.In) })
	}
	want := []string{"README.md", "CONTRIBUTING.md", "CHANGELOG.md"}
	err = filepath.WalkDir(filepath.Join(root, "docs"), func(file string, d fs.DirEntry, err error) error {
		if filepath.Ext(file) == ".md" {
			name, err := filepath.Rel(root, file)
			if err != nil {
				return err
			}
			want = append(want, filepath.ToSlash(name))
		}
		return err
	})
	if err != nil || len(want) < 50 {
		t.Fatalf("found %d documents, want 50 at least; error: %v", len(want), err)
	}
	for _, name := range want {
		switch p := pages[name]; {
		case p == nil:
			t.Errorf("no page leads to %s: link it in %s", name, contents)
		case name != contents && !listed(p):
			t.Errorf("the navigation has no %s: link it in %s", name, contents)
		}
	}
}

// Mistakes are found: by what is read, or in the pages.
func TestMistakes(t *testing.T) {
	const fine = "# waymark\n\nSee [a](docs/a.md#some-words), ![b](docs/b.svg), [c](c.go), [d](https://example.com/).\n"
	for _, c := range []struct{ name, readme, want string }{
		{"none", fine, ""},
		{"same heading", fine + "\n[again](docs/a.md#some-words-1)\n", ""},
		{"no page", "# waymark\n\n[z](docs/z.md)\n", "README.md: link to docs/z.md: there is no docs/z.md"},
		{"no picture", "# waymark\n\n![z](docs/z.svg)\n", "README.md: link to docs/z.svg: there is no docs/z.svg"},
		{"no heading there", "# waymark\n\n[a](docs/a.md#other)\n", "index.html: link to docs/a.html#other: docs/a.html has no such heading"},
		{"no heading here", "# waymark\n\n[a](#other)\n", "index.html: link to #other: index.html has no such heading"},
		{"foreign picture", "# waymark\n\n![x](https://example.com/x.svg)\n", "index.html: https://example.com/x.svg is loaded from elsewhere"},
		{"no title", "waymark\n", "README.md: no heading, which is a page's title"},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir()
			for name, content := range map[string]string{
				"README.md": c.readme, "c.go": "package c\n", "docs/b.svg": "<svg/>",
				"docs/a.md": "# a\n\n## Some `words`!\n\n## Some words\n",
			} {
				file := filepath.Join(root, name)
				if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(content), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			got := ""
			if err := run(root, t.TempDir()); err != nil {
				got = err.Error()
			}
			if got != c.want {
				t.Errorf("got error %q, want %q", got, c.want)
			}
		})
	}
}
