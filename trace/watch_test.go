package trace

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/waymark-go/waymark/internal/switchboard"
)

// watching returns a watcher of root calls of root, what tells it of calls, and what it has told.
func watching(o WatchOptions) (tell func(goroutine uint64, kind switchboard.Kind, name string, values ...any), told *[]string, trees *[]*Call) {
	told, trees = new([]string), new([]*Call)
	o.Enter = func(c *Call) { *told = append(*told, fmt.Sprint("+", c.Func.Name, c.Args)) }
	o.Exit = func(c *Call) { *told = append(*told, fmt.Sprint("-", c.Func.Name, c.Results)) }
	o.OnTree = func(c *Call) { *trees = append(*trees, c) }
	w := newWatcher(switchboard.Selection{Has: func(f *Func) bool { return f.Name == "root" }}, o)
	funcs := make(map[string]*Func)
	return func(goroutine uint64, kind switchboard.Kind, name string, values ...any) {
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
