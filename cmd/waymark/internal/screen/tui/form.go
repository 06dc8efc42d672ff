package tui

import (
	"strings"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"
)

// A Field is a line of a Form: a text, or a switch.
type Field struct {
	Label, Hint string
	Text        string // what is there first
	Switch, On  bool
}

// A Form asks for texts and switches.
type Form struct {
	Title  string
	Fields []Field
	Error  string // why the answers can't be used

	inputs []textinput.Model // by field
	at     int
}

// What a key does to a form.
type Answer int

const (
	Going Answer = iota // it goes on
	Done                // the user wants what the form says
	Left                // the user wants nothing of it
)

// NewForm returns a form whose first field has the focus.
func NewForm(title string, fields ...Field) *Form {
	f := &Form{Title: title, Fields: fields}
	for _, field := range fields {
		in := textinput.New()
		in.Prompt, in.Placeholder = "", field.Hint
		in.CharLimit = 4000
		in.SetVirtualCursor(true)
		in.SetValue(field.Text)
		in.CursorEnd()
		f.inputs = append(f.inputs, in)
	}
	f.focus(0)
	return f
}

func (f *Form) focus(i int) {
	f.inputs[f.at].Blur()
	f.at = (i + len(f.Fields)) % len(f.Fields)
	f.inputs[f.at].Focus()
}

// Value returns the text of a field.
func (f *Form) Value(i int) string { return strings.TrimSpace(f.inputs[i].Value()) }

// Update takes a message: keys, and text that is pasted.
func (f *Form) Update(msg tea.Msg) Answer {
	if key, ok := msg.(tea.KeyPressMsg); ok {
		switch key.String() {
		case "esc", "ctrl+c":
			return Left
		case "enter":
			return Done
		case "tab", "down":
			f.focus(f.at + 1)
			return Going
		case "shift+tab", "up":
			f.focus(f.at - 1)
			return Going
		case "space", "x":
			if field := &f.Fields[f.at]; field.Switch {
				field.On = !field.On
				return Going
			}
		}
	}
	if !f.Fields[f.at].Switch {
		f.Error = ""
		f.inputs[f.at], _ = f.inputs[f.at].Update(msg)
	}
	return Going
}

// View returns the lines of the form.
func (f *Form) View(columns, lines int) []string {
	label := 0
	for _, field := range f.Fields {
		label = max(label, width(field.Label))
	}
	out := []string{bold.Render(head(f.Title, columns)), ""}
	for i := range f.Fields {
		field := &f.Fields[i]
		name := pad(field.Label, label, false)
		if i == f.at {
			name = Paint("› "+name, Accent)
		} else {
			name = "  " + name
		}
		value := ""
		if field.Switch {
			value = "[ ] "
			if field.On {
				value = "[x] "
			}
			value += Paint(field.Hint, Dim)
		} else {
			f.inputs[i].SetWidth(max(columns-label-6, 4))
			value = f.inputs[i].View()
		}
		out = append(out, head(name+"  "+value, columns))
	}
	out = append(out, "")
	if f.Error != "" {
		for _, line := range Wrap(f.Error, columns) {
			out = append(out, Paint(line, Red))
		}
	}
	out = append(out, Paint(head("enter begins   tab next   space switches   esc leaves", columns), Dim))
	return fit(out, lines)
}
