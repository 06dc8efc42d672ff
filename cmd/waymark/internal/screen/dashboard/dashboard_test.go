package dashboard

import (
	"errors"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/waymark-go/waymark/cmd/waymark/internal/screen/session"
	"github.com/waymark-go/waymark/cmd/waymark/internal/screen/session/sessiontest"
	"github.com/waymark-go/waymark/cmd/waymark/internal/screen/tui"
	calltree "github.com/waymark-go/waymark/internal/calls"
	"github.com/waymark-go/waymark/internal/program/control"
)

// A driver is a terminal with its user, without the terminal.
type driver struct {
	t       *testing.T
	m       *Model
	program *sessiontest.Program
	quit    bool
	results chan tea.Msg
}

func drive(t *testing.T) *driver {
	t.Helper()
	p := sessiontest.New()
	s, err := session.Open(p.Dial)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	m := New(s, Options{Name: "app", Every: time.Hour, Sort: "total", Path: func(file string) (string, error) {
		if file == "full.wmt" {
			return "", errors.New("no space left on device")
		}
		return "/tmp/" + file, nil
	}})
	d := &driver{t: t, m: m, program: p, results: make(chan tea.Msg, 100)}
	d.run(m.Init())
	d.until("process 7")
	return d
}

// run starts a command.
func (d *driver) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	go func() {
		if msg := cmd(); msg != nil {
			d.results <- msg
		}
	}()
}

func (d *driver) take(msg tea.Msg) {
	switch msg := msg.(type) {
	case tea.BatchMsg:
		for _, cmd := range msg {
			d.run(cmd)
		}
	case tea.QuitMsg:
		d.quit = true
	default:
		_, cmd := d.m.Update(msg)
		d.run(cmd)
	}
}

// text returns what the terminal shows.
func (d *driver) text() string { return ansi.Strip(d.m.Text()) }

// until takes messages until the terminal shows a text.
func (d *driver) until(want string) {
	d.t.Helper()
	d.wait(want, func() bool { return strings.Contains(d.text(), want) })
}

func (d *driver) wait(what string, done func() bool) {
	d.t.Helper()
	late := time.After(2 * time.Minute)
	for !done() {
		select {
		case msg := <-d.results:
			d.take(msg)
		case <-late:
			d.t.Fatalf("%q does not come; there is\n%s", what, d.text())
		}
	}
}

// press presses keys: names, or after a ' each character of the rest.
func (d *driver) press(keys ...string) {
	for _, key := range keys {
		if text, ok := strings.CutPrefix(key, "'"); ok {
			for _, r := range text {
				d.take(tui.Key(string(r)))
			}
			continue
		}
		d.take(tui.Key(key))
	}
}

// look has the numbers asked for.
func (d *driver) look() { d.take(look{}) }

// A group is switched on, counts, and is switched off; nothing is on at the end.
func TestGroups(t *testing.T) {
	d := drive(t)
	d.until("Nothing is on.")
	d.press("2")
	d.until("m/store")
	want := `
On   Functions  Group, package, function
[ ]          4    all functions
[ ]          4  ▸ @all
[ ]          2  ▸ m
[ ]          2  ▸ m/store
`
	if got := d.text(); !strings.Contains(trimmed(got), want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	d.press("down", "right", "down", "space")
	d.until("1 target on")
	d.until("[x]          1    ▸ @writes")
	d.press("down", "down", "right")
	d.until("store.Put")
	d.press("1")
	d.look()
	d.until("store.Put")
	d.press("2", "down", "down", "space") // m/store.Put by itself
	d.until("2 targets on")
	d.press("o")
	d.until("all is switched off")
	d.press("1")
	d.look()
	d.until("store.Put (off)")
	d.nothingOn()
}

func trimmed(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

func (d *driver) nothingOn() {
	d.t.Helper()
	for range 500 {
		if _, open := d.program.Begun(); open == 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	list, open := d.program.Begun()
	d.t.Errorf("%d of %v go on, want none", open, list)
}

// Functions are sorted and found by what they are called.
func TestFunctions(t *testing.T) {
	d := drive(t)
	d.press("a")
	d.until("4 functions in 1 package on")
	d.look()
	d.until("store.Put")
	row := func(i int) string { return strings.Fields(strings.Split(d.text(), "\n")[4+i])[6] }
	if got := row(0); got != "store.Put" {
		t.Errorf("first is %s, want store.Put, which has the greatest total:\n%s", got, d.text())
	}
	d.press("C")
	if got := row(0); got != "m.F" {
		t.Errorf("first by calls is %s, want m.F, the first by name:\n%s", got, d.text())
	}
	d.press("/", "'STORE.g", "enter")
	d.until(`1 of 4 functions have "STORE.g" in their names`)
	if text := d.text(); strings.Contains(text, "m.main") {
		t.Errorf("a function that the filter is against is shown:\n%s", text)
	}
	d.press("esc")
	d.until("m.main")
	d.press("space")
	d.until("it is on because all is")
	d.press("z")
	d.wait("counting anew", func() bool { return strings.Contains(d.text(), "1.00ms") && d.m.functions.rows[0].Calls <= 3 })
}

// Values are shown when that was asked for, and confirmed.
func TestWatch(t *testing.T) {
	d := drive(t)
	d.press("w", "'m.F", "tab", "'duration >", "enter")
	d.until("condition: ")
	d.press("backspace", "backspace", "'> 1ms", "tab", "space", "enter")
	d.until("Values may be secrets: show arguments and results of m.F?")
	d.press("n")
	if list, _ := d.program.Begun(); len(list) > 0 {
		t.Errorf("%v was begun, want nothing after n", list)
	}
	d.press("enter", "y")
	d.until("Waiting for calls of m.F")
	d.program.Calls <- []control.Call{{Function: "m.F", End: control.OnReturn, DurationNS: 1234567, Args: `7, "x"`, Results: "nil"}}
	d.until(`1.23ms  m.F(7, "x") = nil`)
	d.press("enter")
	d.until("ended      return")
	d.press("esc", "s")
	d.until("ended: stopped")
	d.press("w", "enter") // the same, without values
	d.until("Waiting for calls of m.F")
	d.program.Calls <- []control.Call{{Function: "m.F", End: control.OnPanic, DurationNS: 1234567, Args: `"secret"`, Panic: `"secret"`}} // as an older program does
	d.until("1.23ms  m.F() panicked: a panic")
	list, _ := d.program.Begun()
	if want := "calls m.F, bare calls m.F"; strings.Join(list, ", ") != want {
		t.Errorf("begun: %v, want %s", list, want)
	}
	d.press("w", "ctrl+c", "esc")
	d.press("w", "backspace", "backspace", "backspace", "'none", "enter")
	d.until("none names no function that was instrumented")
}

// A line's condition is of variables, and they are shown after the question only.
func TestWatchLine(t *testing.T) {
	d := drive(t)
	d.press("w", "'store.go:7", "tab", "'n >", "enter")
	d.until("condition: ")
	d.press("' 1", "enter")
	d.until("Values may be secrets: show variables at store.go:7?")
	d.press("y")
	d.until("Waiting for hits of store.go:7")
	d.program.Calls <- []control.Call{{Function: "m/store.Get", End: control.OnLine, File: "/src/m/store/store.go", Line: 7, Args: `n=2, key="a"`}}
	d.until(`store.go:7  store.Get  n=2, key="a"`)
	d.until("store.go:7: 1 hit")
	d.press("enter")
	d.until("line       /src/m/store/store.go:7")
	if list, _ := d.program.Begun(); strings.Join(list, ", ") != "calls store.go:7" {
		t.Errorf("begun: %v, want calls with values", list)
	}
}

func TestTraces(t *testing.T) {
	d := drive(t)
	d.press("t", "'m.F", "tab", "'soon", "enter")
	d.until(`at least "soon": want a duration, as in 10ms`)
	d.press("backspace", "backspace", "backspace", "backspace", "'1ms", "enter")
	d.until("Waiting for calls of m.F")
	d.program.Traces <- []control.Trace{{Root: "m.F", DurationNS: 2e6, Calls: 3, Call: &control.Node{JSONTraced: calltree.JSONTraced{Name: "m.F", Calls: 1, TotalNS: 2e6, SelfNS: 1e6},
		Children: []*control.Node{{JSONTraced: calltree.JSONTraced{Name: "m/store.Put", Calls: 2, TotalNS: 1e6, SelfNS: 1e6, Panics: 1, Go: true}}}}}}
	d.until("1 trace")
	d.press("enter")
	d.until("1.00ms   50.0  1.00ms      2  0ns      go store.Put, panicked")
	d.press("esc")
	d.until("3 ")
}

func TestRecord(t *testing.T) {
	d := drive(t)
	erase := strings.Fields(strings.Repeat("backspace ", 30))
	d.press("r")
	d.press(erase...)
	d.press("'full.wmt", "enter")
	d.until("no space left on device")
	d.press(erase...)
	d.press("'a.wmt", "tab", "'m, m/store", "enter")
	d.until("recording to /tmp/a.wmt")
	if list, _ := d.program.Begun(); len(list) != 1 || list[0] != "record m,m/store" {
		t.Errorf("begun: %v, want a recording of m and m/store", list)
	}
	d.press("r")
	d.until("recorded: waymark report /tmp/a.wmt")
	d.nothingOn()
	// The end of the dashboard ends a recording.
	d.press("r", "enter")
	d.until("r end recording")
	d.press("q")
	d.wait("the end", func() bool { return d.quit })
	if got := d.m.Recorded(); !strings.HasPrefix(got, "/tmp/app-") {
		t.Errorf("recorded %q, want a file named after the program", got)
	}
	d.nothingOn()
}

// A program that exits is said to have, and its last numbers stay.
func TestExit(t *testing.T) {
	d := drive(t)
	d.press("a")
	d.until("on, ")
	d.look()
	d.until("store.Put")
	d.program.Exit()
	d.look()
	d.until("LOST")
	d.press("up")
	d.until("this is what was seen last: ")
	if text := d.text(); !strings.Contains(text, "store.Put") {
		t.Errorf("the last numbers are gone:\n%s", text)
	}
	d.press("q")
	d.wait("the end", func() bool { return d.quit })
}

// Whatever room there is, no line is too long, and there are as many as there is room for.
func TestAnyRoom(t *testing.T) {
	d := drive(t)
	d.press("a")
	d.until("on, ")
	d.look()
	d.until("store.Put")
	for _, keys := range []string{"1", "2", "3", "4", "w", "esc t", "esc r", "esc ?", "esc 1 /"} {
		d.press(strings.Fields(keys)...)
		for columns := 1; columns < 130; columns += 9 {
			for lines := 1; lines < 40; lines += 5 {
				d.take(tea.WindowSizeMsg{Width: columns, Height: lines})
				text := strings.Split(d.m.Text(), "\n")
				if len(text) != lines {
					t.Errorf("after %s in %dx%d: %d lines", keys, columns, lines, len(text))
				}
				for _, line := range text {
					if w := ansi.StringWidth(line); w > columns {
						t.Errorf("after %s in %dx%d: %q has %d columns", keys, columns, lines, line, w)
					}
				}
			}
		}
	}
}

// What was on at the beginning, and is told late, is not taken for what is on now. While functions are switched
// on, others are not: it isn't known yet with which ones.
func TestLateSwitch(t *testing.T) {
	p := sessiontest.New()
	s, err := session.Open(p.Dial)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	m := New(s, Options{Name: "app"})
	late := m.covered()() // nothing is on
	first := m.switchTo([]string{"m.F"})
	if m.switchTo([]string{"m.main"}) != nil {
		t.Error("two are switched at a time")
	}
	m.Update(first())
	m.Update(late)
	if got := m.groups.targets; len(got) != 1 || got[0] != "m.F" || !m.functions.on["m.F"] {
		t.Errorf("on are %q, want m.F", got)
	}
	if m.switchTo(nil) == nil {
		t.Error("after the answer nothing is switched")
	}
}
