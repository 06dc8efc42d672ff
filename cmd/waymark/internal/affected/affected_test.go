package affected

import (
	"bytes"
	"compress/gzip"
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/build/gocmd"
	"github.com/waymark-go/waymark/internal/function"
)

// sources are those of a module in which most things are that count for a function.
var sources = map[string]string{
	"go.mod": "module example.com/m\n\ngo 1.22\n",
	"p/a.go": `package p

import (
	_ "embed"
	"errors"
	"fmt"
)

const (
	limit = 3
	_     = iota
	other
)

type Point struct{ X, Y int }

func (p Point) Sum() int { return p.X + p.Y }

type summer interface{ Sum() int }

var (
	errFar = errors.New("far")
	known  = map[string]int{"a": limit}
)

//go:embed data.txt
var data string

var state int

func Limit(n int) int { return min(n, limit) }

func Far(p Point) error {
	if p.X > Limit(p.Y) {
		return errFar
	}
	return nil
}

func Lookup(s string) int { return known[s] }

func Data() string { return data }

func Print(x any) string {
	if s, ok := x.(fmt.Stringer); ok {
		return s.String()
	}
	return "?"
}

func Point1() any { return Point{1, other} }

func Bump() { state++ }

func Alone() {}
`,
	"p/data.txt": "text\n",
	"q/q.go":     "package q\n\nfunc New(string) error { return nil }\n",
	"p/b_linux.go": `package p

const platform = "linux"

func Platform() string { return platform }
`,
	"p/a_test.go": `package p

import "testing"

func TestLimit(t *testing.T) { Limit(1) }

func TestMain(m *testing.M) { m.Run() }

func Testlower(t *testing.T) {}

func ExampleLimit() {
	// Output: 1
}

func ExampleBump() {}

func FuzzLimit(f *testing.F) {}
`,
	"p/x_test.go": `package p_test

import (
	"testing"

	"example.com/m/p"
)

func TestOutside(t *testing.T) { p.Alone() }
`,
}

// An edit changes one of the sources.
type edit struct{ file, old, new string }

// state returns the state of the sources with edits.
func state(t *testing.T, edits ...edit) *State {
	t.Helper()
	files := maps.Clone(sources)
	for _, e := range edits {
		if !strings.Contains(files[e.file], e.old) {
			t.Fatalf("%s has no %q", e.file, e.old)
		}
		files[e.file] = strings.Replace(files[e.file], e.old, e.new, 1)
	}
	return written(t, t.TempDir(), files, library)
}

// written returns the state of the module in dir, once the files are there or beside it.
func written(t *testing.T, dir string, files map[string]string, lib *Library) *State {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	env, err := gocmd.LoadEnv(dir, filepath.Join(dir, "links"), "GOWORK=off", "GOFLAGS=", "GOOS=linux")
	if err != nil {
		t.Fatal(err)
	}
	s, err := Load(Options{Env: env, Packages: []string{"./..."}, Library: lib})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// library is of all states of these tests, as none of them changes it.
var library = NewLibrary()

// What a change of the sources changes.
func TestHash(t *testing.T) {
	old := state(t)
	if got, want := old.Packages["example.com/m/p"].Names, []string{"TestLimit", "FuzzLimit", "ExampleLimit", "TestOutside"}; !sameElements(got, want) {
		t.Errorf("tests %v, want %v", got, want)
	}
	for _, c := range []struct {
		name string
		edit edit
		want string // declarations whose hashes change, without their package
	}{
		{"a comment", edit{"p/a.go", "func Limit", "// Limit limits.\nfunc Limit"}, ""},
		{"layout", edit{"p/a.go", "{ return min(n, limit) }", "{\n\treturn min(n,\n\t\tlimit)\n}"}, ""},
		{"a body", edit{"p/a.go", "p.X + p.Y", "p.X - p.Y"}, "Point.Sum"},
		{"a constant and what is made of it", edit{"p/a.go", "limit = 3", "limit = 4"}, "Limit known Lookup limit"},
		{"a constant by its place", edit{"p/a.go", "\t_     = iota", "\t_     = iota\n\t_"}, "Point1 other"},
		{"a field", edit{"p/a.go", "X, Y int", "X, Y int `json:\"n\"`"}, "Far Point Point.Sum Point1"},
		{"a method", edit{"p/a.go", "func Alone", "func (Point) String() string { return \"\" }\n\nfunc Alone"}, "Far Point Point.Sum Point1 Point.String"},
		{"an interface", edit{"p/a.go", "Sum() int }", "Sum() int; Sub() int }"}, "summer"},
		{"a first value", edit{"p/a.go", `errors.New("far")`, `errors.New("near")`}, "Far errFar"},
		{"a first value that may have effects", edit{"p/a.go", "var state int", "var state = Limit(1)"}, "#init Bump state"},
		{"an embedded file", edit{"p/data.txt", "text", "words"}, "Data data"},
		{"a directive", edit{"p/a.go", "func Alone", "//go:noinline\nfunc Alone"}, "Alone"},
		{"a build constraint", edit{"p/b_linux.go", "package p", "//go:build amd64 && arm64\n\npackage p"}, "Platform platform"},
		{"another meaning of a name", edit{"p/a.go", "func Alone", "func min(a, b int) int { return a }\n\nfunc Alone"}, "Limit min"},
		{"another package of a name", edit{"p/a.go", `"errors"`, `errors "example.com/m/q"`}, "#init Far errFar"},
		{"init", edit{"p/a.go", "func Alone", "func init() {}\n\nfunc Alone"}, "#init"},
		{"a blank variable", edit{"p/a.go", "func Alone", "var _ = Limit(2)\n\nfunc Alone"}, "#init"},
		{"an import with effects", edit{"p/a.go", `_ "embed"`, "_ \"embed\"\n\t_ \"expvar\""}, "#init"},
		{"what does not compile", edit{"p/a.go", "func Alone() {}", "func Alone() { x }"}, "#init Alone"},
		{"what an example prints", edit{"p/a_test.go", "// Output: 1", "// Output: 2"}, "ExampleLimit"},
		{"a method for tests", edit{"p/a_test.go", "func TestMain", "func (Point) Test() {}\n\nfunc TestMain"}, "#tests Point.Test"},
	} {
		t.Run(c.name, func(t *testing.T) {
			now := state(t, c.edit)
			var got []string
			keys := maps.Clone(now.decls)
			maps.Copy(keys, old.decls)
			for key := range keys {
				if old.Hash(key) != now.Hash(key) && !strings.HasSuffix(key, filesSuffix) {
					got = append(got, strings.TrimPrefix(key, "example.com/m/p."))
				}
			}
			if want := strings.Fields(c.want); !sameElements(got, want) {
				t.Errorf("changed: %q, want %q", got, want)
			}
		})
	}
}

// A function whose calls are not noted counts for those that refer to it.
func TestUnwatch(t *testing.T) {
	old, now := state(t), state(t, edit{"p/a.go", "min(n, limit)", "max(n, limit)"}, edit{"p/a.go", "p.X + p.Y", "p.X * p.Y"})
	old.Unwatch([]function.Func{place(t, old, "Limit"), place(t, old, "Point.Sum")})
	now.UnwatchAs(old)
	for name, want := range map[string]bool{"Far": true, "Point1": true, "Lookup": false} {
		if key := "example.com/m/p." + name; old.Hash(key) != now.Hash(key) != want {
			t.Errorf("%s changed: %v, want %v", name, !want, want)
		}
	}
}

// place returns a function by its place.
func place(t *testing.T, s *State, name string) function.Func {
	t.Helper()
	d := s.decls["example.com/m/p."+name]
	if d == nil {
		t.Fatalf("no function %s", name)
	}
	return function.Func{Package: "example.com/m/p", Name: d.key, File: d.file, Line: d.line}
}

// Where a function is not known, because of a //line directive, all files of its package count.
func TestFind(t *testing.T) {
	old, now := state(t), state(t, edit{"p/a.go", "func Alone", "// A comment.\nfunc Alone"})
	elsewhere := function.Func{Package: "example.com/m/p", Name: "example.com/m/p.yyParse", File: "/src/p.y", Line: 3}
	if d := old.find(&elsewhere); d == nil || d.key != "example.com/m/p.#files" || old.Hash(d.key) == now.Hash(d.key) {
		t.Errorf("found is %+v, want all files of the package, which have changed", d)
	}
	elsewhere.Name = "example.com/m/p.init.0.func1"
	if d := old.find(&elsewhere); d != nil {
		t.Errorf("a literal of an init function is in %s, want none", d.key)
	}
	elsewhere.Name = "example.com/m/p.yyParse"
	old.Unwatch([]function.Func{elsewhere})
	now.UnwatchAs(old)
	if key := "example.com/m/p.#init"; old.Hash(key) == now.Hash(key) {
		t.Error("the package is the same, though it has a function of whose calls nobody knows")
	}
}

// Variables that functions share.
func TestShared(t *testing.T) {
	s := state(t)
	for name, want := range map[string]bool{"Bump": true, "Far": false, "Lookup": false, "Data": false} {
		if writes := s.decls["example.com/m/p."+name].writes; len(writes) > 0 != want {
			t.Errorf("%s may change %q, want some: %v", name, writes, want)
		}
	}
	if got, want := s.mayWrite("example.com/m/p.Bump"), []string{"example.com/m/p.state"}; !slices.Equal(got, want) {
		t.Errorf("Bump may change %q, want %q", got, want)
	}
}

// A map is read as it was written, and a damaged one is none.
func TestMap(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tests.map")
	m := &Map{Version: version, Module: "m", Funcs: []Func{{Key: "b"}, {Key: "unused"}, {Key: "a", Writes: []string{"v"}}}, Binaries: map[string]*Binary{
		"m/p": {World: map[string]string{"Go": "go1"}, Before: Set{0}, Tests: map[string]Set{"TestA": {0, 2}}},
	}}
	if err := m.Write(path); err != nil {
		t.Fatal(err)
	}
	got, err := Read(path, "m")
	if err != nil {
		t.Fatal(err)
	}
	if want := []Func{{Key: "a", Writes: []string{"v"}}, {Key: "b"}}; !reflect.DeepEqual(got.Funcs, want) {
		t.Errorf("functions %v, want %v", got.Funcs, want)
	}
	if b := got.Binaries["m/p"]; !slices.Equal(b.Before, Set{1}) || !slices.Equal(b.Tests["TestA"], Set{0, 1}) || b.World["Go"] != "go1" {
		t.Errorf("the binary is %+v", b)
	}
	if other, err := Read(path, "other"); !errors.As(err, new(*OtherModule)) || len(other.Binaries) > 0 {
		t.Errorf("for another module: %v, %v", other, err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := readBytes(t, nil); !errors.Is(err, ErrDamaged) || len(got.Binaries) > 0 {
		t.Errorf("an empty file: %v, %v", got, err)
	}
	for i := range whole {
		for _, bits := range []byte{1, 0x10, 0x80, 0xff} {
			damaged := slices.Clone(whole)
			damaged[i] ^= bits
			// The head has a time and a system, which don't count.
			if m, err := readBytes(t, damaged); err == nil && !reflect.DeepEqual(m, got) {
				t.Errorf("byte %d of %d damaged: %v is read", i, len(whole), m)
			}
		}
		if m, err := readBytes(t, whole[:i]); !errors.Is(err, ErrDamaged) || len(m.Binaries) > 0 {
			t.Errorf("cut at %d of %d bytes: %v, %v", i, len(whole), m, err)
		}
	}
}

// readBytes reads a map of module m with this content.
func readBytes(t *testing.T, data []byte) (*Map, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tests.map")
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return Read(path, "m")
}

// A map that is whole, but not as this program writes it, is refused or can be used: nothing panics.
func TestMapContent(t *testing.T) {
	packed := func(text []byte) []byte {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		z.Write(text)
		z.Close()
		return b.Bytes()
	}
	now := state(t)
	const text = `{"Version":1,"Module":"m","Funcs":[{"Key":"example.com/m/p.Limit","Hash":"h","File":"f","Writes":["v"]}],` +
		`"Binaries":{"example.com/m/p":{"World":{"Go":"1"},"Parts":{"p":"h"},"Files":{"x":"h"},"Vars":{"V":"h"},"Before":"AQ==","Tests":{"TestLimit":"AQ=="}}}}`
	if _, err := readBytes(t, packed([]byte(text))); err != nil {
		t.Fatal(err)
	}
	for i := range text {
		for _, bits := range []byte{1, 0x10, 0x80} {
			damaged := []byte(text)
			damaged[i] ^= bits
			m, err := readBytes(t, packed(damaged))
			if err != nil {
				continue
			}
			other, err := readBytes(t, packed([]byte(text)))
			if err != nil {
				t.Fatal(err)
			}
			m.Select(now, now)
			other.Merge(m, now)
			other.Select(now, nil)
			read(t, other, "m")
		}
	}
	for _, c := range []struct {
		old, text string
		want      error
	}{
		{`"Version":1`, `"Version":2`, ErrVersion},
		{`"Funcs":[`, `"Funcs":{"of":"another form"},"Was":[`, ErrDamaged},
		{`"Version":1`, `"Version":0`, ErrDamaged},
		{`"Before":"AQ=="`, `"Before":"Ag=="`, ErrDamaged}, // a function that isn't there
		{`"TestLimit":"AQ=="`, `"TestLimit":"AAAAAQ=="`, ErrDamaged},
		{`"Tests":{"TestLimit":"AQ=="}`, `"Tests":null`, ErrDamaged},
		{text[strings.Index(text, `{"World"`) : len(text)-2], "null", ErrDamaged},
		{text[strings.Index(text, `"Funcs"`) : len(text)-1], `"Funcs":[]`, ErrDamaged},
	} {
		if !strings.Contains(text, c.old) {
			t.Fatalf("no %s", c.old)
		}
		if m, err := readBytes(t, packed([]byte(strings.Replace(text, c.old, c.text, 1)))); !errors.Is(err, c.want) || len(m.Binaries) > 0 {
			t.Errorf("with %s: %v, %v, want the error %v", c.text, m, err, c.want)
		}
	}
	newer := strings.NewReplacer(`"Version":1`, `"Version":2`, `"Funcs":[`, `"Funcs":{"of":"another form"},"Was":[`).Replace(text)
	if _, err := readBytes(t, packed([]byte(newer))); !errors.Is(err, ErrVersion) {
		t.Errorf("a newer format: %v", err)
	}
}

// Two maps are one: a test runs if either says that it called what has changed.
func TestMerge(t *testing.T) {
	const pkg = "example.com/m/p"
	now := state(t)
	names := now.Packages[pkg].Names
	// part is a map of one test. Its functions are as they are now, unless a hash follows.
	part := func(test string, funcs ...string) *Map {
		m := &Map{Version: version, Module: now.Module}
		b := &Binary{World: now.World, Parts: now.parts(pkg), Tests: map[string]Set{test: nil}}
		for i, f := range append([]string{"TestMain"}, funcs...) {
			name, hash, old := strings.Cut(f, " ")
			if !old {
				hash = now.Hash(pkg + "." + name)
			}
			m.Funcs = append(m.Funcs, Func{Key: pkg + "." + name, Hash: hash})
			if name == "TestMain" {
				b.Before = Set{i} // the last one that is given
			} else {
				b.Tests[test] = append(b.Tests[test], i)
			}
		}
		m.Binaries = map[string]*Binary{pkg: b}
		return m
	}
	with := func(m *Map, change func(*Binary)) *Map {
		change(m.Binaries[pkg])
		return m
	}
	otherFlags := func(b *Binary) { b.World = map[string]string{"GOFLAGS or flags": "-race"} }
	file := func(name string, hash string) func(*Binary) {
		return func(b *Binary) { b.Files = map[string]string{name: hash} }
	}
	fresh := now.file(filepath.Join(now.Root, "p", "data.txt"))
	for _, c := range []struct {
		name string
		a, b *Map
		skip []string // tests that need not run, whichever map is the first
	}{
		{"two tests of one state", part("TestLimit", "Limit"), part("TestOutside", "Alone"), []string{"TestLimit", "TestOutside"}},
		{"one has changed", part("TestLimit", "Limit old"), part("TestOutside", "Alone"), []string{"TestOutside"}},
		{"both know it, with other calls", part("TestLimit", "Limit"), part("TestLimit", "Limit", "Far"), []string{"TestLimit"}},
		{"one has called what has changed", part("TestLimit", "Limit"), part("TestLimit", "Limit", "Far old"), nil},
		{"one has passed since", part("TestLimit", "Limit"), part("TestLimit", "Limit old"), []string{"TestLimit"}},
		{"one has called what is gone", part("TestLimit", "Limit"), part("TestLimit", "Gone old"), nil},
		{"each is of another state", part("TestLimit", "Limit old", "Far"), part("TestLimit", "Limit", "Far old"), nil},
		{"other flags", part("TestLimit", "Limit"), with(part("TestOutside", "Alone"), otherFlags), []string{"TestLimit"}},
		{"other flags, and what has changed", part("TestLimit", "Limit"), with(part("TestLimit", "Far old"), otherFlags), nil},
		{"the functions of one, the flags of the other", part("TestLimit", "Limit old"), with(part("TestLimit", "Limit"), otherFlags), nil},
		{"a file", with(part("TestLimit", "Limit"), file("p/data.txt", fresh)), part("TestOutside", "Alone"), []string{"TestLimit", "TestOutside"}},
		{"a file that has changed", with(part("TestLimit", "Limit"), file("p/data.txt", "old")), part("TestOutside", "Alone"), nil},
		{"a file at two states", with(part("TestLimit", "Limit"), file("p/data.txt", "old")), with(part("TestOutside", "Alone"), file("p/data.txt", fresh)), []string{"TestOutside"}},
		{"an earlier TestMain", part("TestLimit", "Limit"), part("TestOutside", "Alone", "TestMain old"), []string{"TestLimit"}},
	} {
		for _, maps := range [][2]*Map{{c.a, c.b}, {c.b, c.a}} {
			first := read(t, maps[0], now.Module)
			first.Merge(read(t, maps[1], now.Module), now)
			first = read(t, first, now.Module)
			var skipped []string
			for _, d := range first.Select(now, nil) {
				if !d.Run {
					skipped = append(skipped, d.Test)
				}
			}
			if !sameElements(skipped, c.skip) {
				t.Errorf("%s: %q of %q need not run, want %q", c.name, skipped, names, c.skip)
			}
		}
	}

	// The same map again makes no map larger.
	m := part("TestLimit", "Limit", "Far")
	m.Merge(part("TestLimit", "Limit", "Far"), now)
	if n := len(read(t, m, now.Module).Funcs); n != 3 {
		t.Errorf("a map that is merged with itself has %d functions, want 3", n)
	}
}

// Maps of random runs, at random states of the sources, against an oracle that knows all runs. A test
// needs no run only if some run called nothing that has changed, and no other one called something
// besides that has. Maps of one state are, in both orders, the map that one machine would have made.
func TestMergeRandom(t *testing.T) {
	const pkg = "example.com/m/p"
	now := state(t)
	names := now.Packages[pkg].Names
	funcs := []string{"Limit", "Far", "Lookup", "Data", "Print"}
	rng := rand.New(rand.NewPCG(1, 2))
	type run struct {
		test string
		has  map[string]string // functions that it called, and their hashes
	}
	add := func(m *Map, r run) {
		b := &Binary{World: now.World, Parts: now.parts(pkg), Tests: map[string]Set{r.test: nil}}
		for key, hash := range r.has {
			b.Tests[r.test] = append(b.Tests[r.test], len(m.Funcs))
			m.Funcs = append(m.Funcs, Func{Key: key, Hash: hash})
		}
		b.Before = Set{len(m.Funcs)}
		m.Funcs = append(m.Funcs, Func{Key: pkg + ".TestMain", Hash: now.Hash(pkg + ".TestMain")})
		slices.Sort(b.Tests[r.test])
		m.put(pkg, b)
	}
	empty := func() *Map { return &Map{Version: version, Module: now.Module, Binaries: make(map[string]*Binary)} }
	changed := func(has map[string]string) (keys []string) {
		for key, hash := range has {
			if now.Hash(key) != hash {
				keys = append(keys, key)
			}
		}
		return keys
	}
	skips, both := 0, 0
	for range 300 {
		ours, theirs, whole := empty(), empty(), empty()
		known := make(map[string][]run)
		oneState := rng.IntN(2) == 0
		for i, test := range names {
			for side, m := range []*Map{ours, theirs} {
				if oneState && i%2 != side || rng.IntN(4) == 0 {
					continue
				}
				r := run{test, make(map[string]string)}
				for _, f := range funcs {
					if rng.IntN(2) == 0 {
						continue
					}
					key := pkg + "." + f
					r.has[key] = now.Hash(key)
					if rng.IntN(6) == 0 {
						r.has[key] = "old"
					}
				}
				add(m, r)
				add(whole, r)
				known[test] = append(known[test], r)
			}
		}
		for _, order := range [][2]*Map{{ours, theirs}, {theirs, ours}} {
			merged := read(t, order[0], now.Module)
			merged.Merge(read(t, order[1], now.Module), now)
			merged = read(t, merged, now.Module)
			if oneState && !reflect.DeepEqual(merged, read(t, whole, now.Module)) {
				t.Fatalf("merged: %v, want that of one machine: %v", merged, whole)
			}
			for _, d := range merged.Select(now, nil) {
				runs := known[d.Test]
				skip := slices.ContainsFunc(runs, func(r run) bool {
					return len(changed(r.has)) == 0 && !slices.ContainsFunc(runs, func(other run) bool {
						return slices.ContainsFunc(changed(other.has), func(key string) bool { return r.has[key] == "" })
					})
				})
				if d.Run == skip {
					t.Fatalf("%s runs: %v, want %v: its runs are %v", d.Test, d.Run, !skip, runs)
				}
				if skip {
					skips++
					both += len(runs) - 1
				}
			}
		}
	}
	if skips < 100 || both < 50 {
		t.Errorf("%d tests need no run, of which %d are in both maps: too few to show something", skips, both)
	}
}

// read returns the map as it is read when it has been written.
func read(t *testing.T, m *Map, module string) *Map {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tests.map")
	if err := m.Write(path); err != nil {
		t.Fatal(err)
	}
	m, err := Read(path, module)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A map of which no test ran with the Go release and the platform as they are is refused.
func TestFits(t *testing.T) {
	now := &State{World: map[string]string{"the Go release": "go1.26.8", "the platform": "linux amd64 1"}}
	binary := func(release, platform string) *Binary {
		return &Binary{World: map[string]string{"the Go release": release, "the platform": platform}}
	}
	old, other, same := binary("go1.25.1", "linux amd64 1"), binary("go1.26.8", "linux arm64 1"), binary("go1.26.8", "linux amd64 1")
	for _, c := range []struct {
		want     string
		binaries map[string]*Binary
	}{
		{"", nil},
		{"", map[string]*Binary{"p": same}},
		{"", map[string]*Binary{"p": old, "q": same}},
		{"it is a map of tests that ran with go1.25.1, not with go1.26.8", map[string]*Binary{"p": old}},
		{"it is a map of tests that ran with linux arm64 1, not with linux amd64 1", map[string]*Binary{"p": other}},
	} {
		got := ""
		if err := (&Map{Binaries: c.binaries}).Fits(now); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("error %q, want %q", got, c.want)
		}
	}
}

func sameElements(a, b []string) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}
