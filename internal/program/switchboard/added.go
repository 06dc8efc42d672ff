package switchboard

import (
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// Markers are info functions that a program adds while it runs: nobody has written them.
type Markers struct {
	Path  string        // of the package that they are added to
	Sites []format.Site // one for each

	// Changed is told which of them are recorded, whenever that changes, with the board's lock. It must
	// not call the board.
	Changed func(i int, recorded bool)
}

// AddMarkers adds info functions: register makes the package known that is returned, as a package that
// registers by itself is, see Switches. The functions are recorded as those of their package are.
func (b *Board) AddMarkers(m Markers, register func(*rt.Package)) *rt.Package {
	var f format.Facility
	p := &rt.Package{}
	func() {
		b.list()
		defer b.lock().unlock()
		for _, t := range b.tables {
			b.load(t) // so that ids of the same package are known
			p.Settings = t.pkg.Settings
		}
		if u, ok := b.units.Load(m.Path); ok {
			if known := u.(*unit).byID.Load(); known != nil {
				f.First = len(*known)
			}
		}
	}()
	for i, s := range m.Sites {
		f.Functions = append(f.Functions, format.TracedFunction{Name: s.Name, Site: i, Info: format.InfoNone})
		p.Sites = append(p.Sites, 0)
	}
	p.Table = string(format.AppendFacility(format.AppendTable(nil, m.Path, m.Sites), m.Sites, f))
	register(p)
	defer b.lock().unlock()
	t := b.table(p)
	b.load(t)
	b.apply(t)
	t.changed = m.Changed
	for i, want := range t.words {
		if want&rt.Recorded != 0 {
			m.Changed(i, true)
		}
	}
	return p
}

// tell tells whoever has added info functions that the word of one has changed.
func (t *Table) tell(i int, before, want uint32) {
	if t.changed != nil && (before^want)&rt.Recorded != 0 {
		t.changed(i, want&rt.Recorded != 0)
	}
}
