package affected

import (
	"bufio"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/seen"
)

// A Run is what go test said of a package that it has tested.
type Run struct {
	Passed bool
	Tests  []string        // that were to run; nil: all
	Failed map[string]bool // tests
}

// Add notes what tests have called that passed, by the seen files and test logs in dir. What was known
// of tests that ran and did not pass is forgotten. A package that failed, but none of its tests, has
// none that passed.
func (m *Map) Add(now *State, dir string, runs map[string]Run) error {
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	r := &reader{Map: m, now: now, byKey: make(map[string]int)}
	binaries, builds := make(map[string]*Binary), make(map[string]string)
	var helpers []*seen.Set
	var errs []error
	for _, f := range files {
		file := filepath.Join(dir, f.Name())
		if filepath.Ext(file) != ".seen" {
			continue
		}
		set, err := seen.Read([]string{file})
		if err != nil {
			errs = append(errs, err)
			continue
		}
		path := testedBy(set)
		if run := runs[path]; path == "" || !run.Passed && len(run.Failed) == 0 || now.Packages[path] == nil {
			helpers = append(helpers, set)
			continue
		}
		b := r.binary(path, set)
		if err := b.readLog(now, now.Packages[path].Dir, filepath.Join(dir, processOf(file)+".testlog")); err != nil {
			errs = append(errs, err)
			continue
		}
		maps.DeleteFunc(b.Tests, func(name string, _ Set) bool { return runs[path].Failed[name] })
		binaries[path] = b
		builds[set.Builds[0].ID] = path
	}
	for _, set := range helpers { // that a test binary has started of itself: whose they are is not known
		if b := binaries[builds[set.Builds[0].ID]]; b != nil {
			for _, f := range set.Funcs {
				if f.Called {
					b.Before = append(b.Before, r.funcs(f)...)
				}
			}
		}
	}
	for path, run := range runs {
		b := binaries[path]
		if old := m.Binaries[path]; old != nil && (b == nil || run.Tests != nil) {
			old.forget(run.Tests)
		}
		if b == nil {
			continue
		}
		if run.Tests == nil {
			delete(m.Binaries, path)
		}
		slices.Sort(b.Before)
		b.Before = slices.Compact(b.Before)
		m.put(path, b)
	}
	return errors.Join(errs...)
}

// forget drops what is known of tests; nil: of all.
func (b *Binary) forget(tests []string) {
	if tests == nil {
		clear(b.Tests)
	}
	for _, name := range tests {
		delete(b.Tests, name)
	}
}

// processOf returns the process id in the name of a seen file, as in app.test.123.seen or
// app.test.123-2.seen.
func processOf(file string) string {
	name := strings.TrimSuffix(file, ".seen")
	id, _, _ := strings.Cut(name[strings.LastIndex(name, ".")+1:], "-")
	return id
}

// testedBy returns the package whose tests the files are of.
func testedBy(set *seen.Set) string {
	for _, f := range set.Funcs {
		if len(f.Tests) > 0 {
			return f.Tests[0].Package
		}
	}
	return ""
}

// A reader makes functions of a map of those in seen files.
type reader struct {
	*Map
	now   *State
	byKey map[string]int
}

// funcs returns the index of the declaration that a function is in.
func (r *reader) funcs(f *seen.Func) Set {
	d := r.now.find(&f.Func)
	if d == nil {
		return nil
	}
	fn := Func{Key: d.key, Hash: r.now.Hash(d.key), File: r.now.file(d.file)}
	key := fn.Key + " " + fn.Hash + " " + fn.File
	i, ok := r.byKey[key]
	if !ok {
		i = len(r.Funcs)
		fn.Writes = slices.Clone(d.writes)
		r.byKey[key], r.Funcs = i, append(r.Funcs, fn)
	}
	return Set{i}
}

// binary returns what the functions of a test binary say.
func (r *reader) binary(path string, set *seen.Set) *Binary {
	b := &Binary{World: maps.Clone(r.now.World), Parts: r.now.parts(path), Files: make(map[string]string), Vars: make(map[string]string), Tests: make(map[string]Set)}
	starts := false
	for _, f := range set.Funcs {
		if !f.Called {
			continue
		}
		i := r.funcs(f)
		if len(i) == 0 {
			continue
		}
		starts = starts || r.now.decls[r.Funcs[i[0]].Key].starts
		if f.Before || len(f.Tests) == 0 { // behind the last test runs what TestMain does
			b.Before = append(b.Before, i...)
		}
		for _, t := range f.Tests {
			b.Tests[t.Name] = append(b.Tests[t.Name], i...)
		}
	}
	for name, s := range b.Tests {
		slices.Sort(s)
		b.Tests[name] = slices.Compact(s)
	}
	if starts {
		b.Tree = r.now.Tree()
	}
	return b
}

// readLog reads what package testing logs for the go command's cache: files and variables that were
// looked at.
func (b *Binary) readLog(now *State, dir, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("%w: which files tests have read is not known", err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		op, name, _ := strings.Cut(lines.Text(), " ")
		switch op {
		case "getenv":
			if counts(name) {
				b.Vars[name] = hashOfVar(name)
			}
		case "chdir":
			dir = name
		case "open", "stat":
			if !filepath.IsAbs(name) {
				name = filepath.Join(dir, name)
			}
			if rel, err := filepath.Rel(now.Root, name); err == nil && filepath.IsLocal(rel) {
				b.Files[filepath.ToSlash(rel)] = now.file(name)
			}
		}
	}
	return lines.Err()
}

// counts reports whether a variable of the environment can change what tests do. Where they run and
// where they put files is different each time, and waymark sets variables of its own.
func counts(name string) bool {
	return name != "PWD" && name != "TMPDIR" && !strings.HasPrefix(name, "WAYMARK")
}
