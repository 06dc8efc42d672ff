// Package seen reads the files that WAYMARK=seen writes, and says which functions of a program were
// ever called:
//
//	s, err := seen.Read([]string{"a.seen", "b.seen"}) // of processes and builds of one program
//	err = seen.WriteText(os.Stdout, s, s.Select(nil))
package seen

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/internal/text/names"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// A Build is a build of a program whose processes have written files.
type Build struct {
	ID      string
	Program string // path
	Go      string
	Start   time.Time // of the first process
	Files   []string
}

// A Func is a function of one build or more. Functions with the same name and package are one.
type Func struct {
	function.Func // position of the latest build
	Body          format.Extent
	Called        bool
	Before        bool   // called before the first test, by initialisation or TestMain
	Builds        []int  // in Set.Builds, ascending
	Tests         []Test // that call it, by package and name

	watched bool
}

// A Test is one of the top level that calls a function.
type Test struct {
	Package string
	Name    string
	Alone   bool // at least once no other test ran meanwhile: else it may be another one that calls the function
}

// A Set is what files say together.
type Set struct {
	Builds    []*Build // the latest last
	Funcs     []*Func  // by package and name
	Unwatched int      // functions that nobody wanted to know of
	Tested    bool     // some file is a test binary's

	LeftOut function.LeftOut // functions of the latest build that are not instrumented, so that nobody knows of their calls
}

// mostBytes is the size of the largest file that is read.
const mostBytes = 1 << 30

// Read reads files. If some are damaged or are no seen files, the set has what could be read, and the
// error says what is wrong.
func Read(paths []string) (*Set, error) {
	var files []*file
	var errs []error
	for _, path := range paths {
		f, err := readFile(path)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", path, err))
		}
		if f != nil {
			files = append(files, f)
		}
	}
	slices.SortStableFunc(files, func(a, b *file) int { return a.build.Start.Compare(b.build.Start) })
	s := new(Set)
	byID, byName := make(map[string]int), make(map[[2]string]*Func)
	for _, f := range files {
		bySite := make(map[uint32]*Func)
		s.LeftOut = f.left
		n, known := byID[f.build.ID]
		if !known {
			n = len(s.Builds)
			byID[f.build.ID] = n
			s.Builds = append(s.Builds, f.build)
		} else {
			s.Builds[n].Files = append(s.Builds[n].Files, f.build.Files...)
		}
		for _, site := range f.sites {
			if site.Info {
				continue
			}
			key := [2]string{site.Package, site.Name}
			fn := byName[key]
			if fn == nil {
				fn = new(Func)
				byName[key] = fn
				s.Funcs = append(s.Funcs, fn)
			}
			fn.Func = function.Func{Name: site.Name, Package: site.Package, File: site.File, Line: site.Line}
			fn.Body = site.Body
			bySite[site.ID] = fn
			fn.Called, fn.watched = fn.Called || site.Called, fn.watched || site.Watched
			if !slices.Contains(fn.Builds, n) {
				fn.Builds = append(fn.Builds, n)
			}
		}
		for _, t := range f.tests {
			s.Tested = true
			for _, id := range t.Sites {
				if fn := bySite[id]; fn != nil && t.Test == "" {
					fn.Before = true
				} else if fn != nil {
					fn.test(Test{t.Package, t.Test, !t.Overlapped})
				}
			}
		}
	}
	all := len(s.Funcs)
	s.Funcs = slices.DeleteFunc(s.Funcs, func(f *Func) bool { return !f.watched })
	s.Unwatched = all - len(s.Funcs)
	slices.SortFunc(s.Funcs, func(a, b *Func) int {
		return cmp.Or(cmp.Compare(a.Package, b.Package), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Name, b.Name))
	})
	return s, errors.Join(errs...)
}

// test notes that a test calls the function.
func (f *Func) test(t Test) {
	at, known := slices.BinarySearchFunc(f.Tests, t, func(a, b Test) int {
		return cmp.Or(cmp.Compare(a.Package, b.Package), cmp.Compare(a.Name, b.Name))
	})
	if known {
		f.Tests[at].Alone = f.Tests[at].Alone || t.Alone
	} else {
		f.Tests = slices.Insert(f.Tests, at, t)
	}
}

// A file is what one file says.
type file struct {
	build *Build
	sites []format.SeenSite
	tests []format.SeenTest
	left  function.LeftOut
}

func readFile(path string) (*file, error) {
	fi, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, reason(err)
	case !fi.Mode().IsRegular():
		return nil, errors.New("it is not a regular file")
	case fi.Size() == 0:
		return nil, errors.New("it is empty: the program was killed when it began, or never ran")
	}
	b, err := read(path)
	if err != nil {
		return nil, err
	}
	said, err := format.ParseSeen(b)
	if said == nil {
		return nil, err
	}
	names.MakePrintable(said)
	f := &file{&Build{Files: []string{path}}, said.Sites, said.Tests, said.Left}
	for _, kv := range said.Meta {
		switch kv.Key {
		case format.MetaBuild:
			f.build.ID = kv.Value
		case format.MetaProgram:
			f.build.Program = kv.Value
		case format.MetaGo:
			f.build.Go = kv.Value
		case format.MetaStart:
			ns, _ := strconv.ParseInt(kv.Value, 10, 64)
			f.build.Start = time.Unix(0, ns)
		}
	}
	return f, err
}

// read returns what a seen file holds. Of another file it reads the beginning only.
func read(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, reason(err)
	}
	defer f.Close()
	head := make([]byte, len(format.SeenMagic))
	if _, err := io.ReadFull(f, head); err != nil || string(head) != format.SeenMagic {
		return nil, format.ErrNotSeen
	}
	rest, err := io.ReadAll(io.LimitReader(f, mostBytes))
	if err != nil {
		return nil, reason(err)
	}
	if len(rest) == mostBytes {
		return nil, fmt.Errorf("%w: it is too large", format.ErrNotSeen)
	}
	return append(head, rest...), nil
}

// reason returns the error without the path, which is said before.
func reason(err error) error {
	var e *fs.PathError
	if errors.As(err, &e) {
		return e.Err
	}
	return err
}

// Files returns the names of the files.
func (s *Set) Files() (names []string) {
	for _, b := range s.Builds {
		names = append(names, b.Files...)
	}
	return names
}

// Programs returns the names of the programs that the builds are of, each once.
func (s *Set) Programs() (list []string) {
	for _, b := range s.Builds {
		if name := filepath.Base(b.Program); !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// Select returns the functions that show allows; nil: all.
func (s *Set) Select(show func(*Func) bool) (list []*Func) {
	for _, f := range s.Funcs {
		if show == nil || show(f) {
			list = append(list, f)
		}
	}
	return list
}

// Everywhere reports whether all builds have the function.
func (s *Set) Everywhere(f *Func) bool { return len(f.Builds) == len(s.Builds) }
