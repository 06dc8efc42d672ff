package pattern

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/waymark-go/waymark/internal/text/names"
)

// A Package is one that patterns may name functions of.
type Package struct {
	Path string
	Name string // in its package clauses, empty if nobody knows
	Own  bool   // the user's: where the end of a path is that of several packages, these are meant
}

// An ending is a package whose path ends in what a pattern says of it.
type ending struct {
	*Pattern                        // with the whole path
	found    atomic.Pointer[string] // the name of a function that matches
}

// Resolve makes the packages known to the patterns. A pattern that names none of them by its path
// names the packages whose paths end in the pattern's. Printed names are such: cache.(*LRU).Get is
// example.com/m/cache.(*LRU).Get. If there are none, it names the packages that are called so, or
// whose paths end so before their version: lru.New is example.com/golang-lru/v2.New, and so is
// golang-lru.New. See [Set.Ambiguous] for patterns that then match in
// several.
func (s *Set) Resolve(packages []Package) {
	for _, p := range s.patterns {
		p.resolve(packages)
	}
}

// Loosen is for when nobody knows all packages. Patterns then match functions of every package
// whose path ends in what they say, also if that is a package's whole path.
func (s *Set) Loosen() {
	for _, p := range s.patterns {
		p.loose = true
	}
}

func (p *Pattern) resolve(packages []Package) {
	if p.pkg == nil || p.name == "main" || strings.HasPrefix(p.name, "main.") {
		return
	}
	var ends, named endings
	for _, pkg := range packages {
		if p.MayMatch(pkg.Path, "", false) {
			return
		}
		for _, end := range endsOf(pkg.Path)[1:] {
			ends.add(p, end, pkg)
		}
		var called []string
		if path := unversioned(pkg.Path); path != pkg.Path {
			called = endsOf(path)
		}
		if pkg.Name != "" && pkg.Name != "main" && !slices.Contains(called, pkg.Name) {
			called = append(called, pkg.Name)
		}
		for _, name := range called {
			named.add(p, name, pkg)
		}
	}
	if p.ends = ends.meant(); p.ends == nil {
		p.ends = named.meant()
	}
}

// endsOf returns a path, and what is left of it without its first elements.
func endsOf(path string) []string {
	list := []string{path}
	for i := 0; i < len(path); i++ {
		if path[i] == '/' {
			list = append(list, path[i+1:])
		}
	}
	return list
}

var version = regexp.MustCompile(`(/v[2-9][0-9]*|/v1[0-9]+|(\.|%2e)v[0-9]+)$`)

// unversioned returns an import path without the version at its end, which is in no package's name:
// of example.com/m/v2 example.com/m, of gopkg.in/yaml.v3 gopkg.in/yaml.
func unversioned(path string) string { return version.ReplaceAllString(path, "") }

// endings are those that a pattern may stand for: all, and those of the user's packages.
type endings struct{ all, own []*ending }

// add adds a package if p begins with end, which stands for its path.
func (e *endings) add(p *Pattern, end string, pkg Package) {
	function, ok := strings.CutPrefix(p.name, end)
	if !ok || function != "" && function[0] != '.' {
		return
	}
	whole, err := Compile(pkg.Path+function, "")
	if err != nil {
		return
	}
	one := &ending{Pattern: whole}
	e.all = append(e.all, one)
	if pkg.Own {
		e.own = append(e.own, one)
	}
}

func (e *endings) meant() []*ending {
	if len(e.own) > 0 {
		return e.own
	}
	return e.all
}

// matchEnd is Match for a pattern that names the end of paths.
func (p *Pattern) matchEnd(f Func) (ok, exact bool) {
	for _, e := range p.ends {
		if ok, exact := e.Match(f); ok {
			if e.found.Load() == nil {
				name := f.printed()
				e.found.CompareAndSwap(nil, &name)
			}
			return true, exact
		}
	}
	return false, false
}

// mostFound is how many functions an error lists.
const mostFound = 10

// Ambiguous returns an error for each pattern that names the end of packages' paths and has matched
// functions of several.
func (s *Set) Ambiguous() (errs []error) {
	for _, p := range s.patterns {
		var found []string
		for _, e := range p.ends {
			if name := e.found.Load(); name != nil {
				found = append(found, Quote(*name))
			}
		}
		if n := len(found); n > 1 {
			if n > mostFound {
				found = append(found[:mostFound], fmt.Sprintf("and %d more", n-mostFound))
			}
			errs = append(errs, fmt.Errorf("pattern %s names functions of %d packages: %s; write more of the path", p.Text, n, strings.Join(found, ", ")))
		}
	}
	return errs
}

// matchPrinted reports whether a regular expression matches one of the forms in which f may be
// printed.
func matchPrinted(re *regexp.Regexp, f Func) bool {
	if re.MatchString(f.Full()) {
		return true
	}
	functions := []string{f.Name}
	if f.Symbol != "" && f.Symbol != f.Name {
		functions = append(functions, f.Symbol)
		if plain := strings.ReplaceAll(f.Symbol, "[...]", ""); plain != f.Symbol {
			functions = append(functions, plain)
		}
	}
	for _, function := range functions {
		if f.Main && re.MatchString("main."+function) {
			return true
		}
		for _, path := range []string{f.Package, unversioned(f.Package)} {
			for _, end := range endsOf(path) {
				if re.MatchString(end+"."+function) || re.MatchString(names.Escape(end)+"."+function) {
					return true
				}
			}
		}
	}
	return false
}
