package affected

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// An OtherWorld error says that all tests of a map ran with another Go release, or on another platform.
type OtherWorld struct{ There, Here string }

func (e *OtherWorld) Error() string {
	return fmt.Sprintf("it is a map of tests that ran with %s, not with %s", e.There, e.Here)
}

// Fits returns an error if no test of the map can have run as tests would now, whatever the sources are.
func (m *Map) Fits(now *State) error {
	for _, what := range []string{"the Go release", "the platform"} {
		there := make(map[string]bool)
		for _, b := range m.Binaries {
			there[b.World[what]] = true
		}
		if here := now.World[what]; len(there) > 0 && !there[here] {
			return &OtherWorld{slices.Sorted(maps.Keys(there))[0], here}
		}
	}
	return nil
}

// Merge adds what another map of the module knows. Where both know a package in the same state, the
// tests of either are known. Else that counts which is as it is now, for the tests that it has.
func (m *Map) Merge(other *Map, now *State) {
	base := len(m.Funcs)
	m.Funcs = append(m.Funcs, other.Funcs...)
	moved := func(s Set) Set {
		out := make(Set, len(s))
		for n, i := range s {
			out[n] = base + i
		}
		return out
	}
	for path, theirs := range other.Binaries {
		b := *theirs
		b.Before, b.Tests = moved(b.Before), make(map[string]Set)
		for name, s := range theirs.Tests {
			b.Tests[name] = moved(s)
		}
		if ours := m.Binaries[path]; ours != nil {
			m.Binaries[path] = m.merged(path, ours, &b, now)
		} else {
			m.Binaries[path] = &b
		}
	}
}

// merged returns what two maps know of a package. A test that both know depends on what either says.
func (m *Map) merged(path string, a, b *Binary, now *State) *Binary {
	fits := func(b *Binary) bool {
		return (&comparison{Map: m, Binary: b, path: path, now: now}).common(now, false) == ""
	}
	same := a.joins(b, m.Funcs)
	if !same && !fits(a) && fits(b) {
		a, b = b, a
	}
	for name, s := range b.Tests {
		have, ok := a.Tests[name]
		if same && (!ok || m.fits(s, now) && !m.fits(have, now)) {
			have, s = s, have
		}
		if ok || same {
			a.Tests[name] = m.union(have, s, now)
		}
	}
	if same {
		a.include(b)
	}
	return a
}

// union returns all that a test depends on by two records. If the first is as it is now, its hashes
// count where the other has others: the test has passed with them. Else both do, and the test runs.
func (m *Map) union(first, second Set, now *State) Set {
	if m.fits(first, now) {
		keys := make(map[string]bool)
		for _, i := range first {
			keys[m.Funcs[i].Key] = true
		}
		second = slices.DeleteFunc(slices.Clone(second), func(i int) bool { return keys[m.Funcs[i].Key] })
	}
	return joined(first, second)
}

// fits reports whether functions are as they are now.
func (m *Map) fits(s Set, now *State) bool {
	return !slices.ContainsFunc(s, func(i int) bool { return now.Hash(m.Funcs[i].Key) != m.Funcs[i].Hash })
}

func joined(a, b Set) Set {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// put adds what tests that ran have called. What is newer counts, unless it is of the same state: then
// both do.
func (m *Map) put(path string, b *Binary) {
	old := m.Binaries[path]
	m.Binaries[path] = b
	if old == nil || !old.joins(b, m.Funcs) {
		return
	}
	for name, s := range old.Tests {
		if _, ok := b.Tests[name]; !ok {
			b.Tests[name] = s
		}
	}
	b.include(old)
}

// include adds what is common to all tests of another binary in the same state.
func (b *Binary) include(other *Binary) {
	union := func(a, b map[string]string) map[string]string {
		all := make(map[string]string)
		maps.Copy(all, a)
		maps.Copy(all, b)
		return all
	}
	b.Files, b.Vars = union(other.Files, b.Files), union(other.Vars, b.Vars)
	b.Before, b.Tree = joined(b.Before, other.Before), cmp.Or(b.Tree, other.Tree)
}

// joins reports whether what is common to all tests is the same in both.
func (b *Binary) joins(other *Binary, funcs []Func) bool {
	agree := func(a, b map[string]string) bool {
		for k, v := range a {
			if w, ok := b[k]; ok && v != w {
				return false
			}
		}
		return true
	}
	hashes := make(map[string]string)
	for _, i := range b.Before {
		hashes[funcs[i].Key] = funcs[i].Hash
	}
	for _, i := range other.Before {
		if h, ok := hashes[funcs[i].Key]; ok && h != funcs[i].Hash {
			return false
		}
	}
	return maps.Equal(b.World, other.World) && maps.Equal(b.Parts, other.Parts) && agree(b.Files, other.Files) && agree(b.Vars, other.Vars) &&
		(b.Tree == "" || other.Tree == "" || b.Tree == other.Tree)
}
