package viewer

import (
	"slices"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/screen/tui"
	"github.com/waymark-go/waymark/cmd/waymark/internal/show/report"
)

// calls are a call tree.
type calls struct {
	*tui.Tree
	report *report.Report
	tree   *report.Tree
}

func newCalls(r *report.Report, t *report.Tree) *calls {
	c := &calls{report: r, tree: t}
	head := func(text string, spare int) tui.Column { return tui.Column{Head: text, Right: true, Spare: spare} }
	columns := []tui.Column{head("Total", 0), head("%", 0), head("Self", 2)}
	if r.Waits() {
		columns = append(columns, head("Running", 3), head("Waiting", 3))
	}
	columns = append(columns, head("Calls", 0), head("Panics", 1), head("Errors", 1), tui.Column{Head: "Function"})
	c.Tree = tui.NewTree(columns, c)
	c.Empty = "No call is recorded."
	if below := c.Below(0); len(below) == 1 {
		c.Open(below[0])
	}
	return c
}

// Below implements tui.Nodes.
func (c *calls) Below(id int) []int {
	list := c.tree.Below(uint32(id))
	ids := make([]int, len(list))
	for i, n := range list {
		ids[i] = int(n)
	}
	return ids
}

// Leaf implements tui.Nodes.
func (c *calls) Leaf(id int) bool { return len(c.tree.Below(uint32(id))) == 0 }

// Cells implements tui.Nodes.
func (c *calls) Cells(id int) []tui.Cell {
	n := c.tree.Node(uint32(id))
	cells := []tui.Cell{duration(n.Total), tui.Share(n.Total, c.tree.Total()), duration(n.Self)}
	switch { // as in the trees that the command prints
	case n.Row.Unknown():
		cells[0], cells[2] = none, none
	case n.Row.Demoted:
		cells[0], cells[2] = about(cells[0]), about(cells[2])
	case n.About:
		cells[2] = about(cells[2])
	}
	if c.report.Waits() {
		off := &n.Offs().Total
		cells = append(cells, duration(off.Running(n.Total)), duration(off.Waited()))
	}
	return append(cells, count(n.Calls), some(n.Panics, tui.Red), some(n.Errors, tui.Yellow), tui.Cell{Text: c.report.Short(n.Row.Name)})
}

// chosen returns the function of the chosen node, nil if there is none.
func (c *calls) chosen() *report.Row {
	id, ok := c.Node()
	if !ok {
		return nil
	}
	return c.tree.Node(uint32(id)).Row
}

// find chooses the next node whose function's name has a text, opens what is above it, and reports
// whether there is one. It goes on from the chosen node, in the order of an open tree.
func (c *calls) find(text string) bool {
	text = strings.ToLower(text)
	matches := make(map[*report.Row]bool)
	at, _ := c.Node()
	for range c.tree.Len() {
		at = c.next(at)
		if at == 0 { // from the top again
			continue
		}
		row := c.tree.Node(uint32(at)).Row
		is, known := matches[row]
		if !known {
			is = strings.Contains(strings.ToLower(row.Name), text)
			matches[row] = is
		}
		if is {
			var path []int
			for n := at; n != 0; n = int(c.tree.Parent(uint32(n))) {
				path = append(path, n)
			}
			slices.Reverse(path)
			c.Show(path)
			return true
		}
	}
	return false
}

// next returns the node that follows in the order of an open tree; 0 after the last one.
func (c *calls) next(id int) int {
	if below := c.tree.Below(uint32(id)); len(below) > 0 {
		return int(below[0])
	}
	for id != 0 {
		parent := c.tree.Parent(uint32(id))
		list := c.tree.Below(parent)
		if i := slices.Index(list, uint32(id)) + 1; i < len(list) {
			return int(list[i])
		}
		id = int(parent)
	}
	return 0
}
