package tui

import (
	"errors"
	"fmt"
	"io"
	"os"

	tea "charm.land/bubbletea/v2"
	"golang.org/x/term"
)

// Check returns an error unless in and out are a terminal that can show a screen. instead is what the
// user can do without one.
func Check(in io.Reader, out io.Writer, instead string) error {
	input, ok := in.(*os.File)
	output, also := out.(*os.File)
	switch {
	case !ok || !also || !term.IsTerminal(int(input.Fd())) || !term.IsTerminal(int(output.Fd())):
		return fmt.Errorf("this needs a terminal: without one use %s", instead)
	case os.Getenv("TERM") == "dumb" || os.Getenv("TERM") == "":
		return fmt.Errorf("this needs a terminal that can move its cursor, and TERM is %q: use %s", os.Getenv("TERM"), instead)
	}
	return nil
}

// Run shows a model until it quits, or a signal ends it. begin, unless nil, is told how to send
// messages to the model from elsewhere.
func Run(m tea.Model, in io.Reader, out io.Writer, begin func(send func(tea.Msg))) error {
	p := tea.NewProgram(m, tea.WithInput(in), tea.WithOutput(out), tea.WithFPS(30))
	if begin != nil {
		begin(p.Send)
	}
	_, err := p.Run()
	if errors.Is(err, tea.ErrInterrupted) {
		return nil
	}
	return err
}

// Screenful returns a view of the whole terminal.
func Screenful(text string) tea.View {
	v := tea.NewView(text)
	v.AltScreen = true
	return v
}

// Key returns the press of a key with a name, for tests: a character, or enter, esc, tab, space,
// backspace, up, down, left, right.
func Key(name string) tea.KeyPressMsg {
	codes := map[string]rune{"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "backspace": tea.KeyBackspace,
		"up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight}
	if code, ok := codes[name]; ok {
		return tea.KeyPressMsg{Code: code}
	}
	if name == "space" {
		return tea.KeyPressMsg{Code: tea.KeySpace, Text: " "}
	}
	return tea.KeyPressMsg{Code: []rune(name)[0], Text: name}
}
