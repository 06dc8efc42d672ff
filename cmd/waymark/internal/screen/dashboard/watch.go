package dashboard

import (
	"fmt"
	"path"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/waymark-go/waymark/cmd/waymark/internal/expression"
	"github.com/waymark-go/waymark/cmd/waymark/internal/screen/tui"
	"github.com/waymark-go/waymark/internal/program/control"
	"github.com/waymark-go/waymark/internal/text/names"
	"github.com/waymark-go/waymark/internal/text/units"
)

// mostKept is how many calls or traces are kept for the eye.
const mostKept = 1000

// watch are the calls that are watched.
type watch struct {
	followed
	list  tui.List
	short *names.Set
	calls []control.Call // the latest first
	one   *tui.Pager     // a call in full
	bare  bool           // values are not asked for
}

func (w *watch) init(short *names.Set) {
	w.short = short
	w.list = tui.List{Source: w, Empty: "No calls are watched. w watches the calls of a function.", Columns: []tui.Column{
		{Head: "Time"}, {Head: "Goroutine", Right: true, Spare: 1}, {Head: "Duration", Right: true}, {Head: "Call", Start: true}}}
}

func (w *watch) begin() {
	w.calls, w.one = nil, nil
	w.list.Empty = "Waiting for " + w.noun() + "s of " + w.what + " ..."
}

// noun returns what is watched.
func (w *watch) noun() string {
	if control.IsLine(w.what) {
		return "hit"
	}
	return "call"
}

// tell takes in calls.
func (w *watch) tell(list []control.Call) {
	at := w.list.At()
	for i := range list {
		c := &list[i]
		w.short.Add(c.Function)
		if w.bare { // a program that an older waymark has built tells them all the same
			c.Args, c.Results, c.Labels, c.MoreLabels = "", "", nil, 0
			if c.Panic != "" {
				c.Panic = "a panic"
			}
		}
	}
	latest := make([]control.Call, 0, len(list)+len(w.calls))
	for i := len(list) - 1; i >= 0; i-- {
		latest = append(latest, list[i])
	}
	latest = append(latest, w.calls...)
	w.calls = latest[:min(len(latest), mostKept)]
	if at > 0 { // what is looked at stands still
		w.list.Go(at + len(list))
	}
}

func (w *watch) Len() int { return len(w.calls) }

func (w *watch) Row(i int) []tui.Cell {
	c := &w.calls[i]
	call := tui.Cell{Text: w.text(c)}
	switch {
	case c.End == control.OnPanic, c.Panic != "":
		call.Style = tui.Red
	}
	took := tui.Cell{Text: ">", Style: tui.Dim}
	switch c.End {
	case control.OnEnter:
	case control.OnLine:
		took.Text = fmt.Sprintf("%s:%d", path.Base(c.File), c.Line)
	default:
		took.Text, took.Style = tui.Duration(c.DurationNS), tui.Plain
	}
	return []tui.Cell{{Text: time.Unix(0, c.StartUnix).Format("15:04:05.000"), Style: tui.Dim}, {Text: strconv.FormatUint(c.Goroutine, 10), Style: tui.Dim}, took, call}
}

// text returns a call as Go has it.
func (w *watch) text(c *control.Call) string {
	args := c.Args
	if c.Hidden {
		args = "***"
	}
	if c.End == control.OnLine {
		return w.short.Short(c.Function) + "  " + args
	}
	text := w.short.Short(c.Function) + "(" + args + ")"
	if c.Results != "" {
		text += " = " + c.Results
	}
	switch {
	case c.End == control.OnPanic && c.Panic != "":
		text += " panicked: " + c.Panic
	case c.End == control.OnPanic:
		text += " panicked"
	case c.Panic != "":
		text += ", recovered a panic: " + c.Panic
	}
	return text
}

// press does what a key is for in this pane.
func (w *watch) press(key string) bool {
	if w.one != nil {
		if key == "esc" || key == "enter" || key == "left" || key == "h" {
			w.one = nil
			return true
		}
		return w.one.Press(key)
	}
	if key == "enter" || key == "right" || key == "l" {
		if i := w.list.At(); i >= 0 {
			w.one = &tui.Pager{Text: w.full(&w.calls[i])}
		}
		return true
	}
	return w.list.Press(key)
}

func (w *watch) full(c *control.Call) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\ngoroutine  %d\n", c.Function, c.Goroutine)
	if labels := c.LabelText(); labels != "" {
		fmt.Fprintf(&b, "labels     %s\n", labels)
	}
	if c.End == control.OnLine {
		fmt.Fprintf(&b, "reached    %s\nline       %s:%d\n\n%s\n", time.Unix(0, c.StartUnix).Format("15:04:05.000000"), c.File, c.Line, c.Args)
		return b.String()
	}
	fmt.Fprintf(&b, "began      %s\n", time.Unix(0, c.StartUnix).Format("15:04:05.000000"))
	if c.End != control.OnEnter {
		fmt.Fprintf(&b, "took       %s\n", strings.TrimSpace(units.Duration(time.Duration(c.DurationNS))))
	}
	fmt.Fprintf(&b, "ended      %s\n\n%s\n", c.End, w.text(c))
	return b.String()
}

// view shows the calls, or the one that was opened, below a line about them.
func (w *watch) view() func(columns, lines int) []string {
	body := w.list.View
	if w.one != nil {
		body = w.one.View
	}
	return w.followed.above(body, w.noun())
}

// above shows a line about what is followed above a body.
func (f *followed) above(body func(columns, lines int) []string, noun string) func(columns, lines int) []string {
	return func(columns, lines int) []string {
		if f.what == "" || lines < 5 {
			return body(columns, lines)
		}
		line := f.what + ": " + units.Things(f.hits, noun)
		if f.skipped > 0 {
			line += ", " + units.Count(f.skipped) + " came too fast"
		}
		if f.feed == nil {
			line += ", ended: " + f.why
		}
		return append([]string{tui.Paint(tui.Head(tui.Clean(line), columns), tui.Accent)}, body(columns, lines-1)...)
	}
}

// watchForm asks which calls to watch.
func (m *Model) watchForm(target string) {
	m.form = tui.NewForm("Watch calls",
		tui.Field{Label: "Function", Text: target, Hint: "store.(*Shelf).Put, store.*, @GROUP, store.go:118"},
		tui.Field{Label: "Condition", Hint: "duration > 1ms, args[0] > 10, panic; of a line: n > 10"},
		tui.Field{Label: "Values", Switch: true, Hint: "show arguments, results and panics"})
	m.submit = func() tea.Cmd {
		target, only, values := m.form.Value(0), m.form.Value(1), m.form.Fields[2].On
		line := control.IsLine(target)
		values = values || line // they are all that there is to show
		w := control.Watch{Kind: control.KindCalls, Bare: !values, Budget: control.UsualBudget}
		if target == "" {
			m.form.Error = "want a function, a pattern of functions, a group as @NAME, or a line as store.go:118"
			return nil
		}
		var err error
		if w.If, err = expression.Encode(only, []string{target}); err != nil {
			m.form.Error = "condition: " + strings.TrimPrefix(err.Error(), "--if: ")
			return nil
		}
		begin := func() tea.Cmd {
			m.watch.bare = !values
			return m.follow(calls, target, control.Request{Do: control.DoWatch, Targets: []string{target}, Watch: &w})
		}
		if !values {
			return begin()
		}
		what := "arguments and results of "
		if line {
			what = "variables at "
		}
		m.question, m.yes = "Values may be secrets: show "+what+target+"? y n", begin
		return nil
	}
}
