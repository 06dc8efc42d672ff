package affected

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/waymark-go/waymark/cmd/waymark/internal/build/gocmd"
	"github.com/waymark-go/waymark/internal/function"
)

// A State is all that tests depend on, as hashes.
type State struct {
	Module   string            // path of the main module, or of the first one of a workspace
	Root     string            // folder of go.mod or go.work
	World    map[string]string // what counts for all tests, by its name
	Packages map[string]*Tests // that have tests, by import path

	modcache  string
	ignore    string
	copied    bool
	decls     map[string]*decl
	unwatched map[string]bool // functions of whose calls nobody knows
	hashes    map[string]string
	methods   map[string][]string // keys of methods, by name
	files     map[string]string   // hashes
	lines     map[string][]*decl  // by file
	tree      string
}

// Tests are those of a package.
type Tests struct {
	Dir   string
	Names []string // in the order of the sources
	Links []string // packages that the test binary is made of
}

// Parts of a package that are no single declaration have keys, too.
const (
	initSuffix  = ".#init"
	testsSuffix = ".#tests"
	filesSuffix = ".#files"
)

// initOf returns the key of what counts for all programs with the package.
func initOf(path string) string {
	if strings.HasSuffix(path, testsSuffix) {
		return path
	}
	return path + initSuffix
}

func newState(o Options) *State {
	s := &State{
		World: make(map[string]string), Packages: make(map[string]*Tests), modcache: o.Env.GOMODCACHE, ignore: o.Ignore, copied: o.Copy,
		decls: make(map[string]*decl), hashes: make(map[string]string), methods: make(map[string][]string),
		files: make(map[string]string), lines: make(map[string][]*decl),
	}
	root := o.Env.GOMOD
	if o.Env.GOWORK != "" && o.Env.GOWORK != "off" {
		root = o.Env.GOWORK
	}
	s.Root = filepath.Dir(root)
	s.Module = ModulePath(o.Env.GOMOD)
	s.World["the Go release"] = o.Env.GOVERSION
	platform := []string{o.Env.GOOS, o.Env.GOARCH, o.Env.CGO_ENABLED, o.Env.GOEXPERIMENT}
	for _, name := range []string{"GODEBUG", "GOAMD64", "GOARM64", "CC", "CXX", "CGO_CFLAGS", "CGO_CPPFLAGS", "CGO_CXXFLAGS", "CGO_LDFLAGS"} {
		platform = append(platform, os.Getenv(name))
	}
	s.World["the platform"] = strings.TrimSpace(strings.Join(platform, " "))
	s.World["GOFLAGS or flags"] = strings.Join(slices.Concat(o.Env.Settings(), o.Flags.Without(indifferent...), o.Args), " ")
	h := newHash()
	names := []string{"go.mod", "go.sum", "go.work", "go.work.sum", filepath.Join("vendor", "modules.txt")}
	for _, name := range names {
		h.add(s.file(filepath.Join(s.Root, name)))
	}
	s.World["go.mod, go.sum or go.work"] = h.sum() // those of a workspace's modules count for their packages
	return s
}

// indifferent are flags that don't change what tests do.
var indifferent = []string{"v", "json", "p", "parallel", "timeout", "failfast", "count", "x", "n", "work", "C", "vet", "outputdir"}

// ModulePath returns the path of the module with a go.mod, or the folder's name of a workspace without
// one.
func ModulePath(gomod string) string {
	data, _ := os.ReadFile(gomod)
	if path := modfile.ModulePath(data); path != "" {
		return path
	}
	return filepath.Base(filepath.Dir(gomod))
}

// testsOf returns the tests of a package.
func (s *State) testsOf(path string) *Tests {
	if s.Packages[path] == nil {
		s.Packages[path] = new(Tests)
	}
	return s.Packages[path]
}

func (s *State) declared(d *decl) {
	if old := s.decls[d.key]; old != nil { // as a package and its tests have parts of one name
		h := newHash()
		h.add(old.own, d.own)
		d.own, d.refs = h.sum(), append(d.refs, old.refs...)
	}
	s.decls[d.key] = d
	if d.file != "" {
		s.lines[d.file] = append(s.lines[d.file], d)
	}
	if d.method != "" {
		s.methods[d.method] = append(s.methods[d.method], d.key)
	}
}

// finish puts declarations in order, and leaves out tests that the user skips.
func (s *State) finish(flags gocmd.Flags) {
	if text, ok := flags.Lookup("skip"); ok && text != "" && !strings.Contains(text, "/") {
		if skip, err := regexp.Compile(text); err == nil {
			for _, t := range s.Packages {
				t.Names = slices.DeleteFunc(t.Names, skip.MatchString)
			}
		}
	}
	for _, list := range s.lines {
		slices.SortFunc(list, func(a, b *decl) int { return cmp.Compare(a.line, b.line) })
	}
	for path, t := range s.Packages {
		if len(t.Names) == 0 {
			delete(s.Packages, path)
		}
	}
}

// at returns the declaration that a line of a file is in, nil if there is none.
func (s *State) at(file string, line int) *decl {
	list := s.lines[file]
	i, _ := slices.BinarySearchFunc(list, line+1, func(d *decl, line int) int { return cmp.Compare(d.line, line) })
	if i == 0 || list[i-1].end < line {
		return nil
	}
	return list[i-1]
}

// Unwatch says of which functions no calls are noted. They count for all that refer to them, and where
// it is not known which declaration one is, all files of its package count for all programs with it.
func (s *State) Unwatch(funcs []function.Func) {
	keys := make(map[string]bool)
	for i := range funcs {
		if d := s.find(&funcs[i]); d != nil {
			keys[d.key] = true
		}
	}
	s.unwatch(keys)
}

// UnwatchAs has the same functions unwatched as another state of the sources.
func (s *State) UnwatchAs(other *State) { s.unwatch(other.unwatched) }

func (s *State) unwatch(keys map[string]bool) {
	s.unwatched = keys
	clear(s.hashes)
	for key := range keys {
		d := s.decls[key]
		if d == nil {
			continue
		}
		if path, ok := strings.CutSuffix(key, filesSuffix); ok {
			d.typ = initOf(path)
		}
		if t := s.decls[d.typ]; t != nil {
			t.refs = append(t.refs, key)
		}
	}
}

// find returns the declaration that a function is, or is in. Where a //line directive hides it, that is
// all of the package. It returns nil for functions of other modules, and for initialisation, which
// counts for all programs anyway.
func (s *State) find(f *function.Func) *decl {
	if d := s.at(f.File, f.Line); d != nil {
		return d
	}
	if strings.HasPrefix(strings.TrimPrefix(f.Name, f.Package), ".init.") {
		return nil
	}
	return cmp.Or(s.decls[f.Package+filesSuffix], s.decls[f.Package+"_test"+filesSuffix])
}

// Hash returns the hash of a declaration with all that counts for it, "" if there is none.
func (s *State) Hash(key string) string {
	if h, ok := s.hashes[key]; ok {
		return h
	}
	if s.decls[key] == nil {
		return ""
	}
	h := newHash()
	for _, k := range s.closure(key) {
		h.add(k, s.decls[k].own)
	}
	s.hashes[key] = h.sum()
	return s.hashes[key]
}

// closure returns what counts for a declaration, in order: itself, and what it refers to but for
// functions whose calls are noted.
func (s *State) closure(key string) []string {
	if s.decls[key] == nil {
		return nil
	}
	all := map[string]bool{key: true}
	for queue := []string{key}; len(queue) > 0; queue = queue[1:] {
		for _, ref := range s.decls[queue[0]].refs {
			if d := s.decls[ref]; d != nil && !all[ref] && (!d.fn || s.unwatched[ref]) {
				all[ref] = true
				queue = append(queue, ref)
			}
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// file returns the hash of a file's content, of a folder's names, or of nothing.
func (s *State) file(path string) string {
	if h, ok := s.files[path]; ok {
		return h
	}
	h := newHash()
	if info, err := os.Stat(path); err != nil {
		h.add("none")
	} else if info.IsDir() {
		list, _ := os.ReadDir(path)
		for _, e := range list {
			h.add(e.Name(), e.Type().String())
		}
	} else if info.Mode().IsRegular() {
		data, err := os.ReadFile(path)
		h.add("file", string(data), fmt.Sprint(err == nil))
	} else {
		h.add(info.Mode().Type().String())
	}
	s.files[path] = h.sum()
	return s.files[path]
}

// Tree returns the hash of all files in the root, but for those that git ignores.
func (s *State) Tree() string {
	if s.tree != "" {
		return s.tree
	}
	names, err := s.listed()
	if err != nil {
		names = s.walked()
	}
	slices.Sort(names)
	h := newHash()
	for _, name := range slices.Compact(names) {
		if path := filepath.Join(s.Root, name); name != "" && path != s.ignore {
			if _, err := os.Lstat(path); err == nil { // git lists files that are removed, too
				h.add(name, s.file(path))
			}
		}
	}
	s.tree = h.sum()
	return s.tree
}

// listed returns the files of the root that git knows or does not ignore.
func (s *State) listed() ([]string, error) {
	if s.copied {
		return nil, errors.ErrUnsupported
	}
	cmd := exec.Command("git", "ls-files", "-coz", "--exclude-standard")
	cmd.Dir = s.Root
	out, err := cmd.Output()
	return strings.Split(string(out), "\x00"), err
}

// walked returns all files of the root.
func (s *State) walked() (names []string) {
	filepath.WalkDir(s.Root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == ".git" {
			return fs.SkipDir
		}
		if rel, err1 := filepath.Rel(s.Root, path); err == nil && err1 == nil && !d.IsDir() {
			names = append(names, filepath.ToSlash(rel))
		}
		return nil
	})
	return names
}

// A digest hashes texts with their lengths.
type digest struct{ hash.Hash }

func newHash() digest { return digest{sha256.New()} }

func (d digest) add(texts ...string) {
	for _, text := range texts {
		fmt.Fprintf(d, "%d\n%s", len(text), text)
	}
}

// sum returns 72 bits, as text: there are far fewer declarations than it takes for two to be the same.
func (d digest) sum() string { return base64.RawURLEncoding.EncodeToString(d.Sum(nil)[:9]) }

// hashOf returns the hash of a text.
func hashOf(text string) string {
	h := newHash()
	h.add(text)
	return h.sum()
}

// Check returns an error for flags of go test that don't go with a choice of tests.
func Check(flags gocmd.Flags) error {
	for _, name := range []string{"run", "bench", "fuzz", "list", "c", "overlay", "modfile", "exec"} {
		if _, ok := flags.Lookup(name); ok {
			return fmt.Errorf("leave -%s out", name)
		}
	}
	return nil
}
