package recorded

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/screen/ui"
	"github.com/waymark-go/waymark/internal/calls"
)

// treePage is how many rows an answer has at most.
const treePage = 500

// A treeRow is a node of a view.
type treeRow struct {
	ID       uint32 `json:"id"`
	Name     string `json:"name"`
	Full     string `json:"full"`
	Children int    `json:"children"`
	rowNumbers
	Before *rowNumbers `json:"before,omitempty"`
}

// rowNumbers are those of a node.
type rowNumbers struct {
	*calls.Numbers
	*calls.JSONOffs
}

func numbersOf(s *calls.Numbers, waits bool) rowNumbers {
	n := rowNumbers{s, nil}
	if waits {
		n.JSONOffs = s.Offs().JSON(s.Total, s.Self)
	}
	return n
}

// treeSorts are the columns of the tree.
var treeSorts = map[string]func(s *calls.Numbers) int64{
	"total": func(s *calls.Numbers) int64 { return s.Total }, "self": func(s *calls.Numbers) int64 { return s.Self }, "calls": func(s *calls.Numbers) int64 { return int64(s.Calls) },
	"panics": func(s *calls.Numbers) int64 { return int64(s.Panics) }, "errors": func(s *calls.Numbers) int64 { return int64(s.Errors) },
	"running":  func(s *calls.Numbers) int64 { return s.Offs().Total.Running(s.Total) },
	"runnable": func(s *calls.Numbers) int64 { return s.Offs().Total.Runnable },
	"waiting":  func(s *calls.Numbers) int64 { return s.Offs().Total.Waited() },
}

func init() {
	for _, c := range calls.Columns {
		treeSorts[c.Key] = func(s *calls.Numbers) int64 { return int64(c.Of(s)) }
	}
}

// order returns the nodes of a view in the order that a request asks for.
func (v *View) ordered(req *http.Request) (*calls.Children, error) {
	name := cmp.Or(req.URL.Query().Get("sort"), "total")
	key, ok := treeSorts[name]
	if !ok {
		return nil, ui.BadRequest("sort=%s: there is no such column", name)
	}
	return v.sorted("tree "+name, func(n uint32) int64 { return key(&v.Nodes[n].Sum) }), nil
}

func (v *View) row(p *profiles, n uint32, order *calls.Children) treeRow {
	node := &v.Nodes[n]
	row := treeRow{ID: n, Name: p.now.short[node.Row], Full: p.now.Functions[node.Row].Name, Children: len(order.Of(n)), rowNumbers: numbersOf(&node.Sum, p.now.Waits)}
	if v.Before != nil {
		before := numbersOf(v.sum(n, 1), p.before.Waits)
		row.Before = &before
	}
	return row
}

// tree answers with the rows below a node.
func (r *Recordings) tree(req *http.Request) (any, error) {
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
	order, err := v.ordered(req)
	if err != nil {
		return nil, err
	}
	offset := 0
	if text := req.URL.Query().Get("offset"); text != "" {
		if offset, err = strconv.Atoi(text); err != nil || offset < 0 {
			return nil, ui.BadRequest("offset=%s: want 0 or more", text)
		}
	}
	list := order.Of(root)
	list = list[min(offset, len(list)):]
	rows := []treeRow{}
	for _, n := range list[:min(len(list), treePage)] {
		rows = append(rows, v.row(p, n, order))
	}
	total := int64(0)
	for _, n := range order.Of(0) {
		total += v.Nodes[n].Sum.Total
	}
	return struct {
		Rows  []treeRow `json:"rows"`
		More  int       `json:"more"`
		Total int64     `json:"total_ns"` // of all root calls
	}{rows, len(list) - len(rows), total}, nil
}

// found is how many nodes a search answers with.
const found = 200

// search answers with the nodes whose functions' names have a part, and with what leads to them.
func (r *Recordings) search(req *http.Request) (any, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	v, p, err := r.view(req)
	if err != nil {
		return nil, err
	}
	order, err := v.ordered(req)
	if err != nil {
		return nil, err
	}
	want := strings.ToLower(req.URL.Query().Get("q"))
	matches := make([]bool, len(p.now.Functions))
	for i := range matches {
		matches[i] = want != "" && strings.Contains(strings.ToLower(p.now.Functions[i].Name), want)
	}
	var list []uint32
	for i := 1; i < len(v.Nodes); i++ {
		if matches[v.Nodes[i].Row] {
			list = append(list, uint32(i))
		}
	}
	n := len(list)
	slices.SortStableFunc(list, func(a, b uint32) int { return cmp.Compare(v.Nodes[b].Sum.Total, v.Nodes[a].Sum.Total) })
	type hit struct {
		treeRow
		Path []flameName `json:"path"` // the outermost first; of deep ones the innermost callers
	}
	hits := []hit{}
	for _, i := range list[:min(n, found)] {
		h := hit{treeRow: v.row(p, i, order), Path: []flameName{}}
		for up := v.Nodes[i].Parent; up != 0 && len(h.Path) < maxUp; up = v.Nodes[up].Parent {
			h.Path = append(h.Path, flameName{up, p.now.short[v.Nodes[up].Row]})
		}
		slices.Reverse(h.Path)
		hits = append(hits, h)
	}
	return struct {
		Hits []hit `json:"hits"`
		All  int   `json:"all"`
	}{hits, n}, nil
}

// function answers with a function's callers and callees.
func (r *Recordings) function(req *http.Request) (any, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p, err := r.profile.Get()
	if err != nil {
		return nil, err
	}
	name := req.URL.Query().Get("name")
	around := func(d direction) ([]treeRow, error) {
		v, err := view(p.now, p.before, d, name)
		if err != nil {
			return nil, err
		}
		order := v.sorted("tree total", func(n uint32) int64 { return v.Nodes[n].Sum.Total })
		rows := []treeRow{}
		for _, top := range order.Of(0) {
			for _, n := range order.Of(top) {
				if v.Nodes[n].Sum.Calls > 0 { // others were there before only
					rows = append(rows, v.row(p, n, order))
				}
			}
		}
		return rows[:min(len(rows), treePage)], nil
	}
	up, err := around(callers)
	if err != nil {
		return nil, err
	}
	down, err := around(callees)
	return struct {
		Callers []treeRow `json:"callers"`
		Callees []treeRow `json:"callees"`
	}{up, down}, err
}
