package dashboard

import (
	"slices"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/waymark-go/waymark/cmd/waymark/internal/screen/tui"
	"github.com/waymark-go/waymark/internal/program/control"
	"github.com/waymark-go/waymark/internal/text/names"
)

// traces are the traces that were gathered.
type traces struct {
	followed
	list  tui.List
	short *names.Set
	all   []control.Trace // the latest first
	tree  *tui.Tree       // of one
	nodes []traceNode
}

// A traceNode is a node of a trace, in a list.
type traceNode struct {
	*control.Node
	below []int
}

func (t *traces) init(short *names.Set) {
	t.short = short
	t.list = tui.List{Source: t, Empty: "No traces are gathered. t traces the calls of a function.", Columns: []tui.Column{
		{Head: "Time"}, {Head: "Duration", Right: true}, {Head: "Calls", Right: true}, {Head: "Panics", Right: true, Spare: 1}, {Head: "Goroutine", Right: true, Spare: 2}, {Head: "Root"}}}
}

func (t *traces) begin() {
	t.all, t.tree = nil, nil
	t.list.Empty = "Waiting for calls of " + t.what + " ..."
}

// mostTraces is how many traces are kept: each may have thousands of nodes.
const mostTraces = 100

// tell takes in traces.
func (t *traces) tell(list []control.Trace) {
	at := t.list.At()
	latest := slices.Clone(list)
	slices.Reverse(latest)
	for i := range latest {
		t.short.Add(latest[i].Root)
	}
	latest = append(latest, t.all...)
	t.all = latest[:min(len(latest), mostTraces)]
	if at > 0 {
		t.list.Go(at + len(list))
	}
}

func (t *traces) Len() int { return len(t.all) }

func (t *traces) Row(i int) []tui.Cell {
	r := &t.all[i]
	return []tui.Cell{{Text: time.Unix(0, r.StartUnix).Format("15:04:05.000"), Style: tui.Dim}, duration(r.DurationNS), count(int64(r.Calls)),
		some(tui.Red)(int64(r.Panics)), {Text: strconv.FormatUint(r.Goroutine, 10), Style: tui.Dim}, {Text: t.short.Short(r.Root)}}
}

// press does what a key is for in this pane.
func (t *traces) press(key string) bool {
	switch {
	case t.tree != nil && key == "esc":
		t.tree = nil
	case t.tree != nil:
		return t.tree.Press(key)
	case key == "enter", key == "right", key == "l":
		if i := t.list.At(); i >= 0 && t.all[i].Call != nil {
			t.openTree(t.all[i].Call)
		}
	default:
		return t.list.Press(key)
	}
	return true
}

// openTree shows the calls of a trace, two levels of them.
func (t *traces) openTree(root *control.Node) {
	t.nodes = []traceNode{{below: []int{1}}, {Node: root}}
	for id := 1; id < len(t.nodes); id++ { // grows
		t.short.Add(t.nodes[id].Name)
		for _, child := range t.nodes[id].Children {
			t.nodes = append(t.nodes, traceNode{Node: child})
			t.nodes[id].below = append(t.nodes[id].below, len(t.nodes)-1)
		}
	}
	t.tree = tui.NewTree([]tui.Column{{Head: "Total", Right: true}, {Head: "%", Right: true}, {Head: "Self", Right: true}, {Head: "Calls", Right: true},
		{Head: "Max", Right: true, Spare: 1}, {Head: "Function"}}, t)
	t.tree.Open(1)
}

// Below implements tui.Nodes.
func (t *traces) Below(id int) []int { return t.nodes[id].below }

// Leaf implements tui.Nodes.
func (t *traces) Leaf(id int) bool { return len(t.nodes[id].below) == 0 }

// Cells implements tui.Nodes.
func (t *traces) Cells(id int) []tui.Cell {
	n := t.nodes[id]
	name := tui.Cell{Text: t.short.Short(n.Name)}
	if n.Go {
		name.Text = "go " + name.Text
	}
	switch {
	case n.Panics > 0:
		name.Text, name.Style = name.Text+", panicked", tui.Red
	case n.Errors > 0:
		name.Text, name.Style = name.Text+", failed", tui.Yellow
	}
	return []tui.Cell{duration(n.TotalNS), tui.Share(n.TotalNS, t.nodes[1].TotalNS), duration(n.SelfNS), count(int64(n.Calls)), duration(n.MaxNS), name}
}

func (t *traces) view() func(columns, lines int) []string {
	body := t.list.View
	if t.tree != nil {
		body = t.tree.View
	}
	return t.followed.above(body, "trace")
}

// traceForm asks which calls to trace.
func (m *Model) traceForm(target string) {
	m.form = tui.NewForm("Trace calls, with all that they call",
		tui.Field{Label: "Function", Text: target, Hint: "httpapi.(*api).search"},
		tui.Field{Label: "At least", Hint: "10ms: leaves out calls that took less"},
		tui.Field{Label: "Panics", Switch: true, Hint: "only calls that panicked"})
	m.submit = func() tea.Cmd {
		target, least := m.form.Value(0), time.Duration(0)
		if target == "" {
			m.form.Error = "want a function, a pattern of functions, or a group as @NAME"
			return nil
		}
		if text := m.form.Value(1); text != "" {
			var err error
			if least, err = time.ParseDuration(text); err != nil || least < 0 {
				m.form.Error = "at least " + strconv.Quote(text) + ": want a duration, as in 10ms"
				return nil
			}
		}
		w := control.Watch{Kind: control.KindTraces, MinNS: int64(least), Panics: m.form.Fields[2].On, Nodes: true, Budget: control.UsualBudget}
		return m.follow(trees, target, control.Request{Do: control.DoWatch, Targets: []string{target}, Watch: &w})
	}
}
