package recorded

import (
	"cmp"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/cmd/waymark/internal/screen/ui"
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
	Tree
	Before []Sum // by node; nil if there are none
	up     bool  // callers
	values [2]map[string][]int64
	order  map[string]*calltree.Children
}

// maxUp bounds the callers of a function: the work for them is quadratic in the depth of a recursion.
const maxUp = 100

// view makes a view of the profiles. names are those of the functions of the tree.
func view(now, before *Profile, d direction, function string) (*View, error) {
	v := &View{up: d == callers}
	if d != whole {
		if _, ok := now.number[function]; !ok {
			return nil, ui.BadRequest("no call of a function %s is recorded", function)
		}
	}
	v.take(now, now, 0, d, function)
	if before != nil {
		v.Before = make([]Sum, len(v.Nodes))
		v.take(before, now, 1, d, function)
	}
	return v, nil
}

// take adds the calls of a profile. Functions are named by their numbers in now, to which it adds those
// that are only in from.
func (v *View) take(from, now *Profile, side int, d direction, function string) {
	rows := make([]uint32, len(from.Functions))
	wanted := make([]bool, len(from.Functions))
	for i := range from.Functions {
		rows[i] = uint32(i)
		if from != now {
			rows[i] = now.row(from, i)
		}
		wanted[i] = from.Functions[i].Name == function
	}
	at := make([]uint32, len(from.Tree.Nodes))   // nodes of the view
	inside := make([]bool, len(from.Tree.Nodes)) // a call of the function is around
	for i := 1; i < len(from.Tree.Nodes); i++ {
		n := &from.Tree.Nodes[i]
		inside[i] = inside[n.Parent] || wanted[n.Row]
		switch {
		case d == whole, d == callees && (inside[n.Parent] || wanted[n.Row]):
			at[i] = v.Child(at[n.Parent], rows[n.Row])
			v.count(at[i], side, &n.Sum)
		case d == callers && wanted[n.Row]:
			sum := n.Sum
			if inside[n.Parent] { // a recursion: its time is that of the outermost call
				sum.Total = 0
				sum.Off = nil
			}
			to := uint32(0)
			for level, up := 0, uint32(i); up != 0 && level < maxUp; level, up = level+1, from.Tree.Nodes[up].Parent {
				to = v.Child(to, rows[from.Tree.Nodes[up].Row])
				v.count(to, side, &sum)
			}
		}
	}
}

func (v *View) count(node uint32, side int, sum *Sum) {
	if side == 0 {
		v.Nodes[node].Sum.add(sum)
		return
	}
	for int(node) >= len(v.Before) {
		v.Before = append(v.Before, Sum{})
	}
	v.Before[node].add(sum)
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
func (v *View) sum(node uint32, side int) *Sum {
	if side == 0 {
		return &v.Nodes[node].Sum
	}
	if int(node) < len(v.Before) {
		return &v.Before[node]
	}
	return new(Sum)
}

// A measure is what the width of a frame shows.
type measure struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	Unit  string `json:"unit"` // "ns", "bytes" or ""

	of func(s *Sum, time int64, off *recording.Off) int64 // time is the self time, or with all callees
}

// measures are those that some calls of the profile have.
func (p *Profile) measures() []measure {
	list := []measure{
		{"total", "Time", "ns", func(_ *Sum, time int64, _ *recording.Off) int64 { return time }},
		{"calls", "Calls", "", func(s *Sum, _ int64, _ *recording.Off) int64 { return int64(s.Calls) }},
	}
	if p.Waits {
		list = append(list,
			measure{"running", "Running", "ns", func(_ *Sum, time int64, off *recording.Off) int64 { return off.Running(time) }},
			measure{"runnable", "Runnable", "ns", func(_ *Sum, _ int64, off *recording.Off) int64 { return off.Runnable }},
			measure{"waiting", "Waiting", "ns", func(_ *Sum, _ int64, off *recording.Off) int64 { return off.Waited() }})
		for _, reason := range p.reasons() {
			list = append(list, measure{"waiting-" + reason.String(), "Waiting: " + reason.String(), "ns",
				func(_ *Sum, _ int64, off *recording.Off) int64 { return off.Waiting[reason] }})
		}
	}
	if p.Makes {
		list = append(list,
			measure{"objects", "Objects", "", func(s *Sum, _ int64, _ *recording.Off) int64 { return int64(s.Objects) }},
			measure{"bytes", "Bytes", "bytes", func(s *Sum, _ int64, _ *recording.Off) int64 { return int64(s.Bytes) }})
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
			list[i] = m.of(s, s.Total, &s.offs().Total)
			if v.Nodes[i].Parent == 0 {
				list[0] += list[i]
			}
			continue
		}
		list[i] += m.of(s, s.Self, &s.offs().Self)
		list[v.Nodes[i].Parent] += list[i]
	}
	if v.values[side] == nil {
		v.values[side] = make(map[string][]int64)
	}
	v.values[side][m.Name] = list
	return list
}

// sorted returns the nodes below each node by a key, the greatest first. name names the key.
func (v *View) sorted(name string, key func(node uint32) int64) *calltree.Children {
	c, ok := v.order[name]
	if !ok {
		if v.order == nil {
			v.order = make(map[string]*calltree.Children)
		}
		list := v.Sorted(func(a, b uint32) int { return cmp.Compare(key(b), key(a)) })
		c = &list
		v.order[name] = c
	}
	return c
}
