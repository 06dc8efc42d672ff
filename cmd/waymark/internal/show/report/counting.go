package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/tracefile"
)

// A counting has for each site the index of a row, or uncounted. The calls of the site are
// counted in this row while a recording is read.
type counting func(site uint32) (row uint32)

// uncounted stands for the rows of another counting. No row has the number.
const uncounted = 1<<32 - 1

// countings returns those with which a file is to be read, one after the other. A call is counted
// in one row, and so a report by group reads a recording several times if groups contain each
// other.
func (r *Report) countings(p *recording.Process) []counting {
	list := r.allCountings(p.File)
	if show := p.Matcher(r.Filter.Show); show != nil && !r.Tree {
		for i, rowOf := range list {
			if rowOf == nil {
				continue
			}
			list[i] = func(site uint32) uint32 {
				if !show(site) {
					return recording.Hidden
				}
				return rowOf(site)
			}
		}
	}
	return list
}

// allCountings returns countings in which everything is shown.
func (r *Report) allCountings(file *tracefile.File) []counting {
	switch r.By {
	case ByGoroutine:
		return []counting{nil}
	case ByGroup:
		return r.groupCountings(file)
	}
	return []counting{func(id uint32) uint32 {
		s, ok := file.Func(id)
		switch {
		case !ok:
			return r.rowOf(function.Func{Name: fmt.Sprintf("unknown function %d", id)})
		case r.By == ByPackage:
			return r.rowOf(function.Func{Name: s.Package, Package: s.Package})
		}
		return r.rowOf(s.Func)
	}}
}

// noGroup names the row of the functions that are in no group.
const noGroup = "(no group)"

// groupCountings puts groups that have no function in common into one counting, and the functions
// that are in none into the first.
func (r *Report) groupCountings(file *tracefile.File) []counting {
	sites := make(map[string][]uint32)
	file.Funcs(func(id uint32, s tracefile.Func) bool {
		for _, g := range s.Groups {
			sites[g] = append(sites[g], id)
		}
		return true
	})
	var names []string
	for name := range sites {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(sites[a]), len(sites[b])), cmp.Compare(a, b))
	})
	rows := []map[uint32]uint32{{}} // by site, of each counting
	for _, name := range names {
		i := slices.IndexFunc(rows, func(in map[uint32]uint32) bool {
			return !slices.ContainsFunc(sites[name], func(id uint32) bool { _, ok := in[id]; return ok })
		})
		if i < 0 {
			i = len(rows)
			rows = append(rows, make(map[uint32]uint32))
		}
		row := r.rowOf(function.Func{Name: name})
		for _, id := range sites[name] {
			rows[i][id] = row
		}
	}
	var list []counting
	for i, in := range rows {
		list = append(list, func(id uint32) uint32 {
			if row, ok := in[id]; ok {
				return row
			}
			if s, _ := file.Func(id); i == 0 && len(s.Groups) == 0 {
				return r.rowOf(function.Func{Name: noGroup})
			}
			return uncounted
		})
	}
	return list
}
