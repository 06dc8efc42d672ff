package affected

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Decision says whether a test runs, and why.
type Decision struct {
	Package, Test string
	Run           bool
	Why           string
	rank          float64 // the higher, the likelier it fails
}

// Ranks of tests that nothing is known of. Others have the share of changed functions in those that
// they call, which is at most 1.
const (
	rankNew    = 2
	rankShared = -1 // it depends on another test only
)

// Select decides which tests must run: those whose records do not match the state now, or that of base
// unless it is nil. The tests that are likeliest to fail are first, by package.
func (m *Map) Select(now, base *State) []Decision {
	var groups [][]Decision
	for _, path := range slices.Sorted(maps.Keys(now.Packages)) {
		list := m.selectPackage(path, now, base)
		slices.SortStableFunc(list, byRank)
		groups = append(groups, list)
	}
	slices.SortStableFunc(groups, func(a, b []Decision) int { return byRank(a[0], b[0]) })
	return slices.Concat(groups...)
}

func byRank(a, b Decision) int {
	if a.Run != b.Run {
		if a.Run {
			return -1
		}
		return 1
	}
	return cmp.Compare(b.rank, a.rank)
}

func (m *Map) selectPackage(path string, now, base *State) (list []Decision) {
	b := m.Binaries[path]
	tests := now.Packages[path]
	if b == nil {
		for _, name := range tests.Names {
			list = append(list, Decision{path, name, true, "the map doesn't know its package", rankNew})
		}
		return list
	}
	c := &comparison{Map: m, Binary: b, path: path, now: now, before: base}
	all := c.common(now, false)
	if base != nil && all == "" {
		c.base = base
		if all = c.common(base, true); all != "" {
			all += since
		}
	}
	for _, name := range tests.Names {
		d := Decision{Package: path, Test: name}
		called, known := b.Tests[name]
		switch {
		case !known:
			d.Why, d.rank = "it is new, or has not passed", rankNew
		case all != "":
			d.Why = all
		default:
			d.Why, d.rank = c.changed(called)
		}
		d.Run = d.Why != ""
		list = append(list, d)
	}
	c.share(list)
	for i := range list {
		if !list[i].Run {
			list[i].Why = "nothing that it depends on has changed"
		}
	}
	return list
}

// since ends the reason of a test that has passed since, but whose functions BASE has in another form.
const since = ", since BASE; it has passed with it"

// A comparison compares what is known of a test binary with states.
type comparison struct {
	*Map
	*Binary
	path      string
	now, base *State
	before    *State // base, unless the map is one: says what a function's hash has changed by
}

// common returns what has changed that counts for all tests of the binary, "" if nothing has. At another
// revision files that git doesn't know are missing, which means nothing.
func (c *comparison) common(s *State, revision bool) string {
	for _, name := range slices.Sorted(maps.Keys(s.World)) {
		if c.World[name] != s.World[name] {
			return name + " changed"
		}
	}
	parts := s.parts(c.path)
	for _, key := range slices.Sorted(maps.Keys(parts)) {
		if h, ok := c.Parts[key]; !ok {
			return "it links " + strings.TrimSuffix(key, initSuffix)
		} else if h != parts[key] {
			return partName(key) + " changed"
		}
	}
	if len(parts) < len(c.Parts) {
		return "it links fewer packages"
	}
	for _, name := range slices.Sorted(maps.Keys(c.Files)) {
		path := filepath.Join(s.Root, name)
		if revision {
			if info, err := os.Stat(path); err != nil || info.IsDir() {
				continue
			}
		}
		if s.file(path) != c.Files[name] {
			return name + " changed"
		}
	}
	if !revision {
		for _, name := range slices.Sorted(maps.Keys(c.Vars)) {
			if hashOfVar(name) != c.Vars[name] {
				return "the environment's " + name + " changed"
			}
		}
	}
	for _, key := range []string{c.path + ".TestMain", c.path + "_test.TestMain"} {
		if s.decls[key] != nil && !slices.ContainsFunc(c.Before, func(i int) bool { return c.Funcs[i].Key == key }) {
			return label(key) + " is new"
		}
	}
	for _, i := range c.Before {
		if f := c.Funcs[i]; s.Hash(f.Key) != f.Hash {
			return label(f.Key) + ", called before the first test, " + s.verb(f.Key)
		}
	}
	return ""
}

// partName names a part of a package for people.
func partName(key string) string {
	if path, ok := strings.CutSuffix(key, testsSuffix); ok {
		return "initialisation or an import in the tests of " + path
	}
	return "initialisation, an import or a file that is not Go in " + strings.TrimSuffix(key, initSuffix)
}

// cause says which declaration has changed that a function refers to, if it is not itself the one.
func (c *comparison) cause(key string) string {
	if c.before == nil {
		return ""
	}
	for _, k := range c.now.closure(key) {
		if old := c.before.decls[k]; k != key && old != nil && old.own != c.now.decls[k].own {
			return ", by " + k
		}
	}
	return ""
}

// parts returns the hashes of the packages that a test binary is made of.
func (s *State) parts(path string) map[string]string {
	parts := make(map[string]string)
	if t := s.Packages[path]; t != nil {
		for _, link := range t.Links {
			parts[initOf(link)] = s.Hash(initOf(link))
		}
	}
	return parts
}

// label names a declaration for people.
func label(key string) string {
	if path, ok := strings.CutSuffix(key, filesSuffix); ok {
		return "a file of " + path
	}
	return key
}

// verb says what happened to a declaration.
func (s *State) verb(key string) string {
	if s.decls[key] == nil {
		return "is gone"
	}
	return "changed"
}

// changed returns what has changed for a test, "" if nothing has, and its rank.
func (c *comparison) changed(called Set) (why string, rank float64) {
	for _, s := range []*State{c.now, c.base} {
		if s == nil {
			continue
		}
		n := 0
		for _, i := range called {
			if f := c.Funcs[i]; s.Hash(f.Key) != f.Hash {
				if n++; n == 1 {
					why = label(f.Key) + " " + s.verb(f.Key) + c.cause(f.Key)
				}
			}
		}
		if n > 0 && s == c.base {
			why += since
		}
		if n > 0 {
			return why, float64(n) / float64(len(called))
		}
	}
	lines, starts := false, false
	for _, i := range slices.Concat(called, c.Before) {
		if d := c.now.decls[c.Funcs[i].Key]; d != nil {
			lines, starts = lines || d.lines, starts || d.starts
		}
	}
	if lines {
		for _, i := range slices.Concat(called, c.Before) {
			f := c.Funcs[i]
			if d := c.now.decls[f.Key]; d != nil && c.now.file(d.file) != f.File {
				return "it looks at lines of the source, and the file of " + label(f.Key) + " changed", 0
			}
		}
	}
	if starts && (c.now.Tree() != c.Tree || c.base != nil && c.base.Tree() != c.Tree) {
		return "it may start programs, and some file changed", 0
	}
	return "", 0
}

// share lets tests run that use variables which others that run may change, or the work of tests that
// are gone.
func (c *comparison) share(list []Decision) {
	by := make(map[string]string) // the test that may change a variable
	writes := func(test string, vars []string) {
		for _, v := range vars {
			for _, w := range c.now.aliases(v) {
				if by[w] == "" {
					by[w] = test
				}
			}
		}
	}
	recorded := func(test string) {
		for _, i := range c.Tests[test] {
			f := c.Funcs[i]
			writes(test, f.Writes)
			if c.now.Hash(f.Key) != f.Hash {
				writes(test, c.now.mayWrite(f.Key))
			}
		}
	}
	names := make(map[string]bool)
	for _, d := range list {
		names[d.Test] = true
		if d.Run {
			recorded(d.Test)
			if _, known := c.Tests[d.Test]; !known {
				writes(d.Test, c.now.mayWrite(c.path+"."+d.Test))
				writes(d.Test, c.now.mayWrite(c.path+"_test."+d.Test))
			}
		}
	}
	for _, test := range slices.Sorted(maps.Keys(c.Tests)) {
		if !names[test] {
			recorded(test)
		}
	}
	for again := len(by) > 0; again; {
		again = false
		for i := range list {
			d := &list[i]
			if d.Run {
				continue
			}
			if v := c.uses(d.Test, by); v != "" {
				d.Run, d.Why, d.rank, again = true, "it uses "+v+", which "+by[v]+" may change", rankShared, true
				recorded(d.Test)
			}
		}
	}
}

// uses returns a variable among the given ones that the test's functions use, "" if there is none.
func (c *comparison) uses(test string, vars map[string]string) string {
	for _, i := range c.Tests[test] {
		if d := c.now.decls[c.Funcs[i].Key]; d != nil {
			for _, v := range d.reads {
				for _, w := range c.now.aliases(v) {
					if by := vars[w]; by != "" && by != test {
						return w
					}
				}
			}
		}
	}
	return ""
}

// aliases returns the variable and those that its first value is made of.
func (s *State) aliases(v string) []string {
	list := []string{v}
	for i := 0; i < len(list); i++ {
		if d := s.decls[list[i]]; d != nil && !d.fn {
			for _, w := range d.reads {
				if !slices.Contains(list, w) {
					list = append(list, w)
				}
			}
		}
	}
	return list
}

// mayWrite returns the variables that a function may change, itself or by what it may call: all that it
// names, and methods of the names that it calls by interfaces.
func (s *State) mayWrite(key string) (vars []string) {
	if s.decls[key] == nil {
		return nil
	}
	seen := map[string]bool{key: true}
	for queue := []string{key}; len(queue) > 0; queue = queue[1:] {
		d := s.decls[queue[0]]
		vars = append(vars, d.writes...)
		next := d.refs
		for _, name := range d.calls {
			next = slices.Concat(next, s.methods[name])
		}
		for _, k := range next {
			if s.decls[k] != nil && !seen[k] {
				seen[k] = true
				queue = append(queue, k)
			}
		}
	}
	slices.Sort(vars)
	return slices.Compact(vars)
}

// hashOfVar returns the hash of a variable of the environment.
func hashOfVar(name string) string {
	value, ok := os.LookupEnv(name)
	if !ok {
		return ""
	}
	return hashOf(value)
}
