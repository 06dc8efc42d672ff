// Package pattern says which functions the user means.
//
// A pattern is one of
//
//	./...  net/http  mymod/...       packages, as the go command takes them
//	net/http.Get  bytes.Buffer.Write functions: package path, type, name
//	net/http.*  strings.Builder.*    all functions and methods of a package; all methods of a type
//	strings.Builder  (*Builder)      all methods of a type
//	bytes.Read*                      * stands for any characters but '.' and '/'
//	example.com/....Close            ... stands for any characters
//	cache.LRU.Get  cache.(*LRU).Get  names as they are printed, see [Set.Resolve]
//	gopkg.in/yaml%2ev3.Marshal       names as symbols have them
//	/^main\.handle/                  a regular expression over full and printed names
//	std  all                         the standard library's packages, and all packages
//	@IO                              the functions in a group, and in those that it contains
//	@http                            the functions in a built-in group, by the types of their parameters
//
// A function's full name is its package's import path, for methods its receiver's
// type without star and type parameters, and its name. Functions of package main
// are also known as main.F. A pattern without wildcards that names one function is
// exact: it means the function even when it is tiny.
package pattern

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/internal/text/names"
)

// A Func is the name of a function.
type Func struct {
	Package string // import path
	Dir     string // the package's folder, for ./ patterns
	Main    bool   // its package is a command
	Name    string // Type.Method or F
	Symbol  string // the same as the runtime has it, (*Type[...]).Method or F[...]; may be empty

	Groups []string // names of those that it is in, directly or not
	Roles  []string // names of built-in groups that it is in
}

// Full returns the full name.
func (f Func) Full() string { return f.Package + "." + f.Name }

// printed returns the name that runtime.FuncForPC returns, but for escapes.
func (f Func) printed() string {
	path, name := f.Package, f.Symbol
	if f.Main {
		path = "main"
	}
	if name == "" {
		name = f.Name
	}
	return path + "." + name
}

// Names returns the names that patterns know f by, for [Nearest].
func (f Func) Names() []string {
	names := []string{f.printed()}
	if f.Main {
		names = append(names, f.Full())
	}
	for _, list := range [][]string{f.Groups, f.Roles} {
		for _, g := range list {
			names = append(names, "@"+g)
		}
	}
	return names
}

// A Pattern selects functions.
type Pattern struct {
	Text string // as the user wrote it

	name string // Text as patterns have names: without escapes, and methods as in T.M

	re    *regexp.Regexp // over full names; without pkg and dir over printed ones, too
	pkg   *regexp.Regexp // over import paths, nil if it can't name packages
	dir   *regexp.Regexp // over folders, for ./ and absolute paths
	exact bool           // it names one function, or
	of    *regexp.Regexp // the methods of a type: over their full names
	group string
	std   bool // the packages of the standard library

	ends  []*ending // what it stands for, if it names the end of packages' paths
	loose bool      // see Set.Loosen
}

// Compile reads a pattern. Relative package patterns are taken from dir.
func Compile(text, dir string) (*Pattern, error) {
	plain := names.Unescape(text)
	p := &Pattern{Text: text, name: normal(plain)}
	if !utf8.ValidString(text) {
		return nil, fmt.Errorf("pattern %q: want text in UTF-8", text)
	}
	switch {
	case text == "":
		return nil, errors.New("empty pattern: want one, as in mymod/..., mymod/pkg.Func or @Group")
	case text == "@":
		return nil, fmt.Errorf("pattern @: want the name of a group, as in @IO")
	case strings.HasPrefix(text, "@"):
		p.group = text[1:]
		return p, nil
	case text == "std":
		p.std = true
		return p, nil
	case text == "all":
		p.pkg = regexp.MustCompile("")
		return p, nil
	case len(text) > 1 && text[0] == '/' && text[len(text)-1] == '/':
		re, err := regexp.Compile(text[1 : len(text)-1])
		if err != nil {
			return nil, fmt.Errorf("pattern %s: %w", text, err)
		}
		p.re = re
		return p, nil
	case relative(text) || filepath.IsAbs(text):
		abs := text
		if !filepath.IsAbs(abs) {
			abs = filepath.Join(dir, text)
		}
		p.dir = regexp.MustCompile("^" + glob(filepath.ToSlash(abs), true) + "$")
		return p, nil
	}
	p.pkg = regexp.MustCompile("^" + glob(plain, true) + "$")
	p.re = regexp.MustCompile("^" + glob(p.name, false) + "$")
	if p.exact = !strings.Contains(p.name, "*") && !strings.Contains(p.name, "..."); p.exact {
		p.of = regexp.MustCompile("^" + glob(p.name, false) + `\.[^./]*$`)
	}
	return p, nil
}

// normal turns the runtime's way to write methods, p.(*T[...]).M, into p.T.M.
func normal(name string) string {
	name = strings.ReplaceAll(name, "[...]", "")
	i := strings.Index(name, ".(*") + 1
	if i > 0 || strings.HasPrefix(name, "(*") {
		name = name[:i] + strings.Replace(name[i+2:], ")", "", 1)
	}
	return name
}

// glob translates wildcards. In package patterns x/... also means x. In others .* at the end stands
// for all that is inside: the functions and methods of a package, the methods of a type.
func glob(s string, pkg bool) string {
	q := regexp.QuoteMeta(s)
	q = strings.ReplaceAll(q, `\.\.\.`, `.*`)
	if pkg && strings.HasSuffix(q, `/.*`) {
		q = strings.TrimSuffix(q, `/.*`) + `(/.*)?`
	}
	inside := ""
	if before, ok := strings.CutSuffix(q, `\.\*`); ok && !pkg {
		q, inside = before, `\.[^/]*`
	}
	return strings.ReplaceAll(q, `\*`, `[^./]*`) + inside
}

// MatchPackage reports whether p names all functions of the package.
func (p *Pattern) MatchPackage(importPath, dir string) bool {
	return p.pkg != nil && p.pkg.MatchString(importPath) ||
		p.dir != nil && p.dir.MatchString(filepath.ToSlash(dir)) ||
		p.std && standard(importPath, filepath.ToSlash(dir))
}

// standard reports whether a package looks like one of the standard library. Such a package's path
// begins with no domain, and its folder is in the folder src of something.
func standard(importPath, dir string) bool {
	first, _, _ := strings.Cut(importPath, "/")
	return !strings.Contains(first, ".") && strings.HasSuffix(dir, "/src/"+importPath)
}

// MayMatch reports whether p could name a function of the package, so that its
// source must be looked at.
func (p *Pattern) MayMatch(importPath, dir string, main bool) bool {
	if p.ends != nil {
		return slices.ContainsFunc(p.ends, func(e *ending) bool { return e.MayMatch(importPath, dir, main) })
	}
	if p.MatchPackage(importPath, dir) {
		return true
	}
	if p.dir != nil || p.group != "" || p.std {
		return false
	}
	if p.pkg == nil {
		return true // a regular expression
	}
	text := p.name
	if i := strings.IndexAny(text, "*"); i >= 0 {
		text = text[:i]
	}
	if i := strings.Index(text, "..."); i >= 0 {
		text = text[:i]
		return strings.HasPrefix(importPath+".", text) || strings.HasPrefix(text, importPath+".")
	}
	return strings.HasPrefix(text, importPath+".") || main && (text == "main" || strings.HasPrefix(text, "main.")) ||
		strings.HasPrefix(importPath+".", text)
}

// Match reports whether p names f, and whether p names no other function.
func (p *Pattern) Match(f Func) (ok, exact bool) {
	if p.group != "" {
		return slices.Contains(f.Groups, p.group) || slices.Contains(f.Roles, p.group), false
	}
	if p.ends != nil {
		return p.matchEnd(f)
	}
	if p.MatchPackage(f.Package, f.Dir) || f.Main && p.name == "main" {
		return true, false
	}
	if p.re == nil {
		return false, false
	}
	if p.matchName(p.re, f) {
		return true, p.exact
	}
	return p.exact && !literals.MatchString(f.Name) && p.matchName(p.of, f), false
}

// literals matches the names of function literals, and of what the compiler makes for go and defer.
var literals = regexp.MustCompile(`\.(func|gowrap|deferwrap)[0-9]+$`)

func (p *Pattern) matchName(re *regexp.Regexp, f Func) bool {
	if p.pkg == nil || p.loose {
		return matchPrinted(re, f)
	}
	return re.MatchString(f.Full()) || f.Main && re.MatchString("main."+f.Name)
}

// Rebase returns the patterns in text one by one. It makes relative package patterns absolute:
// they are relative to dir.
func Rebase(text, dir string) []string {
	list := split(text)
	for i, one := range list {
		if relative(one) {
			list[i] = filepath.Join(dir, one)
		}
	}
	return list
}

// relative reports whether a pattern begins at a folder that it doesn't name.
func relative(text string) bool {
	return text == "." || text == ".." || strings.HasPrefix(text, "./") || strings.HasPrefix(text, "../")
}

// A Set is a list of patterns, which remembers the patterns that matched something. Goroutines may use
// it side by side.
type Set struct {
	patterns []*Pattern
	matched  []atomic.Bool // by pattern
}

// CompileSet reads patterns; each text may hold several, separated by commas.
// Commas inside /regular expressions/ belong to them.
func CompileSet(texts []string, dir string) (*Set, error) {
	s := new(Set)
	for _, text := range texts {
		list := split(text)
		if len(list) == 0 {
			list = []string{""} // Compile says what is wanted
		}
		for _, one := range list {
			p, err := Compile(one, dir)
			if err != nil {
				return nil, err
			}
			s.patterns = append(s.patterns, p)
		}
	}
	s.matched = make([]atomic.Bool, len(s.patterns))
	return s, nil
}

func split(text string) []string {
	var out []string
	for text != "" {
		end := strings.IndexByte(text, ',')
		if text[0] == '/' {
			if i := strings.Index(text, "/,"); i > 0 {
				end = i + 1
			} else if strings.HasSuffix(text, "/") {
				end = -1
			}
		}
		if end < 0 {
			return append(out, strings.TrimSpace(text))
		}
		if one := strings.TrimSpace(text[:end]); one != "" {
			out = append(out, one)
		}
		text = text[end+1:]
	}
	return out
}

// Empty reports whether there are no patterns.
func (s *Set) Empty() bool { return len(s.patterns) == 0 }

// HasGroups reports whether some patterns name groups. Nobody knows by the names of packages which
// packages have functions in the groups.
func (s *Set) HasGroups() bool {
	return slices.ContainsFunc(s.patterns, func(p *Pattern) bool { return p.group != "" })
}

// MayMatch reports whether a pattern could name a function of the package.
func (s *Set) MayMatch(importPath, dir string, main bool) bool {
	for _, p := range s.patterns {
		if p.MayMatch(importPath, dir, main) {
			return true
		}
	}
	return false
}

// Match reports whether a pattern names f, and whether a pattern names f alone.
func (s *Set) Match(f Func) (ok, exact bool) {
	for i, p := range s.patterns {
		if o, e := p.Match(f); o {
			s.matched[i].Store(true)
			ok, exact = true, exact || e
		}
	}
	return ok, exact
}

// Naming returns the patterns that name f, and does not remember that they do.
func (s *Set) Naming(f Func) (texts []string) {
	for _, p := range s.patterns {
		if ok, _ := p.Match(f); ok {
			texts = append(texts, p.Text)
		}
	}
	return texts
}

// AllMatched reports whether each pattern has matched something.
func (s *Set) AllMatched() bool { return len(s.Unmatched()) == 0 }

// Unmatched returns the patterns that matched nothing.
func (s *Set) Unmatched() []string {
	var out []string
	for i, p := range s.patterns {
		if !s.matched[i].Load() {
			out = append(out, p.Text)
		}
	}
	return out
}

// Of returns the name for patterns of a function that is in a program.
func Of(f *function.Func) Func {
	name := FromRuntime(f.Package, f.Name)
	name.Dir, name.Groups, name.Roles = filepath.Dir(f.File), f.Groups, f.Roles
	return name
}

// MatchName reports whether a pattern of s names the function that runtime.FuncForPC calls name. It
// knows no groups.
func (s *Set) MatchName(name string) bool {
	path, _ := names.Split(name)
	ok, _ := s.Match(FromRuntime(names.Unescape(path), name))
	return ok
}

// FromRuntime returns the name for patterns of a function whose package has the
// given import path and that runtime.FuncForPC calls name.
func FromRuntime(importPath, name string) Func {
	f := Func{Package: importPath, Main: strings.HasPrefix(name, "main.")}
	_, f.Symbol = names.Split(name)
	f.Name = normal(f.Symbol)
	return f
}
