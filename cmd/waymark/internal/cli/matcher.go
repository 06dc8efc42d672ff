package cli

import (
	"errors"
	"slices"

	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/internal/pattern"
	"github.com/waymark-go/waymark/tracefile"
)

// sets returns the patterns of all flags, without those that have none.
func (f *filterFlags) sets() (list []*pattern.Set) {
	for _, set := range []*pattern.Set{f.included, f.excluded, f.unaccounted, f.root.set, f.callers.set} {
		if set != nil && !set.Empty() {
			list = append(list, set)
		}
	}
	return list
}

// resolve resolves the patterns among the packages of the recordings. It returns an error if a
// pattern is ambiguous, or the condition can hold for no call.
func (f *filterFlags) resolve(set *tracefile.Set) error {
	var packages []pattern.Package
	seen := make(map[string]bool)
	for _, p := range set.Processes {
		p.Funcs(func(_ uint32, s tracefile.Func) bool {
			if !seen[s.Package] {
				seen[s.Package] = true
				packages = append(packages, pattern.Package{Path: s.Package})
			}
			return true
		})
	}
	for _, patterns := range f.sets() {
		patterns.Resolve(packages)
	}
	f.matchSites(set)
	var errs []error
	for _, patterns := range f.sets() {
		errs = append(errs, patterns.Ambiguous()...)
	}
	if len(errs) > 0 {
		return usageError{errors.Join(errs...)}
	}
	if f.only.If != nil {
		return f.only.If.Check(set.Processes, f.only.Show)
	}
	return nil
}

// matchSites tries the patterns on all functions of the recordings, called or not,
// and returns their names.
func (f *filterFlags) matchSites(set *tracefile.Set) []string {
	patterns := f.sets()
	if len(patterns) == 0 {
		return nil
	}
	var names []string
	for _, p := range set.Processes {
		p.Funcs(func(_ uint32, s tracefile.Func) bool {
			name := pattern.Of(&s.Func)
			for _, set := range patterns {
				set.Match(name)
			}
			names = append(names, name.Names()...)
			return true
		})
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// between returns a function that reports whether a recorded function matches a pattern of in and
// no pattern of out. If in is empty, any function matches it. between returns nil if there are no
// patterns.
func between(in, out *pattern.Set) func(*function.Func) bool {
	if in.Empty() && out.Empty() {
		return nil
	}
	return func(f *function.Func) bool {
		name := pattern.Of(f)
		included, _ := in.Match(name)
		excluded, _ := out.Match(name)
		return (included || in.Empty()) && !excluded
	}
}

// A matcher finds functions by a pattern, and notes whether it has found any.
type matcher struct {
	pattern string // "" is none
	matched bool
	set     *pattern.Set // nil without a pattern
}

func (m *matcher) compile(dir string) (err error) {
	if m.pattern != "" {
		m.set, err = pattern.CompileSet([]string{m.pattern}, dir)
	}
	return err
}

func (m *matcher) match(f *function.Func) bool {
	ok, _ := m.set.Match(pattern.Of(f))
	m.matched = m.matched || ok
	return ok
}
