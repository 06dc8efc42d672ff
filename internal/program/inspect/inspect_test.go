package inspect

import (
	"errors"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/internal/program/control"
	"github.com/waymark-go/waymark/internal/program/switchboard"
	"github.com/waymark-go/waymark/internal/testing/switchtest"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// watches begins to watch m.F in a program that has m.F and m.G.
func watches(t *testing.T, w control.Watch) (*switchtest.Runtime, control.Task) {
	t.Helper()
	r := switchtest.Fresh(t)
	r.Register("m", switchtest.Functions("m.F", "m.G"), format.Facility{})
	task, err := Watch(switchboard.Selection{Has: func(f *function.Func) bool { return f.Name == "m.F" }}, "m.F", w, new(Kept))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		task.Close()
		if word := r.Word("m.F"); word != "" {
			t.Errorf("after the end m.F is %s", word)
		}
	})
	if f, g := r.Word("m.F"), r.Word("m.G"); f != "watched" || g != "" {
		t.Errorf("m.F is %q, m.G is %q, want watched and nothing", f, g)
	}
	return r, task
}

func TestCalls(t *testing.T) {
	r, task := watches(t, control.Watch{Kind: control.KindCalls, Limit: 3})
	outer := r.Enter("m.F", 7, "x")
	inner := r.Enter("m.F", 8)
	inner.Panic("broken")
	inner.Leave()
	outer.Exit(nil, errors.New("none"))
	news := task.Next()
	want := []control.Call{
		{End: control.OnPanic, Args: "8", Panic: `"broken"`},
		{End: control.OnReturn, Args: `7, "x"`, Results: `(<nil>, none)`},
	}
	if len(news.Calls) != len(want) || news.Done || news.Hits != 2 {
		t.Fatalf("news %+v, want 2 calls", news)
	}
	for i, c := range news.Calls {
		if c.Function != "m.F" || c.StartUnix == 0 || c.DurationNS <= 0 {
			t.Errorf("call %+v, want one of m.F with times", c)
		}
		if c.Function, c.StartUnix, c.DurationNS, c.Goroutine = "", 0, 0, 0; !reflect.DeepEqual(c, want[i]) {
			t.Errorf("call %d: %+v, want %+v", i, c, want[i])
		}
	}
	r.Enter("m.F").Goexit()
	for i := 0; i < 3; i++ {
		r.Enter("m.F").Exit()
	}
	if news := task.Next(); len(news.Calls) != 1 || !news.Done || news.Why != control.WhyEnough {
		t.Errorf("news %+v, want the third call and the end", news)
	}
}

// A panic is told of the call that it ends or that recovers it, and not of one that has called such a function.
func TestRecovered(t *testing.T) {
	r, task := watches(t, control.Watch{Kind: control.KindCalls})
	for _, end := range []func(*switchtest.Call){
		func(c *switchtest.Call) { c.Exit("done") },
		func(c *switchtest.Call) { c.ExitRecovered("done") },
		func(c *switchtest.Call) { c.Leave() },
	} {
		c := r.Enter("m.F")
		c.Panic("broken")
		end(c)
	}
	news := task.Next()
	var got []string
	for _, c := range news.Calls {
		got = append(got, c.End+" "+c.Results+" "+c.Panic)
	}
	if want := []string{`return ("done") `, `return ("done") "broken"`, `panic  "broken"`}; !slices.Equal(got, want) {
		t.Errorf("calls %q, want %q", got, want)
	}
}

// Calls without values have neither arguments nor results, nor the values of panics.
func TestBare(t *testing.T) {
	r, task := watches(t, control.Watch{Kind: control.KindCalls, Bare: true})
	inner := r.Enter("m.F", "secret")
	inner.Panic("secret")
	inner.Leave()
	r.Enter("m.F", "secret").Exit("secret", nil)
	calls := task.Next().Calls
	if len(calls) != 2 {
		t.Fatalf("calls %+v, want 2", calls)
	}
	for i, want := range []string{"a panic", ""} {
		if c := calls[i]; c.Args != "" || c.Results != "" || c.Panic != want {
			t.Errorf("call %+v, want no values and panic %q", c, want)
		}
	}
	if _, err := Watch(switchboard.Selection{}, "", control.Watch{Kind: control.KindCalls, Bare: true, Keep: true}, new(Kept)); err == nil {
		t.Error("calls without values are kept, want an error")
	}
}

// Who made a call is told if that was asked for. The frame below it is the one with the function's name.
func TestCaller(t *testing.T) {
	r := switchtest.Fresh(t)
	pc, _, _, _ := runtime.Caller(0)
	own := runtime.FuncForPC(pc).Name()
	r.Register("m", switchtest.Functions(own), format.Facility{})
	for _, asked := range []bool{false, true} {
		task, err := Watch(switchboard.Selection{Has: func(*function.Func) bool { return true }}, own, control.Watch{Kind: control.KindCalls, Caller: asked}, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Enter(own).Exit()
		calls := task.Next().Calls
		task.Close()
		if len(calls) != 1 || (calls[0].Caller != nil) != asked {
			t.Fatalf("asked %v: %+v, want one call, with its caller if asked", asked, calls)
		}
		if c := calls[0].Caller; asked && (c.Function != "testing.tRunner" || c.Line == 0 || filepath.Base(c.File) != "testing.go") {
			t.Errorf("called by %+v, want testing.tRunner", c)
		}
	}
}

// What is told of calls: by their ends, and by how long they took.
func TestOn(t *testing.T) {
	for _, c := range []struct {
		w    control.Watch
		want []string
	}{
		{control.Watch{}, []string{"return", "panic"}},
		{control.Watch{On: []string{control.OnEnter}}, []string{"enter", "enter"}},
		{control.Watch{On: []string{control.OnPanic}}, []string{"panic"}},
		{control.Watch{On: []string{control.OnEnter, control.OnReturn}}, []string{"enter", "return", "enter"}},
		{control.Watch{MinNS: 1e12}, nil},
	} {
		c.w.Kind = control.KindCalls
		r, task := watches(t, c.w)
		r.Enter("m.F").Exit()
		r.Enter("m.F").Leave()
		var got []string
		for _, call := range task.Next().Calls {
			got = append(got, call.End)
		}
		if len(got) != len(c.want) {
			t.Errorf("%+v: told %v, want %v", c.w, got, c.want)
			continue
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%+v: told %v, want %v", c.w, got, c.want)
			}
		}
	}
}

// Calls that come too fast are counted.
func TestTooFast(t *testing.T) {
	r, task := watches(t, control.Watch{Kind: control.KindCalls})
	const calls = 5 * perSecond
	for i := 0; i < calls; i++ {
		r.Enter("m.F", i).Exit()
	}
	told := 0
	for news := task.Next(); ; news = task.Next() {
		if told += len(news.Calls); len(news.Calls) == 0 {
			if news.Hits != uint64(told) || news.Hits+news.Skipped != calls || told < perSecond || told > 3*perSecond {
				t.Errorf("told %d of %d calls, %d hits, %d skipped", told, calls, news.Hits, news.Skipped)
			}
			return
		}
	}
}

// When as many were told as may be in a second, calls are counted and not observed, until the client asks
// after the second. Where calls are told of when they begin, they are counted, too.
func TestPace(t *testing.T) {
	for _, on := range [][]string{nil, {control.OnEnter}, {control.OnEnter, control.OnReturn, control.OnPanic}} {
		r, task := watches(t, control.Watch{Kind: control.KindCalls, On: on})
		each := uint64(max(len(on)-1, 1)) // what is told of a call
		for i := 0; i < perSecond/int(each); i++ {
			r.Enter("m.F", i).Exit()
		}
		const more = 3
		for i := 0; i <= more; i++ {
			c := r.Enter("m.F", i)
			c.Exit()
			if i > 0 && c != nil { // the first one finds that it is too much
				t.Errorf("on %v: a call is observed that isn't told", on)
			}
		}
		news := task.Next()
		for news.More {
			news = task.Next()
		}
		if news.Hits != perSecond || news.Skipped < more+1 {
			t.Errorf("on %v: %d told, %d skipped, want %d and %d", on, news.Hits, news.Skipped, perSecond, more+1)
		}
		begun := time.Now()
		for on == nil && news.Hits == perSecond {
			if time.Since(begun) > 20*time.Second {
				t.Fatalf("on %v: nothing is told any more", on)
			}
			r.Enter("m.F").Exit()
			time.Sleep(10 * time.Millisecond)
			news = task.Next()
		}
		task.Close()
	}
}

// Beginnings that are not told are counted, too, where others observe the same function.
func TestPaceBesideOthers(t *testing.T) {
	r, task := watches(t, control.Watch{Kind: control.KindCalls, On: []string{control.OnEnter}})
	other, err := Watch(switchboard.Selection{}, "m.F", control.Watch{Kind: control.KindCalls}, new(Kept))
	if err != nil {
		t.Fatal(err)
	}
	const more = 3
	for i := 0; i < perSecond+more; i++ {
		r.Enter("m.F", i).Exit()
	}
	for _, one := range []control.Task{task, other} {
		news := one.Next()
		for news.More {
			news = one.Next()
		}
		if news.Hits != perSecond || news.Skipped != more {
			t.Errorf("%d told, %d skipped, want %d and %d", news.Hits, news.Skipped, perSecond, more)
		}
	}
	other.Close()
}

// Calls whose ends say whether they are told are observed to the end.
func TestPaceOfEnds(t *testing.T) {
	r, task := watches(t, control.Watch{Kind: control.KindCalls, On: []string{control.OnPanic}})
	fail := func() {
		c := r.Enter("m.F")
		c.Panic("broken")
		c.Leave()
	}
	for i := 0; i < perSecond; i++ {
		fail()
	}
	r.Enter("m.F").Exit()
	fail()
	r.Enter("m.F").Exit()
	fail()
	if news := task.Next(); news.Hits != perSecond || news.Skipped != 2 {
		t.Errorf("%d panics told, %d skipped, want %d and 2", news.Hits, news.Skipped, perSecond)
	}
}

func TestStacks(t *testing.T) {
	r, task := watches(t, control.Watch{Kind: control.KindStacks, Limit: 5})
	for i := 0; i < 3; i++ {
		r.Enter("m.F").Exit()
	}
	r.Enter("m.F").Exit()
	news := task.Next()
	if len(news.Stacks) != 2 || news.Stacks[0].Calls != 3 || news.Stacks[1].Calls != 1 || news.Done {
		t.Errorf("news %+v, want stacks of 3 calls and of 1", news)
	}
	if news := task.Next(); !news.Empty() {
		t.Errorf("news %+v, want none", news)
	}
	r.Enter("m.F").Exit()
	if news := task.Next(); !news.Done || news.Hits != 5 {
		t.Errorf("news %+v, want the end after 5 calls", news)
	}
}

func TestPeriods(t *testing.T) {
	r, task := watches(t, control.Watch{Kind: control.KindPeriods})
	r.Enter("m.F").Exit()
	r.Enter("m.F").Exit()
	r.Enter("m.F").Leave()
	news := task.Next()
	if len(news.Functions) != 1 {
		t.Fatalf("news %+v, want of one function", news)
	}
	n := news.Functions[0]
	if n.Function != "m.F" || n.Calls != 3 || n.Returned != 2 || n.Panics != 1 || n.MinNS > n.AvgNS || n.AvgNS > n.MaxNS || n.P99NS > n.MaxNS || n.P99NS < n.MinNS {
		t.Errorf("numbers %+v, want 3 calls of which 1 panicked", n)
	}
	if news := task.Next(); len(news.Functions) != 0 {
		t.Errorf("news %+v, want none in a period without calls", news)
	}
}

func TestMistakes(t *testing.T) {
	switchtest.Fresh(t)
	for _, w := range []control.Watch{{Kind: "dance"}, {Kind: control.KindCalls, On: []string{"exit"}}, {Kind: control.KindCalls, If: []byte{1}}, {Kind: control.KindStacks, Keep: true}} {
		var wrong *control.Error
		if _, err := Watch(switchboard.Selection{}, "all", w, nil); !errors.As(err, &wrong) || wrong.Code != control.CodeRequest {
			t.Errorf("%+v: %v, want an error with code %s", w, err, control.CodeRequest)
		}
	}
	switchboard.Default.Guard(switchboard.Policy{Forbid: true})
	for _, kind := range []string{control.KindCalls, control.KindStacks, control.KindPeriods} {
		var wrong *control.Error
		if _, err := Watch(switchboard.Selection{}, "all", control.Watch{Kind: kind}, nil); !errors.As(err, &wrong) || wrong.Code != control.CodeForbidden {
			t.Errorf("%s: %v, want an error with code %s", kind, err, control.CodeForbidden)
		}
	}
}
