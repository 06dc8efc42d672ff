package tui

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// A Style is how a text looks.
type Style int

const (
	Plain Style = iota
	Dim
	Accent
	Red
	Yellow
)

var styles = [...]lipgloss.Style{
	Plain:  lipgloss.NewStyle(),
	Dim:    lipgloss.NewStyle().Faint(true),
	Accent: lipgloss.NewStyle().Foreground(lipgloss.Color("6")),
	Red:    lipgloss.NewStyle().Foreground(lipgloss.Color("1")),
	Yellow: lipgloss.NewStyle().Foreground(lipgloss.Color("3")),
}

var (
	bold    = lipgloss.NewStyle().Bold(true)
	reverse = lipgloss.NewStyle().Reverse(true)
)

// Paint returns text in a style.
func Paint(text string, s Style) string {
	if s == Plain || text == "" {
		return text
	}
	return styles[s].Render(text)
}

// Clean returns text on one line, without characters that would do something to the terminal: names
// of functions may come from damaged files.
func Clean(text string) string {
	if !strings.ContainsFunc(text, harmful) && utf8.ValidString(text) {
		return text
	}
	return strings.Map(func(r rune) rune {
		if r == '\t' || r == '\n' {
			return ' '
		}
		if harmful(r) {
			return utf8.RuneError
		}
		return r
	}, text)
}

func harmful(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)
}

// width returns how many columns a text takes.
func width(text string) int { return ansi.StringWidth(text) }

// head returns the first n columns of a text, with a mark if there is more.
func head(text string, n int) string {
	if n <= 0 {
		return ""
	}
	return ansi.Truncate(text, n, "…")
}

// tail returns the last n columns of a text, with a mark if there is more.
func tail(text string, n int) string {
	w := width(text)
	switch {
	case w <= n:
		return text
	case n <= 0:
		return ""
	}
	return ansi.TruncateLeft(text, w-n+1, "…")
}

// pad returns a text with n columns, its own at the left or at the right.
func pad(text string, n int, right bool) string {
	blanks := strings.Repeat(" ", max(n-width(text), 0))
	if right {
		return blanks + text
	}
	return text + blanks
}

// Wrap returns a text as lines of n columns at most.
func Wrap(text string, n int) []string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		lines = append(lines, strings.Split(ansi.Wrap(Clean(line), max(n, 1), ""), "\n")...)
	}
	return lines
}

// fit returns exactly n lines: those that there are, and empty ones.
func fit(lines []string, n int) []string {
	n = max(n, 0)
	if len(lines) > n {
		return lines[:n]
	}
	for len(lines) < n {
		lines = append(lines, "")
	}
	return lines
}

// Head returns the first n columns of a text, with a mark if there is more.
func Head(text string, n int) string { return head(text, n) }

// Share returns a cell with a percentage.
func Share(part, of int64) Cell {
	if of <= 0 {
		return Cell{Text: "-", Style: Dim}
	}
	return Cell{Text: strconv.FormatFloat(100*float64(part)/float64(of), 'f', 1, 64)}
}
