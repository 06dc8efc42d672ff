package viewer

import (
	tea "charm.land/bubbletea/v2"

	"github.com/waymark-go/waymark/cmd/waymark/internal/screen/tui"
	"github.com/waymark-go/waymark/cmd/waymark/internal/show/report"
)

const helpText = `waymark tui shows recordings: what waymark report, tree and traces print.

1 2 3 4 5  tab  the panes: functions, the call tree, callers, callees, traces
up down  k j    choose; pgup, pgdown, home and end, too
right  enter    open what a function calls, or a trace
left            close
*               open the path that took most
c  d            the callers, or the callees, of the chosen function
e               open the chosen function in the editor that VISUAL or EDITOR names

T S C           sort functions by total time, self time or calls
R B W           by the time in which their goroutines ran, were runnable, or waited
A M P E O Y     by average, maximum, panics, errors, objects or bytes
< >             by the column before or behind
/               functions: show those whose names have a text; trees: find one
n               find the next one
esc             show all functions again; leave a trace
?  q            this help; leave

Total is the time from the begin of a call to its end, self is the part of it that was not spent in
other traced functions. A ~ marks times that are not of all calls. In the pane of callers the
function is at the top, and who calls it is below.`

func (m *Model) keys() string {
	switch {
	case m.help != nil:
		return "esc back"
	case m.line != nil:
		return "enter finds   esc leaves"
	case m.report == nil:
		return "q quit"
	case m.screen.Pane == functionsPane:
		return "TSCAMPE<> sort  / filter  c callers  d callees  e edit  ? help  q quit"
	case m.screen.Pane == tracesPane && m.traces.tree == nil:
		return "enter calls  ? help  q quit"
	case m.screen.Pane == tracesPane:
		return "right open  left close  * path  esc back  ? help  q quit"
	}
	return "right open  left close  * path  / find  n next  c callers  d callees  e edit  ?"
}

// press does what a key is for.
func (m *Model) press(msg tea.KeyPressMsg) tea.Cmd {
	key := msg.String()
	switch {
	case m.help != nil:
		if key == "esc" || key == "q" || key == "?" || key == "enter" || key == "ctrl+c" {
			m.help = nil
		} else {
			m.help.Press(key)
		}
		return nil
	case m.line != nil:
		m.ask(msg)
		return nil
	case key == "q", key == "ctrl+c":
		return tea.Quit
	case key == "?":
		m.help = &tui.Pager{Text: helpText}
		return nil
	case m.report == nil:
		return nil
	}
	m.screen.Message = ""
	switch key {
	case "tab":
		return m.pane((m.screen.Pane + 1) % len(m.screen.Panes))
	case "shift+tab":
		return m.pane((m.screen.Pane + len(m.screen.Panes) - 1) % len(m.screen.Panes))
	case "1", "2", "3", "4", "5":
		return m.pane(int(key[0] - '1'))
	case "/":
		text := m.search
		if m.screen.Pane == functionsPane {
			text = m.functions.filter
		}
		if m.screen.Pane != tracesPane {
			m.line = tui.NewLine("/", text)
		}
	case "n":
		m.next()
	case "c":
		m.around(callersPane, m.report.CallersOf)
	case "d":
		m.around(calleesPane, m.report.CalleesOf)
	case "e":
		return m.edit()
	default:
		return m.pressPane(key)
	}
	return nil
}

// pane shows a pane.
func (m *Model) pane(pane int) tea.Cmd {
	m.screen.Pane = pane
	switch {
	case m.report == nil:
	case pane == treePane && m.trees[treePane] == nil:
		m.trees[treePane] = newCalls(m.report, m.report.CallTree())
	case pane == tracesPane:
		return m.askTraces()
	}
	return nil
}

// pressPane does what a key is for in the pane that is shown.
func (m *Model) pressPane(key string) tea.Cmd {
	switch pane := m.screen.Pane; {
	case pane == functionsPane && key == "enter":
		m.around(calleesPane, m.report.CalleesOf)
	case pane == functionsPane:
		m.functions.press(key)
	case pane == tracesPane && m.traces.tree != nil:
		if key == "esc" {
			m.traces.tree, m.traces.one = nil, nil
		} else {
			m.traces.tree.Press(key)
		}
	case pane == tracesPane && (key == "enter" || key == "right" || key == "l"):
		if i := m.traces.list.At(); i >= 0 {
			trace := m.traces.all[i].Key
			m.say("reading trace " + trace.String() + " ...")
			return func() tea.Msg {
				tree, err := m.source.Trace(trace)
				return found{tree, err}
			}
		}
	case pane == tracesPane:
		m.traces.list.Press(key)
	case m.trees[pane] != nil:
		m.trees[pane].Press(key)
	}
	return nil
}

// chosen returns the function that is chosen in the pane, nil if there is none.
func (m *Model) chosen() *report.Row {
	switch pane := m.screen.Pane; {
	case pane == functionsPane:
		return m.functions.chosen()
	case pane < tracesPane && m.trees[pane] != nil:
		return m.trees[pane].chosen()
	}
	return nil
}

// around shows the callers or callees of the chosen function.
func (m *Model) around(pane int, of func(*report.Row) *report.Tree) {
	row := m.chosen()
	if row == nil {
		m.say("choose a function first")
		return
	}
	m.trees[pane] = newCalls(m.report, of(row))
	m.screen.Pane = pane
}

// edit opens the chosen function in the user's editor.
func (m *Model) edit() tea.Cmd {
	row := m.chosen()
	if row == nil {
		m.say("choose a function first")
		return nil
	}
	cmd, err := m.source.Editor(row.File, row.Line)
	if err != nil {
		m.fail(err)
		return nil
	}
	return tea.ExecProcess(cmd, func(err error) tea.Msg { return edited{err} })
}

// ask takes a key for the line at the foot.
func (m *Model) ask(msg tea.KeyPressMsg) {
	switch m.line.Update(msg) {
	case tui.Left:
		m.line = nil
		if m.screen.Pane == functionsPane {
			m.functions.choose("")
		}
	case tui.Done:
		if m.screen.Pane != functionsPane {
			m.search = m.line.Value()
		}
		m.line = nil
		if m.screen.Pane != functionsPane {
			m.next()
		}
	default:
		m.typed()
	}
}

// typed filters while the user types.
func (m *Model) typed() {
	if m.screen.Pane == functionsPane {
		m.functions.choose(m.line.Value())
	}
}

// next finds the next function in a tree.
func (m *Model) next() {
	pane := m.screen.Pane
	if pane == functionsPane || pane == tracesPane || m.trees[pane] == nil || m.search == "" {
		return
	}
	if !m.trees[pane].find(m.search) {
		m.say("no function of the tree has " + m.search + " in its name")
	}
}
