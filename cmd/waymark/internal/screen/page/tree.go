package page

import (
	"slices"

	"github.com/waymark-go/waymark/cmd/waymark/internal/show/report"
)

// mostNodes is how many paths the page has.
const mostNodes = 20000

// A tree has the nodes of a call tree as columns, callers before callees. Times are in ns.
type tree struct {
	Names    []string `json:"names"`    // of functions, in full
	Parent   []int    `json:"parent"`   // index in these columns; -1 of root calls
	Function []int    `json:"function"` // index in Names
	Calls    []uint64 `json:"calls"`
	Total    []int64  `json:"total"`
	Self     []int64  `json:"self"`
	Panics   []uint64 `json:"panics"`
	Errors   []uint64 `json:"errors"`

	All   int64       `json:"all"`   // ns of all root calls
	Count int         `json:"count"` // nodes there are
	Least int64       `json:"least"` // ns: paths with less are left out
	Left  map[int]int `json:"left"`  // how many below a node; of root calls at -1
}

// treeOf returns a call tree without the paths that took least, if there are too many.
func treeOf(t *report.Tree) tree {
	out := tree{All: t.Total(), Count: max(t.Len()-1, 0), Left: make(map[int]int), Names: []string{}, Parent: []int{}, Function: []int{},
		Calls: []uint64{}, Total: []int64{}, Self: []int64{}, Panics: []uint64{}, Errors: []uint64{}}
	if out.Count > mostNodes {
		totals := make([]int64, 0, out.Count)
		for n := 1; n < t.Len(); n++ {
			totals = append(totals, t.Node(uint32(n)).Total)
		}
		slices.Sort(totals)
		out.Least = totals[len(totals)-mostNodes] + 1
	}
	names := make(map[*report.Row]int)
	// Level by level, which needs no stack for deep trees.
	at := []uint32{} // nodes by index in the columns
	add := func(parent int, below []uint32) {
		for _, n := range below {
			node := t.Node(n)
			if node.Total < out.Least {
				out.Left[parent]++
				continue
			}
			name, ok := names[node.Row]
			if !ok {
				name = len(out.Names)
				names[node.Row] = name
				out.Names = append(out.Names, node.Row.Name)
			}
			at = append(at, n)
			out.Parent, out.Function = append(out.Parent, parent), append(out.Function, name)
			out.Calls, out.Total, out.Self = append(out.Calls, node.Calls), append(out.Total, node.Total), append(out.Self, node.Self)
			out.Panics, out.Errors = append(out.Panics, node.Panics), append(out.Errors, node.Errors)
		}
	}
	add(-1, t.Below(0))
	for i := 0; i < len(at); i++ { // grows
		add(i, t.Below(at[i]))
	}
	return out
}
