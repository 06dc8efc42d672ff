package tracefile

import (
	"sort"

	"github.com/waymark-go/waymark/internal/format"
)

// A Site is an instrumented function.
type Site struct {
	Package string // import path
	format.Site
	Groups []string // names of those that the function is in, directly or not, sorted
}

// A siteTable holds the sites with the ids from base on.
type siteTable struct {
	base  uint32
	pkg   string
	sites []format.Site
	vars  []string // that hold the sites' groups, see format.Facility.Vars
}

// siteTables are ordered by base and don't overlap. Ids are looked up by
// search: a damaged id then costs nothing, where an array would grow to it.
type siteTables []siteTable

// add adds a table. One that overlaps another is left out: a program gives no
// id twice, so it is the same one again.
func (t *siteTables) add(n siteTable) {
	s := *t
	i := sort.Search(len(s), func(i int) bool { return s[i].base >= n.base })
	if i > 0 && s[i-1].end() > n.base || i < len(s) && n.end() > s[i].base || len(n.sites) == 0 {
		return
	}
	s = append(s, siteTable{})
	copy(s[i+1:], s[i:])
	s[i] = n
	*t = s
}

// end gives the id after the last one.
func (t *siteTable) end() uint32 { return t.base + uint32(len(t.sites)) }

// Site gives the site with the given id, as in format.Event.Site, and tells
// whether the file has it.
func (f *File) Site(id uint32) (Site, bool) {
	t := f.sites.of(id)
	if t == nil {
		return Site{}, false
	}
	return f.site(t, id), true
}

// site gives the site of table t with the given id.
func (f *File) site(t *siteTable, id uint32) Site {
	s := t.site(id)
	if t.vars != nil {
		s.Groups = f.groups.Of(t.vars[id-t.base])
	}
	return s
}

// site gives the site with the given id, which the table has, without its groups.
func (t *siteTable) site(id uint32) Site { return Site{Package: t.pkg, Site: t.sites[id-t.base]} }

// of gives the table that has the site with the given id, nil if none has.
func (s siteTables) of(id uint32) *siteTable {
	i := sort.Search(len(s), func(i int) bool { return s[i].end() > id })
	if i == len(s) || id < s[i].base {
		return nil
	}
	return &s[i]
}

// Sites calls yield for each site in the order of ids, until it returns false.
// From Go 1.23 on it can stand in a range clause.
func (f *File) Sites(yield func(id uint32, s Site) bool) {
	for i := range f.sites {
		t := &f.sites[i]
		for j := range t.sites {
			if id := t.base + uint32(j); !yield(id, f.site(t, id)) {
				return
			}
		}
	}
}

// count gives the number of sites.
func (t siteTables) count() int {
	n := 0
	for i := range t {
		n += len(t[i].sites)
	}
	return n
}
