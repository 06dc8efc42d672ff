package dashboard

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/waymark-go/waymark/cmd/waymark/internal/screen/tui"
)

const helpText = `waymark attach looks into a running program. What it has switched on is switched off when it ends.

1 2 3 4  tab   the panes: functions, groups, watched calls, traces
up down  k j   choose; pgup, pgdown, home and end, too
right  enter   open: a group or a package, a call in full, the tree of a trace
left  esc      close
space          switch the chosen group, package or function on or off
a              switch all functions on, or off again
o              switch everything off
z              count anew from 0

T S C          sort functions by total time, self time or calls
R B W          by the time in which their goroutines ran, were runnable, or waited
A M P N E      by average, maximum, calls per second, panics or errors
< >            by the column before or behind
/              show functions only whose names have a text

w              watch calls of a function; asks before it shows arguments
t              trace calls of a function, with all that they call
s              stop watching or tracing in this pane
r              record to a file, and end that
?  q           this help; leave

Total is the time from the begin of a call to its end, self is the part of it that was not spent in
other functions that are on. (off) marks a function that is not counted any more.`

// keys says which keys there are.
func (m *Model) keys() string {
	switch {
	case m.question != "":
		return "y yes   n no"
	case m.help != nil:
		return "esc back"
	case m.form != nil:
		return ""
	}
	record := "r record"
	if m.recording.feed != nil {
		record = "r end recording"
	}
	switch m.screen.Pane {
	case groupsPane:
		return "space switch  right open  o all off  w watch  t trace  " + record + "  ? help  q quit"
	case watchPane:
		if m.watch.one != nil {
			return "esc back"
		}
		return "w new  s stop  enter in full  " + record + "  ? help  q quit"
	case tracesPane:
		if m.traces.tree != nil {
			return "right open  left close  * path  esc back"
		}
		return "t new  s stop  enter tree  " + record + "  ? help  q quit"
	}
	return "TSCRBW sort  / filter  space switch  w watch  t trace  " + record + "  ? help  q quit"
}

// press does what a key is for.
func (m *Model) press(msg tea.KeyPressMsg) tea.Cmd {
	key := msg.String()
	switch {
	case m.question != "":
		yes := m.yes
		m.question, m.yes = "", nil
		if key == "y" {
			return yes()
		}
		return nil
	case m.help != nil:
		if key == "esc" || key == "q" || key == "?" || key == "enter" || key == "ctrl+c" {
			m.help = nil
		} else {
			m.help.Press(key)
		}
		return nil
	case m.form != nil:
		switch m.form.Update(msg) {
		case tui.Left:
			m.form, m.submit = nil, nil
		case tui.Done:
			return m.submit()
		}
		return nil
	case m.filter != nil:
		return m.filtered(msg)
	}
	if key != "enter" {
		m.screen.Message = ""
	}
	if m.pressPane(key) {
		return m.ask()
	}
	switch key {
	case "q", "ctrl+c":
		return m.leave()
	case "?":
		m.help = &tui.Pager{Text: helpText}
	case "tab":
		m.screen.Pane = (m.screen.Pane + 1) % len(m.screen.Panes)
	case "shift+tab":
		m.screen.Pane = (m.screen.Pane + len(m.screen.Panes) - 1) % len(m.screen.Panes)
	case "1", "2", "3", "4":
		m.screen.Pane = int(key[0] - '1')
	case "/":
		m.screen.Pane = functionsPane
		m.filter = tui.NewLine("/", m.functions.filter)
	case "space":
		return m.toggle()
	case "a":
		targets, by := toggle(m.groups.targets, allFunctions, m.all())
		if by == "" {
			return m.switchTo(targets)
		}
	case "o":
		return m.switchTo(nil)
	case "z":
		return func() tea.Msg {
			if err := m.program.Reset(); err != nil {
				return failed{err}
			}
			return look{}
		}
	case "w":
		m.watchForm(m.short.Short(m.target()))
	case "t":
		m.traceForm(m.short.Short(m.target()))
	case "r":
		if m.recording.feed != nil {
			m.say("ending the recording ...")
			return stop(record, m.recording.feed)
		}
		m.recordForm()
	case "s":
		if f := map[int]*followed{watchPane: &m.watch.followed, tracesPane: &m.traces.followed}[m.screen.Pane]; f != nil && f.feed != nil {
			return stop(map[int]kind{watchPane: calls, tracesPane: trees}[m.screen.Pane], f.feed)
		}
	}
	return nil
}

func (m *Model) all() string {
	for _, t := range m.groups.targets {
		if t == allFunctions {
			return t
		}
	}
	return ""
}

// pressPane does what a key is for in the pane that is shown, and reports whether there is something.
func (m *Model) pressPane(key string) bool {
	switch m.screen.Pane {
	case groupsPane:
		return m.groups.tree.Press(key)
	case watchPane:
		return m.watch.press(key)
	case tracesPane:
		return m.traces.press(key)
	}
	if key == "esc" && m.functions.filter != "" {
		m.functions.choose("")
		return true
	}
	return m.functions.list.Press(key) || m.functions.sortBy(key)
}

// filtered takes a key for the filter.
func (m *Model) filtered(msg tea.KeyPressMsg) tea.Cmd {
	switch m.filter.Update(msg) {
	case tui.Left:
		m.filter = nil
		m.functions.choose("")
	case tui.Done:
		m.filter = nil
	default:
		m.functions.choose(m.filter.Value())
	}
	return nil
}

// ask asks for the functions of the group or package that was opened.
func (m *Model) ask() tea.Cmd {
	id, ok := m.groups.tree.Node()
	if !ok || m.screen.Pane != groupsPane || !m.groups.nodes[id].more || !m.groups.tree.Opened(id) {
		return nil
	}
	target := m.groups.nodes[id].target
	return func() tea.Msg {
		list, err := m.program.List(target)
		return opened{id, list, err}
	}
}

// target returns the target that is chosen in the pane.
func (m *Model) target() string {
	switch m.screen.Pane {
	case functionsPane:
		return m.functions.chosen()
	case groupsPane:
		if id, ok := m.groups.tree.Node(); ok && m.groups.nodes[id].target != allFunctions {
			return m.groups.nodes[id].target
		}
	case watchPane:
		return m.watch.what
	case tracesPane:
		return m.traces.what
	}
	return ""
}

// toggle switches what is chosen.
func (m *Model) toggle() tea.Cmd {
	switch m.screen.Pane {
	case groupsPane:
		targets, by := m.groups.toggled()
		if by != "" {
			m.say("it is on because " + by + " is: switch that off")
			return nil
		}
		return m.switchTo(targets)
	case functionsPane:
		name := m.functions.chosen()
		if name == "" {
			return nil
		}
		because := ""
		if m.functions.on[name] {
			because = strings.Join(m.groups.targets, ", ")
		}
		targets, by := toggle(m.groups.targets, name, because)
		if by != "" {
			m.say("it is on because " + by + " is: 2 lists what is on")
			return nil
		}
		return m.switchTo(targets)
	}
	return nil
}
