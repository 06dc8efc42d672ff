package tracefile

import (
	"sort"

	"github.com/waymark-go/waymark/format"
)

// A Site is an instrumented function.
type Site struct {
	Package string // import path
	format.Site
}

// A siteTable holds the sites with the ids from base on.
type siteTable struct {
	base  uint32
	pkg   string
	sites []format.Site
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
func (f *File) Site(id uint32) (Site, bool) { return f.sites.site(id) }

func (s siteTables) site(id uint32) (Site, bool) {
	i := sort.Search(len(s), func(i int) bool { return s[i].end() > id })
	if i == len(s) || id < s[i].base {
		return Site{}, false
	}
	return Site{s[i].pkg, s[i].sites[id-s[i].base]}, true
}

// Sites calls yield for each site in the order of ids, until it returns false.
// From Go 1.23 on it can stand in a range clause.
func (f *File) Sites(yield func(id uint32, s Site) bool) {
	for i := range f.sites {
		t := &f.sites[i]
		for j := range t.sites {
			if !yield(t.base+uint32(j), Site{t.pkg, t.sites[j]}) {
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
