package dashboard

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/waymark-go/waymark/cmd/waymark/internal/screen/tui"
	"github.com/waymark-go/waymark/internal/program/control"
)

// A recording that the dashboard has begun.
type recording struct {
	followed
	file string
}

// recordForm asks what to record.
func (m *Model) recordForm() {
	file := fmt.Sprintf("%s-%s.wmt", m.options.Name, time.Now().Format("150405"))
	m.form = tui.NewForm("Record calls to a file",
		tui.Field{Label: "File", Text: strings.NewReplacer("/", "-", ":", "-").Replace(file), Hint: "app.wmt"},
		tui.Field{Label: "Functions", Text: strings.Join(m.groups.targets, ", "), Hint: "all"})
	m.submit = func() tea.Cmd {
		file := m.form.Value(0)
		if file == "" {
			m.form.Error = "want the name of a file"
			return nil
		}
		path, err := m.options.Path(file)
		if err != nil {
			m.form.Error = err.Error()
			return nil
		}
		var targets []string
		for _, target := range strings.Split(m.form.Value(1), ",") {
			if target = strings.TrimSpace(target); target != "" {
				targets = append(targets, target)
			}
		}
		return m.follow(record, file, control.Request{Do: control.DoRecord, Targets: targets, Path: path})
	}
}

// recorded takes in that the recording has ended.
func (m *Model) recorded(n news) tea.Cmd {
	if n.err != nil {
		m.fail(fmt.Errorf("recording %s: %w", m.recording.file, n.err))
	} else {
		m.say("recorded: waymark report " + m.recording.file)
	}
	if m.leaving {
		return tea.Quit
	}
	return nil
}

// leave ends the dashboard, and the recording before.
func (m *Model) leave() tea.Cmd {
	if m.recording.feed == nil || m.leaving {
		return tea.Quit
	}
	m.leaving = true
	m.say("ending the recording ...")
	return stop(record, m.recording.feed)
}
