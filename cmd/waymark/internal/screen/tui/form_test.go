package tui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

func TestForm(t *testing.T) {
	f := NewForm("Watch", Field{Label: "Function", Hint: "store.Put"}, Field{Label: "Values", Switch: true, Hint: "arguments and results"})
	press := func(want Answer, keys ...tea.KeyPressMsg) {
		t.Helper()
		for i, key := range keys {
			if got := f.Update(key); i == len(keys)-1 && got != want {
				t.Errorf("%v: %v, want %v", key, got, want)
			}
		}
	}
	press(Going, Key("m"), Key("."), Key("F"), Key("x"), Key("backspace"), Key("tab"), Key("space"))
	if got := f.Value(0); got != "m.F" || !f.Fields[1].On {
		t.Errorf("function %q, values %v, want m.F and true", got, f.Fields[1].On)
	}
	f.Error = "m.F names no function"
	text := plain(f.View(60, 8))
	for _, want := range []string{"  Function  m.F", "› Values    [x] arguments and results", "m.F names no function"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	press(Done, Key("enter"))
	press(Left, Key("esc"))
}

func TestScreen(t *testing.T) {
	s := Screen{Title: "shop", Facts: "process 7", Panes: []string{"Functions", "Groups"}, Pane: 1, Keys: "q quits", Message: "a\x1bb"}
	body := func(columns, lines int) []string { return []string{"body"} }
	want := "shop  process 7\n 1 Functions  2 Groups\n\nbody\n\n\na\ufffdb\nq quits"
	if got := plain(strings.Split(s.View(40, 8, body), "\n")); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got, want := plain(strings.Split(s.View(40, 4, body), "\n")), "body\n\n\na\ufffdb"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got, want := plain(strings.Split(s.View(10, 2, body), "\n")), "too small\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPager(t *testing.T) {
	p := Pager{Text: "one two three\nfour"}
	if got, want := plain(p.View(7, 2)), "one two\nthree"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	p.Press("end")
	if got, want := plain(p.View(7, 2)), "three\nfour"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
