package build

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/build/gocmd"
	"github.com/waymark-go/waymark/cmd/waymark/internal/build/library"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/directive"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/funcname"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/instrument"
	"github.com/waymark-go/waymark/cmd/waymark/internal/rewrite/syntax"
	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/internal/pattern"
	"github.com/waymark-go/waymark/internal/text/names"
)

// A selection decides about functions.
type selection struct {
	o                *Options
	include, exclude *pattern.Set
	args, results    *pattern.Set // functions whose values are recorded
	usdt             *pattern.Set // functions that get USDT probes

	// If patterns name groups:
	groups    map[string][]string // by variable: names of its group and of those around it
	annotated map[string]bool     // packages in whose source there are directives

	asked []*gocmd.Package // at a version: their module is as the user's
}

func newSelection(o *Options, dir string) (*selection, error) {
	s := &selection{o: o}
	for _, set := range []struct {
		to    **pattern.Set
		texts []string
	}{{&s.include, o.Include}, {&s.exclude, o.Exclude}, {&s.args, o.Values.Args}, {&s.results, o.Values.Results}, {&s.usdt, o.USDT}} {
		var err error
		if *set.to, err = pattern.CompileSet(set.texts, dir); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// sets returns those of patterns.
func (s *selection) sets() []*pattern.Set {
	return []*pattern.Set{s.include, s.exclude, s.args, s.results, s.usdt}
}

// resolve resolves the patterns among the given packages.
func (s *selection) resolve(pkgs []*gocmd.Package) {
	var all []pattern.Package
	seen := make(map[string]bool)
	for _, p := range pkgs {
		if !seen[p.ImportPath] {
			seen[p.ImportPath] = true
			all = append(all, pattern.Package{Path: p.ImportPath, Name: p.Name, Own: s.own(p)})
		}
	}
	for _, set := range s.sets() {
		set.Resolve(all)
	}
}

// own reports whether p is of a main module, or of one that was named at a version.
func (s *selection) own(p *gocmd.Package) bool {
	ofAsked := func(a *gocmd.Package) bool {
		return a.Module != nil && p.Module != nil && a.Module.Path == p.Module.Path
	}
	return !p.Standard && (p.Module == nil || p.Module.Main) || slices.ContainsFunc(s.asked, ofAsked)
}

// inScope reports whether functions of p may be selected.
func (s *selection) inScope(p *gocmd.Package) bool {
	if s.include.Empty() {
		return s.own(p)
	}
	return s.include.MayMatch(p.ImportPath, p.Dir, p.Name == "main") ||
		s.include.HasGroups() && s.annotated[p.ImportPath] || s.include.HasRoles() && s.own(p)
}

// findGroups finds the groups of the packages, if patterns name groups.
func (b *Build) findGroups(o *Options, s *selection, pkgs []*gocmd.Package) error {
	if !slices.ContainsFunc(s.sets(), (*pattern.Set).HasGroups) {
		return nil
	}
	s.annotated = make(map[string]bool)
	declared := make(map[string]directive.GroupVar)
	for _, p := range pkgs {
		if p.Standard || p.Module != nil && library.Has(p.Module.Path) {
			continue
		}
		read := func(importPath string, names []string) error {
			files, err := b.read(&job{pkg: p, dir: p.Dir}, names)
			if err != nil {
				return err
			}
			for _, f := range files {
				s.annotated[p.ImportPath] = s.annotated[p.ImportPath] || bytes.Contains(f.Source, []byte("\n"+directive.Prefix))
			}
			for _, g := range directive.Groups(&syntax.Unit{ImportPath: importPath, Files: files}, &syntax.Config{PackageNames: b.names}) {
				declared[g.Var] = g
			}
			return nil
		}
		names := append(slices.Clone(p.GoFiles), p.CgoFiles...)
		if o.Test && !p.DepOnly {
			names = append(names, p.TestGoFiles...)
			if err := read(p.ImportPath+"_test", p.XTestGoFiles); err != nil {
				return err
			}
		}
		if err := read(p.ImportPath, names); err != nil {
			return err
		}
	}
	s.groups = make(map[string][]string)
	for _, g := range declared {
		var within func(v string)
		within = func(v string) {
			if !slices.Contains(s.groups[v], g.Name) {
				s.groups[v] = append(s.groups[v], g.Name)
				for _, sub := range declared[v].Subgroups {
					within(sub)
				}
			}
		}
		within(g.Var)
	}
	for _, names := range s.groups {
		slices.Sort(names)
	}
	return nil
}

// choose decides about the functions of a package.
func (s *selection) choose(p *gocmd.Package, scope bool, funcs []*instrument.Func) {
	for _, f := range funcs {
		if f.Never != "" {
			continue
		}
		pf := s.patternFunc(p, &f.Func.Func, f.Local())
		switch f.Reason = notIncluded; {
		case scope && ofFIPS(p):
			f.Reason = verified
		case scope:
			f.Reason = s.refuse(pf, f)
		}
		if f.Instrument = f.Reason == ""; f.Instrument {
			f.Args, _ = s.args.Match(pf)
			f.Results, _ = s.results.Match(pf)
			f.Probed, _ = s.usdt.Match(pf)
		}
	}
}

const (
	notIncluded = "not included"
	verified    = "part of the FIPS 140-3 module, which verifies its own code"
)

// ofFIPS reports whether p is of the cryptographic module. The module verifies its code when the
// program starts. The code may be that of a certified release, in the module cache, where no
// overlay reaches.
func ofFIPS(p *gocmd.Package) bool {
	return p.Standard && strings.HasPrefix(p.ImportPath+"/", "crypto/internal/fips140/")
}

// refuse returns the reason why a function that can be instrumented isn't, empty if it is.
func (s *selection) refuse(pf pattern.Func, f *instrument.Func) string {
	included, exact := s.include.Match(pf)
	// The callers of an info function aren't known here, only that it is in a group.
	included = included || f.Mark.IsInfo() && s.include.HasGroups()
	if !included && !s.include.Empty() {
		return notIncluded
	}
	if excluded, _ := s.exclude.Match(pf); excluded {
		return "excluded"
	}
	_, probed := s.usdt.Match(pf) // by its name
	switch {
	case exact || probed || f.Mark != nil || s.o.All:
	case f.IsTiny:
		return instrument.Tiny
	}
	return ""
}

// patternFunc returns a function of p as patterns see it, by its name in the package.
func (s *selection) patternFunc(p *gocmd.Package, f *function.Func, local string) pattern.Func {
	_, symbol := names.Split(f.Name)
	roles := slices.DeleteFunc(slices.Clone(f.Roles), func(role string) bool { // the program's own group is meant
		for _, list := range s.groups {
			if slices.Contains(list, role) {
				return true
			}
		}
		return false
	})
	return pattern.Func{Package: p.ImportPath, Dir: p.Dir, Main: p.Name == "main", Name: local, Symbol: symbol, Groups: s.groups[f.Group], Roles: roles}
}

// declared returns the names of the functions that are declared in a package's files.
func (b *Build) declared(p *gocmd.Package) (names []string) {
	u := &syntax.Unit{ImportPath: p.ImportPath, Main: p.Name == "main"}
	for _, file := range append(slices.Clone(p.GoFiles), p.CgoFiles...) {
		if src, err := b.readFile(filepath.Join(p.Dir, file)); err == nil {
			names = append(names, funcname.Declared(u, src)...)
		}
	}
	return names
}

// leftOut returns a function that isn't instrumented and that a pattern for values names, nil if there
// is none.
func (s *selection) leftOut(text string, funcs []Func) *Func {
	for _, set := range []*pattern.Set{s.args, s.results} {
		for i := range funcs {
			f := &funcs[i]
			pf := pattern.FromRuntime(f.Package, f.Name)
			pf.Dir = filepath.Dir(f.File)
			if !f.Instrumented && slices.Contains(set.Naming(pf), text) {
				return f
			}
		}
	}
	return nil
}

// outside returns the path of a package that isn't instrumented and in which a pattern names a function, empty if there
// is none.
func (s *selection) outside(text string, pkgs []*gocmd.Package) string {
	for _, p := range pkgs {
		if strings.HasPrefix(text, p.ImportPath+".") && !s.inScope(p) {
			return p.ImportPath
		}
	}
	return ""
}

// check returns an error if a pattern matched nothing, or what can't be told apart.
func (b *Build) check(s *selection, pkgs []*gocmd.Package) error {
	unmatched := slices.Concat(s.include.Unmatched(), s.exclude.Unmatched())
	for _, text := range slices.Concat(s.args.Unmatched(), s.results.Unmatched(), s.usdt.Unmatched()) {
		if text != Everything {
			unmatched = append(unmatched, text)
		}
	}
	var errs []error
	for _, set := range s.sets() {
		errs = append(errs, set.Ambiguous()...)
	}
	if len(unmatched) == 0 {
		return errors.Join(errs...)
	}
	var names []string
	for _, p := range pkgs {
		names = append(names, p.ImportPath)
		if s.own(p) { // it may not have been looked at
			names = append(names, b.declared(p)...)
		}
	}
	for _, f := range b.Funcs {
		names = append(names, f.Name)
		if strings.HasPrefix(f.Name, "main.") {
			names = append(names, f.Full)
		}
	}
	for _, groups := range s.groups {
		for _, g := range groups {
			names = append(names, "@"+g)
		}
	}
	sort.Strings(names)
	for _, text := range unmatched {
		if f := s.leftOut(text, b.Funcs); f != nil {
			errs = append(errs, fmt.Errorf("pattern %s matches no function that is instrumented: %s is left out: %s; --all takes in tiny functions, --closures function literals", text, f.Full, f.Reason))
			continue
		}
		if path := s.outside(text, pkgs); path != "" {
			errs = append(errs, fmt.Errorf("pattern %s: package %s is not instrumented: --include ./...,%[2]s adds it to your own", text, path))
			continue
		}
		if slices.ContainsFunc(pkgs, func(p *gocmd.Package) bool { return p.ImportPath == text && !s.own(p) }) {
			errs = append(errs, fmt.Errorf("pattern %s: waymark never instruments package runtime, and what that imports", text))
			continue
		}
		errs = append(errs, fmt.Errorf("pattern %s matches nothing in this build%s", text, pattern.IsIt(text, names, 3)))
	}
	return errors.Join(errs...)
}
