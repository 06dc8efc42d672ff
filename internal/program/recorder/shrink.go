package recorder

import (
	"cmp"
	"slices"
)

// shrink halves the windows of the test that keeps most, and reports whether there was one. Tests share
// the bytes of a region that several keep: those that ran side by side keep more than one that ran
// alone.
func (k *keeping) shrink() bool {
	wanted := make(map[*testRun][]*region)
	for _, g := range k.pending {
		g.wanters = 0
		for _, t := range k.running {
			if t.wants(g) {
				g.wanters++
				wanted[t] = append(wanted[t], g)
			}
		}
	}
	var most *testRun
	var regions []*region
	size := int64(0)
	consider := func(t *testRun, list []*region) {
		sum := int64(0)
		for _, g := range list {
			sum += g.share()
		}
		if sum > size && t.halved < 62 {
			most, regions, size = t, list, sum
		}
	}
	for _, t := range k.failed {
		consider(t, t.regions)
	}
	for t, list := range wanted {
		consider(t, list)
	}
	if most == nil {
		return false
	}
	for most.halved < 62 { // until it is less
		most.halved++
		k.slide(most)
		if most.cut(regions, k.head>>most.halved, k.tail>>most.halved, k.rest>>most.halved) < size {
			break
		}
	}
	if most.end == never {
		return true
	}
	most.regions = slices.DeleteFunc(most.regions, func(g *region) bool {
		if most.wants(g) {
			return false
		}
		if g.holders--; g.holders == 0 {
			k.pending = append(k.pending, g)
		}
		return true
	})
	k.kept = slices.DeleteFunc(k.kept, func(g *region) bool { return g.holders == 0 })
	return true
}

// cut makes the windows smaller, and returns how many bytes the test pays for the regions that they still
// hold.
func (t *testRun) cut(regions []*region, head, tail, rest int64) (left int64) {
	list := slices.Clone(regions)
	slices.SortFunc(list, func(a, b *region) int { return cmp.Compare(a.to, b.to) })
	t.windows, t.left = nil, 0
	forth := func(i int, size int64) {
		for ; i < len(list) && size >= list[i].share(); i++ {
			size -= list[i].share()
			t.windows = append(t.windows, window{list[i].from, list[i].to})
		}
	}
	back := func(i int, size int64) {
		for ; i >= 0 && size >= list[i].share(); i-- {
			size -= list[i].share()
			t.windows = append(t.windows, window{list[i].from, list[i].to})
		}
	}
	forth(0, head)
	if t.erred != never {
		i := slices.IndexFunc(list, func(g *region) bool { return g.to >= t.erred })
		if i < 0 {
			i = len(list)
		}
		back(i-1, tail)
		forth(i, rest)
		tail = rest
	}
	if t.end != never {
		back(len(list)-1, tail)
	}
	t.windows = union(t.windows)
	for _, g := range list {
		if t.wants(g) {
			left += g.share()
		}
	}
	return left
}
