package viewer

import (
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/waymark-go/waymark/cmd/waymark/internal/screen/tui"
	"github.com/waymark-go/waymark/cmd/waymark/internal/show/traces"
	"github.com/waymark-go/waymark/internal/text/names"
	"github.com/waymark-go/waymark/internal/text/units"
)

// tracesOf are the traces of the recordings.
type tracesOf struct {
	list  tui.List
	asked bool
	all   []*traces.Trace
	more  int // traces that are not listed
	short *names.Set

	one   *traces.Tree
	tree  *tui.Tree // of one
	below [][]int   // nodes by id, which is an index in one.Nodes
}

func (t *tracesOf) init() {
	t.short = names.NewSet()
	t.list = tui.List{Source: t, Empty: "reading traces ...", Columns: []tui.Column{
		{Head: "Start", Right: true}, {Head: "Duration", Right: true}, {Head: "Calls", Right: true}, {Head: "Panics", Right: true, Spare: 1},
		{Head: "Errors", Right: true, Spare: 2}, {Head: "Goroutines", Right: true, Spare: 3}, {Head: "Key", Spare: 4}, {Head: "Root"}}}
}

// ask asks for the traces, once.
func (m *Model) askTraces() tea.Cmd {
	if m.traces.asked || m.report == nil {
		return nil
	}
	m.traces.asked = true
	return func() tea.Msg {
		list, all, err := m.source.Traces()
		return listed{list, all, err}
	}
}

func (t *tracesOf) set(l listed) {
	t.all, t.more = l.list, l.all-len(l.list)
	t.list.Empty = "No trace is recorded."
	for _, trace := range t.all {
		t.short.Add(trace.Root.Name)
	}
}

func (t *tracesOf) Len() int { return len(t.all) }

func (t *tracesOf) Row(i int) []tui.Cell {
	r := t.all[i]
	name := tui.Cell{Text: t.short.Short(r.Root.Name)}
	if r.Open {
		name.Text += " (open)"
	}
	if r.Failed {
		name.Text, name.Style = name.Text+", failed", tui.Yellow
	}
	return []tui.Cell{duration(int64(r.Start)), duration(int64(r.Duration)), count(r.Calls), some(r.Panics, tui.Red), some(r.Errors, tui.Yellow),
		count(1 + r.Goroutines), {Text: r.Key.String(), Style: tui.Dim}, name}
}

// show shows the calls of a trace.
func (t *tracesOf) show(one *traces.Tree) {
	t.one = one
	t.below = make([][]int, max(len(one.Nodes), 1))
	order := one.Order()
	order.Visit(func(i uint32, _ int) bool {
		n := &one.Nodes[i]
		t.short.Add(n.Sum.Name)
		t.below[n.Parent] = append(t.below[n.Parent], int(i))
		return true
	}, nil)
	t.tree = tui.NewTree([]tui.Column{{Head: "Total", Right: true}, {Head: "%", Right: true}, {Head: "Self", Right: true, Spare: 1}, {Head: "Calls", Right: true},
		{Head: "Max", Right: true, Spare: 2}, {Head: "Function"}}, t)
	t.tree.Open(1)
}

// Below implements tui.Nodes.
func (t *tracesOf) Below(id int) []int { return t.below[id] }

// Leaf implements tui.Nodes.
func (t *tracesOf) Leaf(id int) bool { return len(t.below[id]) == 0 }

// Cells implements tui.Nodes.
func (t *tracesOf) Cells(id int) []tui.Cell {
	n := &t.one.Nodes[id].Sum
	name := tui.Cell{Text: t.short.Short(n.Name)}
	if n.Go {
		name.Text = "go " + name.Text
	}
	if n.Panics > 0 {
		name.Text, name.Style = name.Text+", panicked", tui.Red
	} else if n.Errors > 0 {
		name.Text, name.Style = name.Text+", failed", tui.Yellow
	}
	if n.Detached > 0 {
		name.Text += ", detached"
	}
	return []tui.Cell{duration(n.Total), tui.Share(n.Total, int64(t.one.Of.Duration)), duration(n.Self), count(n.Calls), duration(n.Max), name}
}

func (t *tracesOf) view() func(columns, lines int) []string {
	if t.tree == nil {
		return func(columns, lines int) []string {
			out := t.list.View(columns, lines)
			if t.more > 0 && len(t.all) < lines-2 {
				out[len(t.all)+1] = tui.Paint("and "+strconv.Itoa(t.more)+" faster ones", tui.Dim)
			}
			return out
		}
	}
	trace := t.one.Of
	head := trace.Key.String() + "  " + t.short.Short(trace.Root.Name) + ", took " + tui.Duration(int64(trace.Duration)) + ", " + units.Things(trace.Calls, "call")
	return func(columns, lines int) []string {
		return append([]string{tui.Paint(tui.Head(tui.Clean(head), columns), tui.Accent)}, t.tree.View(columns, lines-1)...)
	}
}
