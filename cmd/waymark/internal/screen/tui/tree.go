package tui

import (
	"slices"
	"strconv"
)

// Nodes are what a Tree shows. Nodes have ids; 0 stands for what is above the outermost ones.
type Nodes interface {
	Below(id int) []int // its children, in order
	Cells(id int) []Cell
	Leaf(id int) bool // has no children, as far as is known
}

// A Tree shows nodes, level by level as they are opened.
type Tree struct {
	List
	nodes Nodes
	lines []treeLine
	open  map[int]bool
}

type treeLine struct{ id, depth int }

// NewTree returns a tree that shows the outermost nodes.
func NewTree(columns []Column, nodes Nodes) *Tree {
	t := &Tree{nodes: nodes, open: make(map[int]bool)}
	t.List = List{Columns: columns, Source: treeRows{t}, roomy: treeRoomy}
	t.Reload()
	return t
}

// Reload asks for all visible nodes anew. What is open stays so, and the chosen node stays chosen.
func (t *Tree) Reload() {
	chosen, _ := t.Node()
	t.lines = nil
	t.lines = t.below(t.lines, 0, 0)
	if i := t.line(chosen); i >= 0 {
		t.at = i
	}
}

// below appends the lines of what is visible below a node.
func (t *Tree) below(lines []treeLine, id, depth int) []treeLine {
	type level struct {
		rest  []int
		depth int
	}
	stack := []level{{t.nodes.Below(id), depth}}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if len(top.rest) == 0 {
			stack = stack[:len(stack)-1]
			continue
		}
		next := top.rest[0]
		top.rest = top.rest[1:]
		lines = append(lines, treeLine{next, top.depth})
		if t.open[next] {
			stack = append(stack, level{t.nodes.Below(next), top.depth + 1})
		}
	}
	return lines
}

func (t *Tree) line(id int) int {
	return slices.IndexFunc(t.lines, func(l treeLine) bool { return l.id == id })
}

// Node returns the chosen node.
func (t *Tree) Node() (id int, ok bool) {
	if t.Source == nil {
		return 0, false
	}
	i := t.At()
	if i < 0 || i >= len(t.lines) {
		return 0, false
	}
	return t.lines[i].id, true
}

// Open opens a visible node.
func (t *Tree) Open(id int) {
	i := t.line(id)
	if i < 0 || t.open[id] {
		return
	}
	t.open[id] = true
	t.lines = slices.Insert(t.lines, i+1, t.below(nil, id, t.lines[i].depth+1)...)
}

// Opened reports whether a node is open.
func (t *Tree) Opened(id int) bool { return t.open[id] }

// Close closes a visible node.
func (t *Tree) Close(id int) {
	i := t.line(id)
	if i < 0 || !t.open[id] {
		return
	}
	delete(t.open, id)
	end := i + 1
	for end < len(t.lines) && t.lines[end].depth > t.lines[i].depth {
		end++
	}
	t.lines = slices.Delete(t.lines, i+1, end)
}

// Show opens what is above a node, and chooses it. path has the nodes from the outermost one to it.
func (t *Tree) Show(path []int) {
	for _, id := range path[:max(len(path)-1, 0)] {
		t.Open(id)
	}
	if len(path) > 0 {
		if i := t.line(path[len(path)-1]); i >= 0 {
			t.at = i
		}
	}
}

// Press opens and closes nodes and moves the choice, and reports whether the key does so.
func (t *Tree) Press(key string) bool {
	id, ok := t.Node()
	switch key {
	case "right", "l", "enter":
		if !ok {
			return true
		}
		if key == "enter" && t.open[id] {
			t.Close(id)
		} else if t.open[id] && len(t.nodes.Below(id)) > 0 {
			t.Go(t.at + 1)
		} else if !t.nodes.Leaf(id) {
			t.Open(id)
		}
	case "left", "h":
		if !ok {
			return true
		}
		if t.open[id] {
			t.Close(id)
			return true
		}
		for i := t.at; i >= 0; i-- {
			if t.lines[i].depth < t.lines[t.at].depth {
				t.at = i
				break
			}
		}
	case "*": // the path of the first children
		for ok && !t.nodes.Leaf(id) {
			t.Open(id)
			below := t.nodes.Below(id)
			if len(below) == 0 {
				break
			}
			id = below[0]
			if t.Go(t.line(id)); len(t.lines) > mostOpened {
				break
			}
		}
	default:
		return t.List.Press(key)
	}
	return true
}

// mostOpened bounds what one key opens: a recursion may be a million levels deep.
const mostOpened = 1000

// levels is how many levels of a tree blanks show.
const levels = 12

type treeRows struct{ t *Tree }

func (r treeRows) Len() int { return len(r.t.lines) }

func (r treeRows) Row(i int) []Cell {
	line := r.t.lines[i]
	cells := r.t.nodes.Cells(line.id)
	mark := "▸ "
	switch {
	case r.t.nodes.Leaf(line.id):
		mark = "  "
	case r.t.open[line.id]:
		mark = "▾ "
	}
	cells[len(cells)-1].Indent = indent(line.depth) + mark
	return cells
}

func indent(depth int) string {
	blanks := "                        "[:2*min(depth, levels)]
	if depth > levels {
		blanks += "(" + strconv.Itoa(depth) + ") "
	}
	return blanks
}
