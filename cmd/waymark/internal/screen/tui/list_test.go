package tui

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// numbered are rows with a number and a name.
type numbered int

func (n numbered) Len() int { return int(n) }

func (n numbered) Row(i int) []Cell {
	return []Cell{{Text: fmt.Sprint(i * 1000)}, {Text: fmt.Sprint(i)}, {Text: fmt.Sprintf("example.com/m/store.(*Shelf).Take%d", i)}}
}

func listOf(n int) *List {
	return &List{Columns: []Column{{Head: "Total", Right: true}, {Head: "Calls", Right: true, Spare: 1}, {Head: "Function"}}, Source: numbered(n), Sorted: 1, Empty: "nothing was called"}
}

// plain returns lines without styles, and without blanks at their ends.
func plain(lines []string) string {
	for i := range lines {
		lines[i] = strings.TrimRight(ansi.Strip(lines[i]), " ")
	}
	return strings.Join(lines, "\n")
}

func TestList(t *testing.T) {
	l := listOf(3)
	l.Press("down")
	want := `
▾Total   Calls  Function
     0       0  example.com/m/store.(*Shelf).Take0
  1000       1  example.com/m/store.(*Shelf).Take1
  2000       2  example.com/m/store.(*Shelf).Take2
`
	if got := plain(l.View(60, 5)); got != want[1:] {
		t.Errorf("got\n%s\nwant\n%s", got, want[1:])
	}
	if lines := l.View(60, 5); !strings.Contains(lines[2], "\x1b[7m") || strings.Contains(lines[1], "\x1b[7m") {
		t.Errorf("%q: want the second row marked", lines)
	}
	// Names lose their beginning, and spare columns go first.
	want = `
▾Total  Function
     0  …/m/store.(*Shelf).Take0
  1000  …/m/store.(*Shelf).Take1
  2000  …/m/store.(*Shelf).Take2
`
	if got := plain(l.View(32, 5)); got != want[1:] {
		t.Errorf("got\n%s\nwant\n%s", got, want[1:])
	}
	if got, want := plain(listOf(0).View(60, 3)), "▾Total   Calls  Function\nnothing was called\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// The chosen row stays visible, whatever keys are pressed in whatever room, and no line is too long.
func TestListAnyRoom(t *testing.T) {
	for _, n := range []int{0, 1, 5, 1000} {
		for columns := 1; columns < 90; columns += 7 {
			for lines := 1; lines < 30; lines += 3 {
				l := listOf(n)
				for _, key := range strings.Fields("down end up pgup pgdown home G k j g pgdown pgdown up") {
					if !l.Press(key) {
						t.Fatalf("%s does nothing", key)
					}
					view := l.View(columns, lines)
					if len(view) != lines {
						t.Fatalf("%d lines, want %d", len(view), lines)
					}
					marked := 0
					for _, line := range view {
						if w := ansi.StringWidth(line); w > columns {
							t.Fatalf("%q has %d columns, want %d at most", line, w, columns)
						}
						if strings.Contains(line, "\x1b[7m") {
							marked++
						}
					}
					if want := min(n, 1); marked != want && lines > 1 {
						t.Fatalf("%d rows, %dx%d, after %s: %d marked rows, want %d", n, columns, lines, key, marked, want)
					}
				}
			}
		}
	}
}

func TestClean(t *testing.T) {
	for text, want := range map[string]string{
		"main.f[go.shape.int]": "main.f[go.shape.int]", "a\x1b[31mb": "a\ufffd[31mb", "a\nb\tc": "a b c", "x\u202ey": "x\ufffdy", "\xff": "\ufffd", "日本": "日本",
	} {
		if got := Clean(text); got != want {
			t.Errorf("Clean(%q) = %q, want %q", text, got, want)
		}
	}
}
