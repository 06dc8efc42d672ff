package affected

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// A Map says what tests depended on when they passed.
type Map struct {
	Version  int
	Module   string
	Funcs    []Func
	Binaries map[string]*Binary // by import path of the tested package
}

// version is that of the file's format. A map of another one is no map.
const version = 1

// A Func is a function at one state of the sources.
type Func struct {
	Key, Hash string
	File      string   // hash of its file
	Writes    []string `json:",omitempty"` // variables of packages that it may change
}

// A Binary is the test binary of a package, as it was when tests passed. All tests depend on what is in
// it.
type Binary struct {
	World  map[string]string
	Parts  map[string]string // keys of the packages that it is made of, and their hashes
	Files  map[string]string // that tests looked at, from the root, and their hashes
	Vars   map[string]string // of the environment
	Before Set               // functions called by initialisation and TestMain
	Tests  map[string]Set    // functions that tests called
	Tree   string            `json:",omitempty"` // of all files, if a test may start programs
}

// A Set has indexes of Map.Funcs, ascending. It is written as bits.
type Set []int

// MarshalJSON returns the bits.
func (s Set) MarshalJSON() ([]byte, error) {
	var b []byte
	for _, i := range s {
		for len(b) <= i/8 {
			b = append(b, 0)
		}
		b[i/8] |= 1 << (i % 8)
	}
	return json.Marshal(b)
}

// UnmarshalJSON reads the bits.
func (s *Set) UnmarshalJSON(data []byte) error {
	var b []byte
	if err := json.Unmarshal(data, &b); err != nil {
		return err
	}
	*s = nil
	for i := range 8 * len(b) {
		if b[i/8]>>(i%8)&1 != 0 {
			*s = append(*s, i)
		}
	}
	return nil
}

// ErrDamaged is what Read returns of a file that is no map, or not a whole one.
var ErrDamaged = errors.New("it is no map of waymark test, or it is damaged")

// ErrVersion is what Read returns of a map whose format this program doesn't know.
var ErrVersion = errors.New("it is a map of another version of waymark")

// mostBytes is the size of the largest map that is read, unpacked.
const mostBytes = 1 << 30

// Read reads a map. It returns an empty one, with the error, if there is none.
func Read(path, module string) (*Map, error) {
	empty := &Map{Version: version, Module: module, Binaries: make(map[string]*Binary)}
	f, err := os.Open(path)
	if err != nil {
		return empty, err
	}
	defer f.Close()
	var data []byte
	z, err := gzip.NewReader(f)
	if err == nil {
		data, err = io.ReadAll(io.LimitReader(z, mostBytes)) // all, as the checksum is at the end
	}
	var format struct{ Version int }
	if err == nil && json.Unmarshal(data, &format) == nil && format.Version > 0 && format.Version != version {
		return empty, ErrVersion
	}
	m := new(Map)
	if err != nil || json.Unmarshal(data, m) != nil || !m.sound() {
		return empty, ErrDamaged
	}
	if m.Module != module {
		return empty, &OtherModule{m.Module}
	}
	return m, nil
}

// An OtherModule error says that a map is of another module.
type OtherModule struct{ Module string }

func (e *OtherModule) Error() string { return fmt.Sprintf("it is a map of module %s", e.Module) }

// sound reports whether all that the map names is there.
func (m *Map) sound() bool {
	if m.Version != version || m.Binaries == nil {
		return false
	}
	inside := func(s Set) bool { return len(s) == 0 || s[len(s)-1] < len(m.Funcs) }
	for _, b := range m.Binaries {
		if b == nil || b.Tests == nil || !inside(b.Before) {
			return false
		}
		for _, s := range b.Tests {
			if !inside(s) {
				return false
			}
		}
	}
	return true
}

// Write writes the map in place of the one that is there.
func (m *Map) Write(path string) error {
	m.compact()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if err := errors.Join(json.NewEncoder(z).Encode(m), z.Close()); err != nil {
		return err
	}
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".map-*")
	if err != nil {
		return err
	}
	_, err = f.Write(b.Bytes())
	if err = errors.Join(err, f.Chmod(fs.FileMode(0o644)), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// compact leaves out functions that no test calls, and orders the others. Of the same one remains.
func (m *Map) compact() {
	used := make(map[int]bool)
	sets := func(change func(Set) Set) {
		for _, b := range m.Binaries {
			b.Before = change(b.Before)
			for name, s := range b.Tests {
				b.Tests[name] = change(s)
			}
		}
	}
	sets(func(s Set) Set {
		for _, i := range s {
			used[i] = true
		}
		return s
	})
	compare := func(i, j int) int {
		f, g := m.Funcs[i], m.Funcs[j]
		return cmp.Or(cmp.Compare(f.Key, g.Key), cmp.Compare(f.Hash, g.Hash), cmp.Compare(f.File, g.File))
	}
	to := make(map[int]int)
	var funcs []Func
	last := -1
	for _, i := range slices.SortedFunc(maps.Keys(used), compare) {
		if last < 0 || compare(last, i) != 0 {
			funcs = append(funcs, m.Funcs[i])
		}
		to[i], last = len(funcs)-1, i
	}
	m.Funcs = funcs
	sets(func(s Set) Set {
		out := make(Set, len(s))
		for n, i := range s {
			out[n] = to[i]
		}
		slices.Sort(out)
		return slices.Compact(out)
	})
}
