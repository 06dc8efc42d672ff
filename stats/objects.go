package stats

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/waymark-go/waymark/internal/program/objects"
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/text/names"
	texttable "github.com/waymark-go/waymark/internal/text/table"
	"github.com/waymark-go/waymark/internal/text/units"
)

// A Made is how many heap objects of a type the calls of a function made on one path.
type Made struct {
	// Type is the type as the allocator knows it: example.com/app/store.Row, *net/http.Request. An
	// array that a slice has counts for the type of its elements. Memory without a type is Untyped:
	// strings, bytes, what append makes for elements without pointers, channels of such elements.
	// Objects for which the tables of the program had no room are Other.
	Type    string
	Package string // import path of the type's package; "" if the type has no name or none

	Func *Func // whose timed call was the innermost; nil if there was none
	Path int   // index in Paths; -1 if there is none

	Objects uint64
	Bytes   uint64 // that the allocator took for them; of small objects that share 16 bytes the first has all
}

// Untyped is the Type of memory without one.
const Untyped = objects.Untyped

// Types returns the sums of all functions by type, the most numerous first.
func (s *Snapshot) Types() []Made {
	index := make(map[[2]string]int)
	var list []Made
	for i := range s.Objects {
		m := &s.Objects[i]
		key := [2]string{m.Type, m.Package}
		at, ok := index[key]
		if !ok {
			at = len(list)
			index[key] = at
			list = append(list, Made{Type: m.Type, Package: m.Package, Path: -1})
		}
		list[at].Objects += m.Objects
		list[at].Bytes += m.Bytes
	}
	sortMade(list)
	return list
}

func sortMade(list []Made) {
	name := func(m *Made) string {
		if m.Func == nil {
			return ""
		}
		return m.Func.Name
	}
	slices.SortStableFunc(list, func(a, b Made) int {
		for _, c := range []int{
			cmp.Compare(b.Objects, a.Objects), cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Type, b.Type),
			cmp.Compare(name(&a), name(&b)), cmp.Compare(a.Path, b.Path),
		} {
			if c != 0 {
				return c
			}
		}
		return 0
	})
}

// A maker is what the runtime counts objects by: an rt.Object without its counts.
type maker rt.Object

// made are the counts.
type made struct{ objects, bytes uint64 }

// objects returns what all CPUs have counted since the program began.
func (s *state) objects() map[maker]made {
	all := make(map[maker]made)
	s.rt.ObjectCounts(func(o rt.Object) {
		n := made{o.Objects, o.Bytes}
		o.Objects, o.Bytes = 0, 0
		sum := all[maker(o)]
		all[maker(o)] = made{sum.objects + n.objects, sum.bytes + n.bytes}
	})
	return all
}

// madeSince returns what was added to counts after older ones.
func madeSince(now, old map[maker]made) map[maker]made {
	out := make(map[maker]made)
	for k, n := range now {
		if n = (made{n.objects - old[k].objects, n.bytes - old[k].bytes}); n.objects > 0 {
			out[k] = n
		}
	}
	return out
}

// mostNodes is what the runtime adds to a node for its other cell.
const mostNodes = MostPaths + 1

// setObjects sets Objects and those of Functions. at and other are what setPaths returned.
func (s *Snapshot) setObjects(all map[maker]made, at, other []int) {
	s.made = all
	rows := make(map[*Func]int)
	for i := range s.Functions {
		if site := int(s.Functions[i].site); site < len(s.funcs) {
			rows[s.funcs[site]] = i
		}
	}
	described := make(map[maker]Made) // by the type alone
	type key struct {
		typ  maker
		f    *Func
		path int
	}
	same := make(map[key]int) // row of Objects: nodes that others keep are no paths here
	for k, n := range all {
		if k.Own {
			s.OwnObjects = n.objects
			continue
		}
		typ := maker{Type: k.Type, Other: k.Other}
		m, ok := described[typ]
		if !ok {
			m = describe(k)
			described[typ] = m
		}
		m.Path, m.Objects, m.Bytes = -1, n.objects, n.bytes
		if node := int(k.Node % mostNodes); node > 0 && node < len(at) {
			if m.Path = at[node]; k.Node >= mostNodes {
				m.Path = other[node]
			}
		}
		if m.Func = s.maker(k, m.Path); m.Func != nil {
			if row, ok := rows[m.Func]; ok {
				s.Functions[row].Objects += m.Objects
				s.Functions[row].Bytes += m.Bytes
			}
		}
		if row, ok := same[key{typ, m.Func, m.Path}]; ok {
			s.Objects[row].Objects += m.Objects
			s.Objects[row].Bytes += m.Bytes
			continue
		}
		same[key{typ, m.Func, m.Path}] = len(s.Objects)
		s.Objects = append(s.Objects, m)
	}
	sortMade(s.Objects)
}

// maker returns the function that made objects, or nil. Objects of a function that only others gather
// are its caller's, if the path is known.
func (s *Snapshot) maker(k maker, path int) *Func {
	site := int(k.Site) - 1
	if site < 0 || site >= len(s.funcs) || s.funcs[site] == nil || s.of.options.CallsOnly {
		return nil
	}
	if f := s.funcs[site]; s.of.wants(f) {
		return f
	}
	if path >= 0 {
		return s.Paths[path].Func
	}
	return nil
}

// describe returns the name and the package of what is counted.
func describe(k maker) Made {
	name, pkg := objects.Name((*rt.Object)(&k))
	return Made{Type: name, Package: pkg}
}

// writeObjects writes the types of which the most objects were made.
func (t Text) writeObjects(b *bytes.Buffer) {
	list := t.Snapshot.Types()
	title := "All objects constructed:"
	if t.Top > 0 && len(list) > t.Top {
		title = fmt.Sprintf("Top %d objects constructed:", t.Top)
		list = list[:t.Top]
	}
	var short *names.Set
	if !t.FullNames {
		short = names.NewSet()
		for i := range list {
			short.AddType(list[i].Type)
		}
	}
	table := &texttable.Table{Columns: []texttable.Column{
		{Head: "Objects", Right: true}, {Head: "Bytes", Right: true}, {Head: "Type"},
	}}
	for i := range list {
		m := &list[i]
		table.Rows = append(table.Rows, []texttable.Cell{
			texttable.Count(m.Objects), {Text: units.Bytes(int64(m.Bytes))}, {Text: short.ShortType(m.Type)},
		})
	}
	fmt.Fprintf(b, "\n%s\n", title)
	table.Write(b, texttable.Style{})
}

// A jsonMade is a Made. Its function is one of the snapshot's, or one without a row, by name.
type jsonMade struct {
	Type     string `json:"type"`
	Package  string `json:"package,omitempty"`
	Function string `json:"function,omitempty"`
	Path     *int   `json:"path,omitempty"` // index in the list of paths
	Objects  uint64 `json:"objects"`
	Bytes    uint64 `json:"bytes"`
}

func objectsToJSON(list []Made) []jsonMade {
	out := make([]jsonMade, len(list))
	for i := range list {
		m := &list[i]
		out[i] = jsonMade{Type: m.Type, Package: m.Package, Objects: m.Objects, Bytes: m.Bytes}
		if m.Func != nil {
			out[i].Function = m.Func.Name
		}
		if m.Path >= 0 {
			out[i].Path = &m.Path
		}
	}
	return out
}

// addObjects sets Objects as they are in JSON, or returns an error if an index is none.
func (s *Snapshot) addObjects(list []jsonMade) error {
	funcs := make(map[string]*Func)
	for i := range s.Functions {
		funcs[s.Functions[i].Name] = &s.Functions[i].Func
	}
	for i, j := range list {
		m := Made{Type: j.Type, Package: j.Package, Path: -1, Objects: j.Objects, Bytes: j.Bytes}
		if j.Path != nil {
			if m.Path = *j.Path; m.Path < 0 || m.Path >= len(s.Paths) {
				return fmt.Errorf("object %d has path %d: want the index of a path", i, m.Path)
			}
		}
		if j.Function != "" {
			if funcs[j.Function] == nil {
				funcs[j.Function] = &Func{Name: j.Function}
			}
			m.Func = funcs[j.Function]
		}
		s.Objects = append(s.Objects, m)
	}
	return nil
}
