package recorded

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"

	"github.com/waymark-go/waymark/cmd/waymark/internal/screen/ui"
)

// How much of a view is sent: frames that a screen has a place for.
const (
	flameLevels = 250
	flameFrames = 20000
	flameShare  = 4000 // a frame is at least this part of the width
)

// A flameAnswer has frames as columns: callers before callees, those of a caller in order.
type flameAnswer struct {
	Node   uint32      `json:"node"`   // whose frames these are, 0 for all
	Above  []flameName `json:"above"`  // what leads to it, the outermost first
	Total  int64       `json:"total"`  // of the view
	Before int64       `json:"before"` // the same of before
	Count  int         `json:"count"`  // nodes in the view
	Left   int         `json:"left"`   // frames that are too narrow or too deep

	ID     []uint32 `json:"id"`
	Parent []int    `json:"parent"` // index in these columns; -1 of the outermost
	Func   []uint32 `json:"func"`
	Value  []int64  `json:"value"`
	Self   []int64  `json:"self"` // of the value, what is in no callee
	Calls  []uint64 `json:"calls"`
	Old    []int64  `json:"old,omitempty"` // values of before
	More   []bool   `json:"more"`          // callees are left out

	Names map[uint32][2]string `json:"names"` // short and in full
}

type flameName struct {
	ID   uint32 `json:"id"`
	Name string `json:"name"`
}

// node reads the number of a node.
func node(v *View, req *http.Request) (uint32, error) {
	text := req.URL.Query().Get("node")
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(text, 10, 32)
	if err != nil || n >= uint64(max(len(v.Nodes), 1)) {
		return 0, ui.BadRequest("node=%s: there is no such node", text)
	}
	return uint32(n), nil
}

// measureOf returns the measure that a request asks for.
func measureOf(p *Profile, req *http.Request) (*measure, error) {
	list := p.measures()
	name := cmp.Or(req.URL.Query().Get("measure"), "total")
	i := slices.IndexFunc(list, func(m measure) bool { return m.Name == name })
	if i < 0 {
		return nil, ui.BadRequest("measure=%s: the recording does not tell it", name)
	}
	return &list[i], nil
}

// flame answers with the frames below a node.
func (r *Recordings) flame(req *http.Request) (any, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	v, p, err := r.view(req)
	if err != nil {
		return nil, err
	}
	root, err := node(v, req)
	if err != nil {
		return nil, err
	}
	m, err := measureOf(p.now, req)
	if err != nil {
		return nil, err
	}
	values := v.value(m, 0)
	var old []int64
	if v.Before != nil {
		old = v.value(m, 1)
	}
	// With recordings of before, what is gone has a width, too.
	width := func(n uint32) int64 {
		if old == nil {
			return values[n]
		}
		return max(values[n], old[n])
	}
	order := v.sorted("flame "+m.Name, width)
	a := &flameAnswer{Node: root, Above: []flameName{}, Total: values[0], Count: max(len(v.Nodes)-1, 0), Names: make(map[uint32][2]string)}
	if old != nil {
		a.Before = old[0]
	}
	if root != 0 {
		for n := v.Nodes[root].Parent; n != 0; n = v.Nodes[n].Parent {
			a.Above = append(a.Above, flameName{n, p.now.short[v.Nodes[n].Row]})
		}
		slices.Reverse(a.Above)
		if len(a.Above) > 2*flameLevels {
			a.Above = append(a.Above[:flameLevels:flameLevels], a.Above[len(a.Above)-flameLevels:]...)
		}
	}
	least := max(width(root)/flameShare, 1)
	add := func(n uint32, parent int) {
		node := &v.Nodes[n]
		self := values[n]
		for _, c := range order.Of(n) {
			if !v.up {
				self -= values[c]
			}
		}
		if v.up {
			self = m.of(&node.Sum, node.Sum.Self, &node.Sum.Offs().Self)
		}
		a.ID, a.Parent, a.Func = append(a.ID, n), append(a.Parent, parent), append(a.Func, node.Row)
		a.Value, a.Self, a.Calls, a.More = append(a.Value, values[n]), append(a.Self, self), append(a.Calls, node.Sum.Calls), append(a.More, false)
		if old != nil {
			a.Old = append(a.Old, old[n])
		}
		a.Names[node.Row] = [2]string{p.now.short[node.Row], p.now.Functions[node.Row].Name}
	}
	// Level by level, so that a limit cuts what is deep. Then a frame's callees follow each other.
	level := 0
	from, to := 0, 0
	if root != 0 {
		add(root, -1)
		to = 1
	} else {
		for _, n := range order.Of(0) {
			if width(n) < least {
				a.Left++
				continue
			}
			add(n, -1)
		}
		to = len(a.ID)
	}
	for ; from < to; from, to, level = to, len(a.ID), level+1 {
		for i := from; i < to; i++ {
			for _, c := range order.Of(a.ID[i]) {
				if width(c) < least || level >= flameLevels || len(a.ID) >= flameFrames {
					a.Left++
					a.More[i] = true
					continue
				}
				add(c, i)
			}
		}
	}
	return a, nil
}
