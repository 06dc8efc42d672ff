package tui

import (
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"
)

// A Line asks for a text at the foot of the screen.
type Line struct{ input textinput.Model }

// NewLine returns a line that begins with what it asks for.
func NewLine(prompt, text string) *Line {
	l := &Line{textinput.New()}
	l.input.Prompt = prompt
	l.input.SetValue(text)
	l.input.CursorEnd()
	l.input.Focus()
	return l
}

// Value returns the text.
func (l *Line) Value() string { return l.input.Value() }

// Update takes a message: keys, and text that is pasted.
func (l *Line) Update(msg tea.Msg) Answer {
	if key, ok := msg.(tea.KeyPressMsg); ok {
		switch key.String() {
		case "esc", "ctrl+c":
			return Left
		case "enter":
			return Done
		}
	}
	l.input, _ = l.input.Update(msg)
	return Going
}

// View returns the line.
func (l *Line) View(columns int) string {
	l.input.SetWidth(max(columns-width(l.input.Prompt)-1, 1))
	return l.input.View()
}
