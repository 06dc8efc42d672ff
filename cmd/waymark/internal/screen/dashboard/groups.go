package dashboard

import (
	"slices"
	"strconv"

	"github.com/waymark-go/waymark/cmd/waymark/internal/screen/tui"
	"github.com/waymark-go/waymark/internal/program/control"
	"github.com/waymark-go/waymark/internal/text/names"
)

// allFunctions is the target of the outermost node.
const allFunctions = "all"

// A node of the groups: all functions, a group, a package or a function.
type node struct {
	target    string // "" for none
	name      string
	functions int // 0 if that isn't known
	parent    int
	children  []int
	more      bool // functions below are still to be asked for
}

// groups are the tree of what can be switched.
type groups struct {
	tree    *tui.Tree
	short   *names.Set
	nodes   []node   // by id
	targets []string // that are on
}

func newGroups(short *names.Set) *groups {
	g := &groups{nodes: make([]node, 1), short: short}
	g.tree = tui.NewTree([]tui.Column{{Head: "On"}, {Head: "Functions", Right: true}, {Head: "Group, package, function"}}, g)
	g.tree.Empty = "The program is asked what it has ..."
	return g
}

// add adds a node and returns its id.
func (g *groups) add(parent int, n node) int {
	n.parent = parent
	g.nodes = append(g.nodes, n)
	id := len(g.nodes) - 1
	g.nodes[parent].children = append(g.nodes[parent].children, id)
	return id
}

// set takes in what there is.
func (g *groups) set(list *control.List) {
	g.nodes = make([]node, 1)
	all := 0
	for _, p := range list.Packages {
		all += p.Functions
	}
	g.add(0, node{target: allFunctions, name: "all functions", functions: all})
	byName := make(map[string]control.Listed)
	contained := make(map[string]bool)
	for _, group := range list.Groups {
		byName[group.Name] = group
		for _, sub := range group.Subgroups {
			contained[sub] = contained[sub] || sub != group.Name
		}
	}
	for _, group := range list.Groups {
		if !contained[group.Name] {
			g.addGroup(0, group, byName)
		}
	}
	for _, p := range list.Packages {
		g.add(0, node{target: p.Name, name: p.Name, functions: p.Functions, more: true})
	}
	if list.Omitted > 0 {
		g.add(0, node{name: "... and " + strconv.Itoa(list.Omitted) + " packages more: / finds their functions when they are on"})
	}
	g.tree.Empty = "The program has no functions that can be switched."
	g.tree.Reload()
}

// addGroup adds a group with its subgroups. A group that contains itself is shown once on a path.
func (g *groups) addGroup(parent int, group control.Listed, byName map[string]control.Listed) {
	for at := parent; at != 0; at = g.nodes[at].parent {
		if g.nodes[at].target == "@"+group.Name {
			return
		}
	}
	id := g.add(parent, node{target: "@" + group.Name, name: "@" + group.Name, functions: group.Functions, more: true})
	if len(g.nodes) > mostNodes {
		return
	}
	for _, sub := range group.Subgroups {
		if below, ok := byName[sub]; ok {
			g.addGroup(id, below, byName)
		}
	}
}

// mostNodes bounds the tree of groups that contain the same groups on many paths.
const mostNodes = 10000

// fill takes in the functions of a node.
func (g *groups) fill(id int, list *control.List) {
	if id >= len(g.nodes) || !g.nodes[id].more {
		return
	}
	g.nodes[id].more = false
	if list == nil {
		return
	}
	for _, name := range list.Functions {
		g.add(id, node{target: name, name: g.short.Short(name)})
	}
	if list.Omitted > 0 {
		g.add(id, node{name: "... and " + strconv.Itoa(list.Omitted) + " functions more"})
	}
	g.tree.Reload()
}

// on says what is on.
func (g *groups) on(targets []string) {
	g.targets = targets
	if len(g.nodes) == 1 { // the program hasn't answered yet
		return
	}
	for _, target := range targets {
		if !slices.ContainsFunc(g.nodes, func(n node) bool { return n.target == target }) {
			g.add(0, node{target: target, name: target})
		}
	}
	g.tree.Reload()
}

// by returns the target because of which a node is on, "" if it is off.
func (g *groups) by(id int) string {
	if slices.Contains(g.targets, allFunctions) {
		return allFunctions
	}
	for ; id != 0; id = g.nodes[id].parent {
		if target := g.nodes[id].target; target != "" && slices.Contains(g.targets, target) {
			return target
		}
	}
	return ""
}

// toggled returns the targets after the chosen node is switched; by is the other target that has it on.
func (g *groups) toggled() (targets []string, by string) {
	id, ok := g.tree.Node()
	if !ok || g.nodes[id].target == "" {
		return g.targets, ""
	}
	return toggle(g.targets, g.nodes[id].target, g.by(id))
}

func toggle(on []string, target, because string) (targets []string, by string) {
	switch {
	case because == target:
		return slices.DeleteFunc(slices.Clone(on), func(t string) bool { return t == target }), ""
	case because != "":
		return on, because
	}
	return append(slices.Clone(on), target), ""
}

// Below implements tui.Nodes.
func (g *groups) Below(id int) []int { return g.nodes[id].children }

// Leaf implements tui.Nodes.
func (g *groups) Leaf(id int) bool { return len(g.nodes[id].children) == 0 && !g.nodes[id].more }

// Cells implements tui.Nodes.
func (g *groups) Cells(id int) []tui.Cell {
	n := &g.nodes[id]
	cells := []tui.Cell{{}, {}, {Text: n.name}}
	if n.functions > 0 {
		cells[1].Text = strconv.Itoa(n.functions)
	}
	switch by := g.by(id); {
	case n.target == "":
		cells[2].Style = tui.Dim
	case by == n.target:
		cells[0] = tui.Cell{Text: "[x]", Style: tui.Accent}
	case by != "":
		cells[0] = tui.Cell{Text: "[·]", Style: tui.Accent}
	default:
		cells[0] = tui.Cell{Text: "[ ]", Style: tui.Dim}
	}
	return cells
}
