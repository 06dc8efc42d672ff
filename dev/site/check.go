package main

import (
	"fmt"
	"html"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
)

var (
	reference = regexp.MustCompile(`<(\w+)[^>]* (?:href|src)="([^"]*)"`)
	anchor    = regexp.MustCompile(`<\w+[^>]* id="([^"]*)"`)
)

// check reads the pages of a folder as browsers do. It returns the links that lead nowhere, and what
// would be loaded from elsewhere.
func check(dir string) (errs []error) {
	pages := make(map[string]string)
	ids := make(map[string]bool) // "docs/guide.html#install"
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(file) != ".html" {
			return err
		}
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, file)
		name = filepath.ToSlash(name)
		pages[name] = string(content)
		for _, m := range anchor.FindAllStringSubmatch(pages[name], -1) {
			ids[name+"#"+html.UnescapeString(m[1])] = true
		}
		return err
	})
	if err != nil {
		return []error{err}
	}
	for name, content := range pages {
		for _, m := range reference.FindAllStringSubmatch(content, -1) {
			to := html.UnescapeString(m[2])
			u, err := url.Parse(to)
			switch {
			case err != nil:
				errs = append(errs, fmt.Errorf("%s: link to %s: %w", name, to, err))
			case u.Scheme == "data":
			case u.IsAbs() || u.Host != "":
				if m[1] != "a" {
					errs = append(errs, fmt.Errorf("%s: %s is loaded from elsewhere", name, to))
				}
			default:
				file := name
				if u.Path != "" {
					file = path.Join(path.Dir(name), u.Path)
				}
				if info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(file))); err != nil || info.IsDir() {
					errs = append(errs, fmt.Errorf("%s: link to %s: there is no %s", name, to, file))
				} else if u.Fragment != "" && !ids[file+"#"+u.Fragment] {
					errs = append(errs, fmt.Errorf("%s: link to %s: %s has no such heading", name, to, file))
				}
			}
		}
	}
	return errs
}
