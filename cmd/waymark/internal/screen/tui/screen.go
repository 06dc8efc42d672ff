package tui

import "strings"

// A Screen is what stands around a part: the title, the names of the panes, a message and the keys.
type Screen struct {
	Title string
	Facts string // behind the title
	Panes []string
	Pane  int // of Panes
	Keys  string

	Message string // the latest thing to say
	Alarm   bool   // it is a mistake
	Ask     *Line  // in place of the message
}

// Smallest terminal in which there is something to see.
const leastColumns, leastLines = 16, 4

// View returns the screen with what body returns for the room that is left. In low terminals the
// title, the panes and the keys are left out.
func (s *Screen) View(columns, lines int, body func(columns, lines int) []string) string {
	if columns < leastColumns || lines < leastLines {
		return strings.Join(fit([]string{head("too small", columns)}, lines), "\n")
	}
	var top, bottom []string
	if lines >= 8 {
		top = append(top, s.title(columns), s.panes(columns), "")
	}
	if s.Ask != nil {
		bottom = append(bottom, head(s.Ask.View(columns), columns))
	} else if s.Message != "" {
		style := Plain
		if s.Alarm {
			style = Red
		}
		bottom = append(bottom, Paint(head(Clean(s.Message), columns), style))
	} else if lines >= 8 {
		bottom = append(bottom, "")
	}
	if lines >= 6 {
		bottom = append(bottom, Paint(head(s.Keys, columns), Dim))
	}
	room := lines - len(top) - len(bottom)
	out := append(top, fit(body(columns, room), room)...)
	return strings.Join(append(out, bottom...), "\n")
}

func (s *Screen) title(columns int) string {
	title := head(Clean(s.Title), columns)
	return styles[Accent].Bold(true).Render(title) + Paint(head("  "+Clean(s.Facts), columns-width(title)), Dim)
}

func (s *Screen) panes(columns int) string {
	var list []string
	for i, name := range s.Panes {
		text := string(rune('1'+i)) + " " + name
		if i == s.Pane {
			text = reverse.Render(" " + text + " ")
		} else {
			text = " " + text + " "
		}
		list = append(list, text)
	}
	return head(strings.Join(list, ""), columns)
}
