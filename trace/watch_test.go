package trace

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/waymark-go/waymark/internal/program/switchboard"
)

// watching returns a watcher of root calls of root, what tells it of calls, and what it has told.
func watching(o WatchOptions) (tell func(goroutine uint64, kind switchboard.Kind, name string, values ...any), told *[]string, trees *[]*Call) {
	told, trees = new([]string), new([]*Call)
	o.Enter = func(c *Call) { *told = append(*told, fmt.Sprint("+", c.Func.Name, c.Args)) }
	o.Exit = func(c *Call) { *told = append(*told, fmt.Sprint("-", c.Func.Name, c.Results)) }
	o.OnTree = func(c *Call) { *trees = append(*trees, c) }
	w := newWatcher(switchboard.Selection{Has: func(f *Func) bool { return f.Name == "root" }}, o)
	held, now := make(map[uint64]*spot), uint64(0) // what goroutines hold, and which one runs
	w.held, w.hold = func() *spot { return held[now] }, func(s *spot) { held[now] = s }
	funcs := make(map[string]*Func)
	return func(goroutine uint64, kind switchboard.Kind, name string, values ...any) {
		now = goroutine
		if name == "go" { // which starts the one that is given
			held[values[0].(uint64)] = held[now]
			return
		}
		if funcs[name] == nil {
			funcs[name] = &Func{Name: name}
		}
		e := switchboard.WithValues(&switchboard.Event{Kind: kind, Func: funcs[name], Goroutine: goroutine, Returned: kind == switchboard.Exit}, values)
		if kind == switchboard.Panic {
			e.Value = values[0]
		}
		if kind == switchboard.Exit && len(values) == 1 && values[0] == "left" {
			e.Returned = false
		}
		w.Observe(e)
	}, told, trees
}

// Calls are told from the root call's start to its end, on its goroutine, with their values.
func TestWatch(t *testing.T) {
	const enter, exit = switchboard.Enter, switchboard.Exit
	tell, told, trees := watching(WatchOptions{})
	failure := errors.New("none")
	tell(1, enter, "outside", 1)
	tell(1, enter, "root", "a")
	tell(2, enter, "elsewhere")
	tell(1, enter, "child", 2)
	tell(1, enter, "root", "b")
	tell(1, exit, "root", nil)
	tell(1, exit, "child", 3, failure)
	tell(2, exit, "elsewhere")
	tell(1, enter, "falls")
	tell(1, switchboard.Panic, "falls", "stone")
	tell(1, exit, "falls", "left")
	tell(1, exit, "root")
	tell(1, exit, "outside")
	want := []string{"+root[a]", "+child[2]", "+root[b]", "-root[<nil>]", "-child[3 none]", "+falls[]", "-falls[]", "-root[]"}
	if !reflect.DeepEqual(*told, want) {
		t.Errorf("told %q, want %q", *told, want)
	}
	if len(*trees) != 1 {
		t.Fatalf("%d trees, want 1", len(*trees))
	}
	root := (*trees)[0]
	child, falls := root.Calls[0], root.Calls[1]
	if len(root.Calls) != 2 || len(child.Calls) != 1 || !child.Failed || root.Failed || !falls.Panicked || falls.Value != "stone" || root.Lost != 0 {
		t.Errorf("tree %+v, child %+v, falls %+v", root, child, falls)
	}
	if root.Duration != root.Self+child.Duration+falls.Duration || child.Duration != child.Self+child.Calls[0].Duration {
		t.Errorf("cumulative and exclusive times disagree: %+v", root)
	}
}

// What bounds leave out is counted, and all else is told.
func TestWatchBounds(t *testing.T) {
	const enter, exit = switchboard.Enter, switchboard.Exit
	for name, tt := range map[string]struct {
		o    WatchOptions
		want string
		lost uint64
	}{
		"calls": {WatchOptions{MaxCalls: 3}, "+root +a -a +b -b -root", 2},
		"depth": {WatchOptions{MaxDepth: 2}, "+root +a -a +b -b +c -c -root", 1},
		"time":  {WatchOptions{MaxTime: 1}, "+root -root", 4},
	} {
		t.Run(name, func(t *testing.T) {
			tell, told, trees := watching(tt.o)
			tell(1, enter, "root")
			time.Sleep(time.Microsecond)
			for _, f := range []string{"a", "b", "c"} {
				tell(1, enter, f)
				if f == "c" {
					tell(1, enter, "d")
					tell(1, exit, "d")
				}
				tell(1, exit, f)
			}
			tell(1, exit, "root")
			if got := strings.ReplaceAll(strings.Join(*told, " "), "[]", ""); got != tt.want || len(*trees) != 1 || (*trees)[0].Lost != tt.lost {
				t.Errorf("told %s, %d trees; want %s, 1 tree, %d lost", got, len(*trees), tt.want, tt.lost)
			}
		})
	}
}

// Calls of goroutines that are started below a watched call are below it, if they end before the root call.
func TestWatchGoroutines(t *testing.T) {
	const enter, exit = switchboard.Enter, switchboard.Exit
	tell, _, trees := watching(WatchOptions{})
	tell(1, enter, "root")
	tell(1, enter, "a")
	tell(1, enter, "go", uint64(2))
	tell(1, enter, "go", uint64(6))
	tell(1, exit, "a")
	tell(1, enter, "b")
	tell(2, enter, "c")
	tell(2, enter, "go", uint64(3))
	tell(2, enter, "go", uint64(4))
	tell(3, enter, "d")
	tell(3, exit, "d") // while c goes on
	tell(2, exit, "c")
	tell(4, enter, "e")
	tell(4, exit, "e") // when c has ended
	tell(2, enter, "root")
	tell(2, enter, "go", uint64(5))
	tell(5, enter, "f")
	tell(5, enter, "go", uint64(7))
	tell(5, enter, "go", uint64(8))
	tell(1, exit, "b")
	tell(1, exit, "root")
	tell(6, enter, "late") // began after the root call's end
	tell(6, exit, "late")
	tell(7, enter, "root") // a tree of its own
	tell(7, exit, "root")
	tell(5, exit, "f") // while the call above it goes on, which is detached
	tell(2, exit, "root")
	var got []string
	for _, tree := range *trees {
		got = append(got, text(tree))
	}
	want := []string{"root(a(go c(go d go e)) b)", "root", "detached go root(detached go f)"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("trees %q\nwant  %q", got, want)
	}
	root := (*trees)[0]
	if c := root.Calls[0].Calls[0]; c.Root != root || root.Root != root || root.Self > root.Duration {
		t.Errorf("the root of a goroutine's call is %+v", c.Root)
	}
}

// text returns a tree as text.
func text(c *Call) string {
	s := c.Func.Name
	if c.Go {
		s = "go " + s
	}
	if c.Detached {
		s = "detached " + s
	}
	if len(c.Calls) == 0 {
		return s
	}
	var below []string
	for _, b := range c.Calls {
		below = append(below, text(b))
	}
	return s + "(" + strings.Join(below, " ") + ")"
}
