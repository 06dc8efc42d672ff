package recorded

import (
	"cmp"

	"github.com/waymark-go/waymark/cmd/waymark/internal/screen/ui"
	"github.com/waymark-go/waymark/internal/calls"
)

// A direction says what a View is of.
type direction int

const (
	whole   direction = iota // all calls, from the root calls on
	callees                  // the calls of a function, and what they make
	callers                  // the calls of a function, and who makes them
)

// A View is a call tree as a page shows it. If there are recordings of before, it has the paths of
// both; Before has their numbers.
type View struct {
	calls.Tree
	Before []calls.Numbers // by node; nil if there are none
	up     bool            // callers
	values [2]map[string][]int64
	order  map[string]*calls.Children
}

// maxUp bounds the callers of a function: the work for them is quadratic in the depth of a recursion.
const maxUp = 100

// view makes a view of the profiles: of the whole trees, or around a function.
func view(now, before *Profile, d direction, function string) (*View, error) {
	v := &View{up: d == callers}
	if d != whole {
		if _, ok := now.number[function]; !ok {
			return nil, ui.BadRequest("no call of a function %s is recorded", function)
		}
	}
	v.Tree = *now.part(d, function)
	if before != nil {
		v.join(before.part(d, function), func(row uint32) uint32 { return now.row(before, int(row)) })
	}
	return v, nil
}

// part returns what is shown of a profile's tree.
func (p *Profile) part(d direction, function string) *calls.Tree {
	is := func(row uint32) bool { return p.Functions[row].Name == function }
	switch d {
	case callees:
		return p.Tree.Callees(is)
	case callers:
		up, _ := p.Tree.Callers(is, maxUp)
		return up
	}
	return &p.Tree
}

// join adds the paths of a tree of before, whose rows are renamed.
func (v *View) join(before *calls.Tree, rename func(row uint32) uint32) {
	v.Tree = *v.Some(func(*calls.Node, uint32) bool { return true }) // which is not the profile's own
	at := make([]uint32, len(before.Nodes))
	for i := 1; i < len(before.Nodes); i++ {
		at[i] = v.Child(at[before.Nodes[i].Parent], rename(before.Nodes[i].Row))
	}
	v.Before = make([]calls.Numbers, len(v.Nodes))
	for i := 1; i < len(before.Nodes); i++ {
		v.Before[at[i]].Add(&before.Nodes[i].Sum)
	}
}

// row returns the number of a function of another profile, and adds it if it isn't there.
func (p *Profile) row(from *Profile, i int) uint32 {
	f := &from.Functions[i]
	if n, ok := p.number[f.Name]; ok {
		return uint32(n)
	}
	n := len(p.Functions)
	p.number[f.Name] = n
	p.Functions = append(p.Functions, *f)
	p.short = append(p.short, from.short[i])
	return uint32(n)
}

// sum returns the numbers of a node: of now, or of before.
func (v *View) sum(node uint32, side int) *calls.Numbers {
	if side == 0 {
		return &v.Nodes[node].Sum
	}
	return &v.Before[node]
}

// A measure is what the width of a frame shows.
type measure struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	Unit  string `json:"unit"` // "ns", "bytes" or ""

	of func(s *calls.Numbers, time int64, off *calls.Off) int64 // time is the self time, or with all callees
}

// measures are those that some calls of the profile have.
func (p *Profile) measures() []measure {
	list := []measure{
		{"total", "Time", "ns", func(_ *calls.Numbers, time int64, _ *calls.Off) int64 { return time }},
		{"calls", "Calls", "", func(s *calls.Numbers, _ int64, _ *calls.Off) int64 { return int64(s.Calls) }},
	}
	if p.Waits {
		list = append(list,
			measure{"running", "Running", "ns", func(_ *calls.Numbers, time int64, off *calls.Off) int64 { return off.Running(time) }},
			measure{"runnable", "Runnable", "ns", func(_ *calls.Numbers, _ int64, off *calls.Off) int64 { return off.Runnable }},
			measure{"waiting", "Waiting", "ns", func(_ *calls.Numbers, _ int64, off *calls.Off) int64 { return off.Waited() }})
		for _, reason := range p.reasons() {
			list = append(list, measure{"waiting-" + reason.String(), "Waiting: " + reason.String(), "ns",
				func(_ *calls.Numbers, _ int64, off *calls.Off) int64 { return off.Waiting[reason] }})
		}
	}
	for _, c := range p.Tree.Columns(p.Makes) {
		list = append(list, measure{c.Key, c.Head, c.Unit, func(s *calls.Numbers, _ int64, _ *calls.Off) int64 { return int64(c.Of(s)) }})
	}
	return list
}

// value returns what each node has of a measure, with all below it.
func (v *View) value(m *measure, side int) []int64 {
	if list, ok := v.values[side][m.Name]; ok {
		return list
	}
	list := make([]int64, max(len(v.Nodes), 1))
	for i := len(v.Nodes) - 1; i > 0; i-- {
		s := v.sum(uint32(i), side)
		if v.up {
			list[i] = m.of(s, s.Total, &s.Offs().Total)
			if v.Nodes[i].Parent == 0 {
				list[0] += list[i]
			}
			continue
		}
		list[i] += m.of(s, s.Self, &s.Offs().Self)
		list[v.Nodes[i].Parent] += list[i]
	}
	if v.values[side] == nil {
		v.values[side] = make(map[string][]int64)
	}
	v.values[side][m.Name] = list
	return list
}

// sorted returns the nodes below each node by a key, the greatest first. name names the key.
func (v *View) sorted(name string, key func(node uint32) int64) *calls.Children {
	c, ok := v.order[name]
	if !ok {
		if v.order == nil {
			v.order = make(map[string]*calls.Children)
		}
		list := v.Sorted(func(a, b uint32) int { return cmp.Compare(key(b), key(a)) })
		c = &list
		v.order[name] = c
	}
	return c
}
