package inspect

import (
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/waymark-go/waymark/internal/program/control"
	"github.com/waymark-go/waymark/internal/program/firings"
	"github.com/waymark-go/waymark/internal/program/switchboard"
	"github.com/waymark-go/waymark/internal/testing/switchtest"
)

// probes are the program's: a source for the clients of a test.
type probes struct{ watchers []firings.Watcher }

var program = new(probes)

func init() { firings.Register(program) }

func (p *probes) Watch(w firings.Watcher) { p.watchers = append(p.watchers, w) }

func (p *probes) Unwatch(w firings.Watcher) {
	for i, other := range p.watchers {
		if other == w {
			p.watchers = append(p.watchers[:i:i], p.watchers[i+1:]...)
			return
		}
	}
}

func (p *probes) fire(provider, probe string, args ...any) {
	for _, w := range p.watchers {
		if w.Wants(provider, probe) {
			w.Fired(provider, probe, func() []any { return args })
		}
	}
}

// watchesProbes begins to watch probes alone.
func watchesProbes(t *testing.T, w control.Watch) control.Task {
	t.Helper()
	w.Kind = control.KindCalls
	task, err := Watch(NoFunctions, "", w, new(Kept))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		task.Close()
		if n := len(program.watchers); n != 0 {
			t.Errorf("after the end %d watch, want 0", n)
		}
	})
	return task
}

// told returns the firings of a task as text, and what else there is to tell.
func told(t *testing.T, task control.Task) (list []string, n control.News) {
	t.Helper()
	n = task.Next()
	for _, c := range n.Calls {
		if c.End != control.OnFire || c.StartUnix == 0 {
			t.Errorf("%+v, want a firing with its time", c)
		}
		text := c.Args
		if c.Hidden {
			text += "hidden"
		}
		list = append(list, c.Function+"("+text+")")
	}
	return list, n
}

func TestFirings(t *testing.T) {
	switchtest.Fresh(t)
	task := watchesProbes(t, control.Watch{Probes: []string{"shop:fin*", "*:Start"}, Limit: 3})
	program.fire("shop", "finish", 1, "x")
	program.fire("shop", "other")
	program.fire("stock", "Start")
	got, n := told(t, task)
	if want := []string{`shop:finish(1, "x")`, "stock:Start()"}; !reflect.DeepEqual(got, want) || n.Done || n.Hits != 2 {
		t.Errorf("told %q of %+v, want %q", got, n, want)
	}
	for i := 0; i < 3; i++ {
		program.fire("shop", "Start")
	}
	if got, n := told(t, task); len(got) != 1 || !n.Done || n.Why != control.WhyEnough || n.Skipped != 0 {
		t.Errorf("told %q of %+v, want the third firing and the end", got, n)
	}
}

// Firings that come too fast are counted, and no text is made of their arguments.
func TestFiringsTooFast(t *testing.T) {
	switchtest.Fresh(t)
	task := watchesProbes(t, control.Watch{Probes: []string{"*:*"}})
	const fired = 3 * mostQueued
	for i := 0; i < fired; i++ {
		program.fire("shop", "Start", i)
	}
	if n := task.Next(); n.Hits != mostQueued || n.Skipped != fired-mostQueued {
		t.Errorf("%d are told and %d skipped, want %d and %d", n.Hits, n.Skipped, mostQueued, fired-mostQueued)
	}
}

// An again is an error whose text fires a probe that has the error as an argument.
type again struct{ calls int }

func (a *again) Error() string {
	a.calls++
	program.fire("shop", "Start", a)
	return fmt.Sprint("text ", a.calls)
}

func TestFiringsWithin(t *testing.T) {
	switchtest.Fresh(t)
	task := watchesProbes(t, control.Watch{Probes: []string{"*:*"}})
	program.fire("shop", "Start", new(again))
	if got, _ := told(t, task); !reflect.DeepEqual(got, []string{`shop:Start(text 1)`}) {
		t.Errorf("told %q, want one firing", got)
	}
	task.Close()
	bare := watchesProbes(t, control.Watch{Probes: []string{"*:*"}, Bare: true})
	program.fire("shop", "Start", new(again))
	if got, _ := told(t, bare); !reflect.DeepEqual(got, []string{"shop:Start()"}) {
		t.Errorf("told %q, want a firing without arguments", got)
	}
}

// Policies hold for watches that begin, and for those in progress.
func TestFiringsGuarded(t *testing.T) {
	for i, policy := range []switchboard.Policy{
		{Forbid: true}, {Kinds: []string{"Print"}}, {Origins: []switchboard.Origin{switchboard.Program}}, {Groups: map[string]bool{"G": true}},
	} {
		switchtest.Fresh(t)
		w := control.Watch{Kind: control.KindCalls, Probes: []string{"*:*"}}
		task := watchesProbes(t, w)
		program.fire("shop", "Start")
		switchboard.Default.Guard(policy)
		program.fire("shop", "Start")
		if got, n := told(t, task); len(got) != 1 || !n.Done || n.Why == "" {
			t.Errorf("policy %d: told %q of %+v, want one firing and the end with its reason", i, got, n)
		}
		task.Close()
		_, err := Watch(NoFunctions, "", w, new(Kept))
		var refused *control.Error
		if !errors.As(err, &refused) || refused.Code != control.CodeForbidden {
			t.Errorf("policy %d: got %v, want an error %q", i, err, control.CodeForbidden)
		}
		if n := len(program.watchers); n != 0 {
			t.Errorf("policy %d: %d watch, want 0", i, n)
		}
	}
	switchtest.Fresh(t)
	switchboard.Default.Guard(switchboard.Policy{Hide: true})
	task := watchesProbes(t, control.Watch{Probes: []string{"*:*"}})
	program.fire("shop", "Start", "secret")
	if got, _ := told(t, task); !reflect.DeepEqual(got, []string{"shop:Start(hidden)"}) {
		t.Errorf("told %q, want a firing without values", got)
	}
}

func TestFiringsMistakes(t *testing.T) {
	switchtest.Fresh(t)
	for _, w := range []control.Watch{
		{Kind: control.KindStacks, Probes: []string{"a:b"}},
		{Kind: control.KindCalls, Probes: []string{"ab"}},
		{Kind: control.KindCalls, Probes: []string{"a:["}},
		{Kind: control.KindCalls, Probes: []string{"a:b"}, Keep: true},
		{Kind: control.KindCalls, Probes: []string{"a:b"}, If: []byte{1}},
	} {
		_, err := Watch(NoFunctions, "", w, new(Kept))
		var refused *control.Error
		if !errors.As(err, &refused) || refused.Code != control.CodeRequest {
			t.Errorf("%+v: got %v, want an error %q", w, err, control.CodeRequest)
		}
	}
}
