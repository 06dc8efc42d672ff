package viewer

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree/calltreetest"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/cmd/waymark/internal/screen/tui"
	"github.com/waymark-go/waymark/cmd/waymark/internal/show/report"
	"github.com/waymark-go/waymark/cmd/waymark/internal/show/traces"
	"github.com/waymark-go/waymark/internal/wire/format"
	"github.com/waymark-go/waymark/tracefile"
)

// The made-up program: A is main.main, B and C are of package store, D is main.worker.
var tables = []calltreetest.Table{
	{Package: "example.com/shop", Sites: []format.Site{{Name: "main.main", File: "/src/shop/main.go", Line: 12}}},
	{Package: "example.com/shop/store", Sites: []format.Site{
		{Name: "example.com/shop/store.Open", File: "/src/shop/store/store.go", Line: 30},
		{Name: "example.com/shop/store.(*DB).Get[...]", File: "/src/shop/store/store.go", Line: 48},
	}},
	{Package: "example.com/shop", Sites: []format.Site{{Name: "main.worker", File: "/src/shop/work.go", Line: 7}}},
}

const shop = `
	A10 +1500 B20 +2500000 b20 C20 C30 +70000000 c30 c20
	@2 <1 D10 +1200000000 C20 !30 ^10 +90 d10 .
	@3 <1 D10 C20 c20 d10 .
	@1 C20 +30 c20 +64000000000 a10`

// A driver is a terminal with its user, without the terminal.
type driver struct {
	t    *testing.T
	m    *Model
	quit bool
}

func drive(t *testing.T, events string, change func(*Source)) *driver {
	t.Helper()
	list, err := calltreetest.Events(events)
	if err != nil {
		t.Fatal(err)
	}
	r := &calltreetest.Recording{Path: "/tmp/shop.wmt", Events: list, Tables: tables}
	if len(list) > 0 {
		r.End = list[len(list)-1].Clock + 1000
	}
	f, err := r.Open()
	if err != nil {
		t.Fatal(err)
	}
	set, err := tracefile.Join([]*tracefile.File{f})
	if err != nil {
		t.Fatal(err)
	}
	s := Source{
		Name: "shop.wmt",
		Read: func(progress func(read, all uint64)) (*report.Report, []string, error) {
			progress(1, 4)
			r := report.New(report.Options{Tree: true})
			err := r.Read(set)
			return r, recording.Lacks(r.Recordings), err
		},
		Traces: func() ([]*traces.Trace, int, error) {
			list, n, _, err := traces.List(set, new(recording.Filter), traces.Options{Slowest: 2})
			return list, n, err
		},
		Trace: func(key traces.Key) (*traces.Tree, error) {
			tree, _, err := traces.Find(set, new(recording.Filter), nil, key, nil)
			return tree, err
		},
		Editor: Editor,
	}
	if change != nil {
		change(&s)
	}
	d := &driver{t: t, m: New(s)}
	d.m.Send(func(msg tea.Msg) {
		d.m.Update(msg)
		d.shows("reading, 25 % of 4 events ...")
	})
	d.shows("opening ...")
	d.take(d.m.Init()())
	return d
}

func (d *driver) take(msg tea.Msg) {
	d.t.Helper()
	if _, ok := msg.(tea.QuitMsg); ok {
		d.quit = true
		return
	}
	if _, cmd := d.m.Update(msg); cmd != nil {
		d.take(cmd())
	}
}

func (d *driver) press(keys ...string) {
	d.t.Helper()
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

func (d *driver) text() string {
	lines := strings.Split(ansi.Strip(d.m.Text()), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

func (d *driver) shows(want string) {
	d.t.Helper()
	if got := d.text(); !strings.Contains(got, want) {
		d.t.Errorf("%q is not in\n%s", want, got)
	}
}

func TestFunctions(t *testing.T) {
	d := drive(t, shop, nil)
	d.shows("prog: 1m05.3s, 21 events, 3 goroutines, no events lost")
	d.shows(`
▾Total    Self   Calls     Avg     Max   Panics   Errors  Function
 1m05s   1m05s       1   1m05s   1m05s        -        -  main.main
 1.20s   1.20s       2   600ms   1.20s        1        -  main.worker
70.0ms  70.0ms       5  28.0ms  70.0ms        1        -  store.(*DB).Get[...]
2.50ms  2.50ms       1  2.50ms  2.50ms        -        -  store.Open
`)
	d.press("C")
	d.shows("▾Calls")
	first := strings.Split(d.text(), "\n")[4]
	if !strings.HasSuffix(first, "store.(*DB).Get[...]") {
		t.Errorf("first by calls is %q, want store.(*DB).Get[...]", first)
	}
	d.press("/", "'OPEN")
	d.press("enter")
	d.shows(`1 of 4 functions have "OPEN" in their names: esc shows all`)
	if strings.Contains(d.text(), "main.worker") {
		t.Errorf("a function that the filter is against is shown:\n%s", d.text())
	}
	d.press("esc")
	d.shows("main.worker")
	d.press("?")
	d.shows("what waymark report, tree and traces print")
	d.press("esc", "q")
	if !d.quit {
		t.Error("q does not leave")
	}
}

func TestTrees(t *testing.T) {
	d := drive(t, shop, nil)
	d.press("2")
	d.shows(`
▸ main.main`[1:])
	d.press("right")
	d.shows("▾ main.main")
	d.shows("  ▸ store.(*DB).Get[...]")
	d.press("/", "'get", "enter")
	if got := d.m.trees[treePane].chosen().Name; got != "example.com/shop/store.(*DB).Get[...]" {
		t.Errorf("found %s, want Get", got)
	}
	first := d.m.trees[treePane].At()
	d.press("n")
	if at := d.m.trees[treePane].At(); at != first+1 {
		t.Errorf("the next one is in line %d, want %d: the recursive call below\n%s", at, first+1, d.text())
	}
	d.press("c")
	d.shows("▾ store.(*DB).Get[...]")
	d.shows("    main.main")
	d.shows("main.worker")
	d.press("2", "/", "'nothing", "enter")
	d.shows("no function of the tree has getnothing in its name")
	d.press("1", "down", "d")
	d.shows("▾ main.worker")
	d.shows("store.(*DB).Get[...]")
}

func TestTraces(t *testing.T) {
	d := drive(t, shop, nil)
	d.press("5")
	d.shows("main.main")
	d.shows("and 1 faster ones")
	d.press("enter")
	d.shows("▾ main.main")
	d.shows("  ▸ store.(*DB).Get[...]")
	d.press("esc")
	d.shows("Duration")
}

func TestEdit(t *testing.T) {
	file := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ visual, editor, want string }{
		{"", "vi", "vi +7 " + file}, {"code -w", "vi", "code -w -g " + file + ":7"}, {"", "/usr/bin/hx", "/usr/bin/hx " + file + ":7"}, {"", " ", "neither VISUAL nor EDITOR is set"},
	} {
		t.Setenv("VISUAL", tt.visual)
		t.Setenv("EDITOR", tt.editor)
		cmd, err := Editor(file, 7)
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = strings.Join(cmd.Args, " ")
		}
		if !strings.HasPrefix(got, tt.want) {
			t.Errorf("VISUAL=%q EDITOR=%q: %s, want %s", tt.visual, tt.editor, got, tt.want)
		}
	}
	t.Setenv("EDITOR", "vi")
	if _, err := Editor("/nowhere/main.go", 7); err == nil || !strings.Contains(err.Error(), "built elsewhere") {
		t.Errorf("a file that isn't there: %v, want that it was built elsewhere", err)
	}
	asked := ""
	d := drive(t, shop, func(s *Source) {
		s.Editor = func(file string, line int) (*exec.Cmd, error) {
			asked = file
			return nil, errors.New("no editor")
		}
	})
	d.press("e")
	d.shows("no editor")
	if asked != "/src/shop/main.go" {
		t.Errorf("asked for %s, want the file of main.main", asked)
	}
}

// What is not whole is shown as far as it goes, with what it lacks.
func TestLacks(t *testing.T) {
	d := drive(t, "", nil)
	d.shows("No call of an instrumented function is recorded.")
	d.press("2")
	d.shows("No call is recorded.")
	d.press("5")
	d.shows("No trace is recorded.")
	d = drive(t, "A10", nil)
	d.shows("main.main (1 open)")
	d = drive(t, shop, func(s *Source) {
		read := s.Read
		s.Read = func(progress func(read, all uint64)) (*report.Report, []string, error) {
			r, lacks, _ := read(progress)
			return r, lacks, errors.New("shop.wmt: damaged")
		}
	})
	d.shows("main.worker")
	d.shows("shop.wmt: damaged")
	d = drive(t, shop, func(s *Source) {
		s.Read = func(func(read, all uint64)) (*report.Report, []string, error) {
			return report.New(report.Options{}), nil, errors.New("input/output error")
		}
	})
	d.shows("nothing could be read")
	d.shows("input/output error")
	d.press("2", "c", "q")
}

// Whatever room there is, no line is too long, and there are as many as there is room for.
func TestAnyRoom(t *testing.T) {
	d := drive(t, shop, nil)
	for _, keys := range []string{"1", "2 *", "c", "d", "5 enter", "?", "esc 1 /"} {
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
