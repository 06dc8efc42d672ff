package viewer

import (
	"fmt"
	"os/exec"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/waymark-go/waymark/cmd/waymark/internal/screen/tui"
	"github.com/waymark-go/waymark/cmd/waymark/internal/show/report"
	"github.com/waymark-go/waymark/cmd/waymark/internal/show/traces"
	"github.com/waymark-go/waymark/internal/text/units"
)

// A Source reads recordings.
type Source struct {
	Name string // of the files

	// Read adds up the calls, with their tree. It says now and then how many events it has read.
	// lacks are what is missing; err is why not all could be read.
	Read func(progress func(read, all uint64)) (r *report.Report, lacks []string, err error)
	// Traces returns the slowest traces, and how many there are.
	Traces func() ([]*traces.Trace, int, error)
	// Trace returns the calls of one.
	Trace func(traces.Key) (*traces.Tree, error)
	// Editor returns the command that opens a line of a file.
	Editor func(file string, line int) (*exec.Cmd, error)
}

// Panes, by their keys.
const (
	functionsPane = iota
	treePane
	callersPane
	calleesPane
	tracesPane
)

// A Model is the viewer.
type Model struct {
	source  Source
	screen  tui.Screen
	columns int
	lines   int
	send    func(tea.Msg)

	report    *report.Report
	progress  string // of reading
	functions functions
	trees     [calleesPane + 1]*calls // by pane; nil: not asked for
	traces    tracesOf

	line   *tui.Line
	search string // in trees
	help   *tui.Pager
}

// New returns a viewer.
func New(s Source) *Model {
	m := &Model{source: s, columns: 80, lines: 24, progress: "opening ..."}
	m.screen = tui.Screen{Title: "waymark tui " + s.Name, Panes: []string{"Functions", "Tree", "Callers", "Callees", "Traces"}}
	m.functions.list.Source = &m.functions
	m.traces.init()
	return m
}

// Send takes the function that sends messages to the model: progress comes that way.
func (m *Model) Send(send func(tea.Msg)) { m.send = send }

// Messages.
type (
	progressed struct{ read, all uint64 }
	read       struct {
		report *report.Report
		lacks  []string
		err    error
	}
	listed struct {
		list []*traces.Trace
		all  int
		err  error
	}
	found struct {
		tree *traces.Tree
		err  error
	}
	edited struct{ err error }
)

// Init implements tea.Model.
func (m *Model) Init() tea.Cmd {
	return func() tea.Msg {
		r, lacks, err := m.source.Read(func(read, all uint64) {
			if m.send != nil {
				m.send(progressed{read, all})
			}
		})
		return readOf(r, lacks, err)
	}
}

func readOf(r *report.Report, lacks []string, err error) tea.Msg { return read{r, lacks, err} }

// Update implements tea.Model.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.columns, m.lines = msg.Width, msg.Height
	case tea.KeyPressMsg:
		return m, m.press(msg)
	case tea.PasteMsg:
		if m.line != nil {
			m.line.Update(msg)
			m.typed()
		}
	case progressed:
		m.progress = fmt.Sprintf("reading, %d %% of %s ...", 100*msg.read/max(msg.all, 1), units.Things(msg.all, "event"))
	case read:
		m.read(msg)
	case listed:
		m.traces.set(msg)
		m.fail(msg.err)
	case found:
		if m.fail(msg.err); msg.tree != nil {
			m.traces.show(msg.tree)
		}
	case edited:
		m.fail(msg.err)
	}
	return m, nil
}

// read takes the report in.
func (m *Model) read(msg read) {
	m.progress = ""
	m.report = msg.report
	if m.report == nil || len(m.report.Recordings) == 0 {
		m.report = nil
		m.progress = "nothing could be read"
		m.fail(msg.err)
		return
	}
	m.functions.set(m.report)
	m.screen.Facts = m.report.Summary()
	if msg.err != nil {
		m.fail(msg.err)
	} else if len(msg.lacks) > 0 {
		m.say(strings.Join(msg.lacks, "; "))
	}
}

func (m *Model) say(text string) { m.screen.Message, m.screen.Alarm = text, false }

func (m *Model) fail(err error) {
	if err != nil {
		m.screen.Message, m.screen.Alarm = strings.ReplaceAll(err.Error(), "\n", "; "), true
	}
}

// View implements tea.Model.
func (m *Model) View() tea.View { return tui.Screenful(m.Text()) }

// Text returns what the terminal shows.
func (m *Model) Text() string {
	s := m.screen
	s.Keys, s.Ask = m.keys(), m.line
	if s.Message == "" && m.screen.Pane == functionsPane && m.functions.filter != "" {
		s.Message = fmt.Sprintf("%d of %s have %q in their names: esc shows all", m.functions.Len(), units.Things(uint64(len(m.functions.all)), "function"), m.functions.filter)
	}
	return s.View(m.columns, m.lines, m.body())
}

func (m *Model) body() func(columns, lines int) []string {
	switch pane := m.screen.Pane; {
	case m.help != nil:
		return m.help.View
	case m.report == nil:
		return func(columns, lines int) []string { return []string{tui.Head(m.progress, columns)} }
	case pane == functionsPane:
		return m.functions.list.View
	case pane == tracesPane:
		return m.traces.view()
	case m.trees[pane] != nil:
		return m.trees[pane].View
	}
	return func(columns, lines int) []string {
		return tui.Wrap("Choose a function in another pane: c shows its callers here, d its callees.", columns)
	}
}
