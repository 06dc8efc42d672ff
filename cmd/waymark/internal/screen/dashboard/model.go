package dashboard

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/waymark-go/waymark/cmd/waymark/internal/screen/session"
	"github.com/waymark-go/waymark/cmd/waymark/internal/screen/tui"
	"github.com/waymark-go/waymark/internal/program/control"
	"github.com/waymark-go/waymark/internal/text/names"
	"github.com/waymark-go/waymark/internal/text/units"
)

// Options say how a dashboard begins.
type Options struct {
	Name  string        // of the program
	Every time.Duration // between two looks at the numbers
	Sort  string        // one of Sorts

	// Path returns the path that a recording is to be written to, or why it can't be.
	Path func(file string) (string, error)
}

// Panes, by their keys.
const (
	functionsPane = iota
	groupsPane
	watchPane
	tracesPane
)

// A Model is the dashboard.
type Model struct {
	program *session.Session
	options Options
	screen  tui.Screen
	columns int
	lines   int

	status    *control.Status
	short     *names.Set
	functions functions
	groups    *groups
	watch     watch
	traces    traces
	recording recording

	switching bool // the program has been asked to have other functions on, and has not answered
	changed   bool // others are on than at the beginning

	form     *tui.Form
	submit   func() tea.Cmd // what the form is for
	question string         // wants y or n
	yes      func() tea.Cmd
	filter   *tui.Line
	help     *tui.Pager

	lost    string // why the program can't be asked
	leaving bool
}

// New returns a dashboard of a program.
func New(s *session.Session, o Options) *Model {
	m := &Model{program: s, options: o, short: names.NewSet(), columns: 80, lines: 24}
	m.screen = tui.Screen{Title: "waymark attach " + o.Name, Panes: []string{"Functions", "Groups", "Watch", "Traces"}}
	m.functions.init(o.Sort, m.short)
	m.groups = newGroups(m.short)
	m.groups.targets = s.Targets()
	m.watch.init(m.short)
	m.traces.init(m.short)
	return m
}

// Recorded returns the file of the recording that the end of the dashboard has ended, "" if there is
// none.
func (m *Model) Recorded() string {
	if m.leaving {
		return m.recording.file
	}
	return ""
}

// Messages.
type (
	// refreshed has what the program says each period.
	refreshed struct {
		status *control.Status
		sums   []control.Numbers
		ended  string // why the program has ended the counting
		err    error
		at     time.Time
	}
	listed struct { // groups and packages
		list *control.List
		err  error
	}
	opened struct { // the functions of a group or a package
		node int
		list *control.List
		err  error
	}
	switched struct {
		first   bool // it is how things were at the beginning
		targets []string
		on      map[string]bool // the functions; nil if there are too many
		change  *control.Change
		err     error
	}
	look   struct{} // at the program again
	failed struct{ err error }
)

// Init implements tea.Model.
func (m *Model) Init() tea.Cmd {
	return tea.Batch(m.refresh(), m.list(), m.covered())
}

// list asks for the groups and packages.
func (m *Model) list() tea.Cmd {
	return func() tea.Msg {
		list, err := m.program.List()
		return listed{list, err}
	}
}

// refresh asks for the status and the numbers.
func (m *Model) refresh() tea.Cmd {
	return func() tea.Msg {
		r := refreshed{at: time.Now()}
		r.status, r.err = m.program.Status()
		if r.err == nil {
			r.sums, r.ended, r.err = m.program.Sums()
		}
		return r
	}
}

// covered finds out which functions are on.
func (m *Model) covered() tea.Cmd {
	return func() tea.Msg {
		targets := m.program.Targets()
		return switched{first: true, targets: targets, on: m.functionsOf(targets)}
	}
}

func (m *Model) functionsOf(targets []string) map[string]bool {
	on := make(map[string]bool)
	if len(targets) == 0 {
		return on
	}
	list, err := m.program.List(targets...)
	if err != nil || list.Omitted > 0 || len(list.Functions) == 0 {
		return nil
	}
	for _, name := range list.Functions {
		on[name] = true
	}
	return on
}

// switchTo has other targets on. While it does, nothing else is switched: what would be on then is not
// known yet.
func (m *Model) switchTo(targets []string) tea.Cmd {
	if m.switching {
		m.say("switching ..., try again")
		return nil
	}
	m.switching = true
	m.say("switching ...")
	return func() tea.Msg {
		change, err := m.program.Switch(targets)
		if err != nil {
			return switched{err: err}
		}
		return switched{targets: targets, on: m.functionsOf(targets), change: change}
	}
}

// Update implements tea.Model.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.columns, m.lines = msg.Width, msg.Height
	case tea.KeyPressMsg:
		return m, m.press(msg)
	case tea.PasteMsg:
		if m.form != nil {
			m.form.Update(msg)
		} else if m.filter != nil {
			m.filter.Update(msg)
			m.functions.choose(m.filter.Value())
		}
	case look:
		return m, m.refresh()
	case refreshed:
		return m, tea.Batch(m.refreshed(msg), tea.Tick(m.options.Every, func(time.Time) tea.Msg { return look{} }))
	case listed:
		if msg.err != nil {
			m.fail(msg.err)
		} else {
			for _, p := range msg.list.Packages { // names are shortened so that they stay unique
				m.short.Add(p.Name + ".init")
			}
			m.groups.set(msg.list)
			m.groups.on(m.groups.targets)
		}
	case opened:
		if msg.err != nil {
			m.fail(msg.err)
		}
		m.groups.fill(msg.node, msg.list)
	case switched:
		m.switched(msg)
	case begun:
		return m, m.begun(msg)
	case news:
		return m, m.news(msg)
	case failed:
		m.fail(msg.err)
	case tea.QuitMsg:
		return m, tea.Quit
	}
	return m, nil
}

func (m *Model) refreshed(r refreshed) tea.Cmd {
	var cmd tea.Cmd
	switch {
	case r.err != nil && m.lost == "":
		m.lost = r.err.Error()
		m.screen.Message = ""
	case r.err == nil && m.lost != "":
		m.lost = ""
		m.say("the program answers again")
	}
	if r.status != nil {
		if m.status != nil && m.status.Functions != r.status.Functions { // a program that was suspended, or has loaded plugins
			cmd = m.list()
		}
		m.status = r.status
	}
	if r.sums != nil {
		m.functions.tell(r.sums, r.at)
	}
	if r.ended != "" {
		m.groups.on(nil)
		m.functions.on = make(map[string]bool)
		m.alarm("all is switched off: " + r.ended)
	}
	return cmd
}

func (m *Model) switched(s switched) {
	if s.first && m.changed {
		return // it comes late
	}
	if !s.first {
		m.switching = false
	}
	if s.err != nil {
		m.fail(s.err)
		return
	}
	m.changed = m.changed || !s.first
	m.groups.on(s.targets)
	m.functions.on = s.on
	switch {
	case s.first:
	case len(s.targets) == 0:
		m.say("all is switched off")
	default:
		m.say(fmt.Sprintf("%s in %s on, %s", units.Things(uint64(s.change.Functions), "function"),
			units.Things(uint64(s.change.Packages), "package"), strings.TrimSpace(units.Duration(time.Duration(s.change.TookNS)))))
	}
}

func (m *Model) say(text string)   { m.screen.Message, m.screen.Alarm = text, false }
func (m *Model) alarm(text string) { m.screen.Message, m.screen.Alarm = text, true }
func (m *Model) fail(err error) {
	text, _, _ := strings.Cut(err.Error(), "\n")
	m.alarm(text)
}

// View implements tea.Model.
func (m *Model) View() tea.View { return tui.Screenful(m.Text()) }

// Text returns what the terminal shows.
func (m *Model) Text() string {
	s := m.screen
	s.Facts = m.facts()
	s.Keys = m.keys()
	body := m.body()
	switch {
	case m.question != "":
		s.Message, s.Alarm = m.question, true
	case m.filter != nil:
		s.Message, s.Alarm = "", false
		s.Keys = ""
		s.Ask = m.filter
	case s.Message != "":
	case m.screen.Pane == functionsPane && m.functions.filter != "" && m.lost == "":
		s.Message = fmt.Sprintf("%d of %s have %q in their names: esc shows all", m.functions.Len(), units.Things(uint64(len(m.functions.rows)), "function"), m.functions.filter)
	case m.lost != "":
		s.Message, s.Alarm = "this is what was seen last: "+m.lost, true
	}
	return s.View(m.columns, m.lines, body)
}

// body returns what is between the title and the keys.
func (m *Model) body() func(columns, lines int) []string {
	switch {
	case m.help != nil:
		return m.help.View
	case m.form != nil:
		return m.form.View
	}
	switch m.screen.Pane {
	case groupsPane:
		return m.groups.tree.View
	case watchPane:
		return m.watch.view()
	case tracesPane:
		return m.traces.view()
	}
	return m.functions.list.View
}

// facts says what is on.
func (m *Model) facts() string {
	if m.status == nil {
		return ""
	}
	list := []string{fmt.Sprintf("process %d", m.status.PID), "up " + tui.Duration(m.status.UptimeNS), units.Things(uint64(m.status.Functions), "function")}
	if n := len(m.groups.targets); n > 0 {
		list = append(list, units.Things(uint64(n), "target")+" on")
	} else {
		list = append(list, "nothing on")
	}
	if m.status.Suspended {
		list = append(list, fmt.Sprintf("suspended until waymark resume %d", m.status.PID))
	}
	if m.recording.feed != nil {
		list = append(list, "recording")
	}
	if m.lost != "" {
		list = append([]string{"LOST"}, list...)
	}
	return strings.Join(list, " · ")
}
