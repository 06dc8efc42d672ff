package switchboard_test

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/waymark-go/waymark/internal/program/condition"
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/program/switchboard"
	"github.com/waymark-go/waymark/internal/testing/switchtest"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// f registers a package with a function of two arguments and two results.
func f(r *switchtest.Runtime) {
	sites := switchtest.Functions("m.F")
	sites[0].Args, sites[0].Results = []string{"n", "s"}, []string{"r", "err"}
	r.Register("m", sites, format.Facility{})
}

// compare returns the code that compares a value with a number.
func compare(in condition.Instruction, rel condition.Relation, n int) condition.Code {
	return condition.Code{in, {Op: condition.Int, Bits: uint64(n)}, {Op: condition.Compare, Rel: rel}}
}

var (
	n        = condition.Instruction{Op: condition.Value, Name: "n"}
	result   = condition.Instruction{Op: condition.Value, Root: condition.Result, Name: "r"}
	panicked = condition.Code{{Op: condition.Panicked}}
)

// only returns a wish for the calls that a condition accepts.
func only(o switchboard.Observer, p condition.Program) switchboard.Wish {
	w := observed(o, switchboard.Selection{})
	w.Condition = &p
	return w
}

// An observer is told of the calls that its condition accepts.
func TestConditions(t *testing.T) {
	atLeast3 := compare(n, condition.Greater, 2)
	for _, c := range []struct {
		name string
		p    condition.Program
		want []string
	}{
		{"arguments", condition.Program{Enter: atLeast3}, []string{"enter m.F[3 s]", "exit m.F[6 <nil>] true", "enter m.F[4 s]", "panic m.F boom", "exit m.F[] false", "enter m.F[5 s]", "goexit m.F", "exit m.F[] false"}},
		{"results", condition.Program{Exit: compare(result, condition.Equal, 4)}, []string{"enter m.F[2 s]", "exit m.F[4 <nil>] true"}},
		{"both", condition.Program{Enter: atLeast3, Exit: compare(result, condition.Less, 100)}, []string{"enter m.F[3 s]", "exit m.F[6 <nil>] true"}},
		{"panic", condition.Program{Exit: panicked}, []string{"enter m.F[4 s]", "panic m.F boom", "exit m.F[] false"}},
		{"a slot", condition.Program{Slots: []condition.Code{compare(n, condition.Equal, 1)}, Exit: append(condition.Code{{Op: condition.Slot}, {Op: condition.Or, Skip: 1}}, panicked...)},
			[]string{"enter m.F[1 s]", "exit m.F[2 <nil>] true", "enter m.F[4 s]", "panic m.F boom", "exit m.F[] false"}},
		{"results or panic", condition.Program{Exit: append(condition.Code{{Op: condition.Panicked}, {Op: condition.Or, Skip: 3}}, compare(result, condition.Equal, 2)...)}, []string{"enter m.F[1 s]", "exit m.F[2 <nil>] true", "enter m.F[4 s]", "panic m.F boom", "exit m.F[] false"}},
		{"duration", condition.Program{Exit: compare(condition.Instruction{Op: condition.Duration}, condition.Less, -1)}, nil},
		{"none", condition.Program{Enter: compare(n, condition.Less, 0)}, nil},
		{"no such argument", condition.Program{Enter: compare(condition.Instruction{Op: condition.Value, Name: "x"}, condition.Less, 0)}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := switchtest.Fresh(t)
			said := switchtest.Said(t)
			f(r)
			l := new(log)
			must(t, c.p.Verify())
			must(t, switchboard.Default.Join("log", switchboard.Command).Set(only(l, c.p)))
			for i := 1; i <= 3; i++ {
				r.Enter("m.F", i, "s").Exit(2*i, nil)
			}
			boom := r.Enter("m.F", 4, "s")
			boom.Panic("boom")
			boom.Leave()
			end := r.Enter("m.F", 5, "s")
			end.Goexit()
			end.Leave()
			equal(t, "told", l.list, c.want)
			if strings.HasPrefix(c.name, "no such") != (len(*said) == 1) {
				t.Errorf("said %q", *said)
			}
		})
	}
}

// Observers with and without conditions are told of the same calls, each as it wants, also if one is
// wanted twice.
func TestConditionsOfSeveral(t *testing.T) {
	r := switchtest.Fresh(t)
	f(r)
	b := switchboard.Default
	all, some, end, twice := new(log), new(log), new(log), new(log)
	must(t, b.Join("all", switchboard.Program).Set(observed(all, switchboard.Selection{})))
	must(t, b.Join("some", switchboard.Command).Set(only(some, condition.Program{Enter: compare(n, condition.Greater, 1)})))
	must(t, b.Join("end", switchboard.Command).Set(only(end, condition.Program{Exit: compare(result, condition.Equal, 2)})))
	must(t, b.Join("twice", switchboard.Command).Set(only(twice, condition.Program{Enter: compare(n, condition.Equal, 1)}), only(twice, condition.Program{Exit: compare(result, condition.Equal, 4)})))
	first, second := []string{"enter m.F[1 s]", "exit m.F[2 <nil>] true"}, []string{"enter m.F[2 s]", "exit m.F[4 <nil>] true"}
	for turn := 0; turn < 3; turn++ {
		for i := 1; i <= 2; i++ {
			r.Enter("m.F", i, "s").Exit(2*i, nil)
		}
		equal(t, "all", all.take(), append(first[:2:2], second...))
		equal(t, "some", some.take(), second)
		equal(t, "end", end.take(), first)
		equal(t, "twice", twice.take(), append(first[:2:2], second...))
	}
	owner := b.Join("everything", switchboard.Command)
	must(t, owner.Set(observed(some, switchboard.Selection{})))
	r.Enter("m.F", 1, "s").Exit(2, nil)
	equal(t, "some, wanted without a condition, too", some.take(), first)
	owner.Close()
	r.Enter("m.F", 1, "s").Exit(2, nil)
	equal(t, "some again", some.take(), []string(nil))
}

// A condition is no way to learn of values that a policy hides.
func TestConditionsHidden(t *testing.T) {
	r := switchtest.Fresh(t)
	f(r)
	b := switchboard.Default
	enter, exit, other := new(log), new(log), new(log)
	must(t, b.Join("a", switchboard.Command).Set(only(enter, condition.Program{Enter: compare(n, condition.Greater, 0)})))
	must(t, b.Join("b", switchboard.Command).Set(only(exit, condition.Program{Exit: compare(result, condition.Greater, 0)})))
	must(t, b.Join("c", switchboard.Command).Set(only(other, condition.Program{Exit: compare(condition.Instruction{Op: condition.Duration}, condition.Greater, -1)})))
	during := r.Enter("m.F", 1, "s")
	b.Guard(switchboard.Policy{Hide: true})
	during.Panic("secret")
	during.Exit(2, nil)
	r.Enter("m.F", 1, "s").Exit(2, nil)
	equal(t, "by an argument", enter.list, []string{"enter m.F[1 s]", "panic m.F <nil>", "exit m.F[] true"})
	equal(t, "by a result", exit.list, []string(nil))
	equal(t, "by the duration", other.list, []string{"enter m.F[]", "panic m.F <nil>", "exit m.F[] true", "enter m.F[]", "exit m.F[] true"})
}

// Calls that are rejected where they begin allocate nothing.
func TestConditionsAllocate(t *testing.T) {
	r := switchtest.Fresh(t)
	f(r)
	must(t, switchboard.Default.Join("log", switchboard.Command).Set(only(new(log), condition.Program{Enter: compare(n, condition.Less, 0)})))
	values := rt.EventOf([]any{1, "s"})
	if got := testing.AllocsPerRun(1000, func() { r.EnterEvent("m.F", values) }); got != 0 {
		t.Errorf("a rejected call makes %v allocations, want 0", got)
	}
}

// Calls on many goroutines get the outcomes of their own values.
func TestConditionsConcurrently(t *testing.T) {
	r := switchtest.Fresh(t)
	f(r)
	b := switchboard.Default
	var told atomic.Int64
	count := counting(func(e *switchboard.Event) {
		if e.Kind == switchboard.Enter && e.Args()[0] != any(7) {
			t.Errorf("told of %v", e.Args())
		}
		told.Add(1)
	})
	seven := compare(n, condition.Equal, 7)
	must(t, b.Join("a", switchboard.Command).Set(only(&count, condition.Program{Slots: []condition.Code{seven}, Exit: condition.Code{{Op: condition.Slot}}})))
	var wg sync.WaitGroup
	for g := 0; g < 8; g++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := 0; i < 1000; i++ {
				r.Enter("m.F", i%10, "s").Exit(i, nil)
			}
		}()
	}
	for turn := 0; turn < 50; turn++ { // meanwhile others come and go
		o := b.Join("b", switchboard.Command)
		must(t, o.Set(only(new(log), condition.Program{Enter: compare(n, condition.Less, 0)})))
		o.Close()
	}
	wg.Wait()
	equal(t, "events", told.Load(), int64(8*100*2))
}

type counting func(e *switchboard.Event)

func (c *counting) Observe(e *switchboard.Event) { (*c)(e) }

// A rejected call is one that an observer's condition rejects where it begins.
func BenchmarkRejectedCall(b *testing.B) {
	r := switchtest.Fresh(b)
	f(r)
	p := condition.Program{Enter: compare(n, condition.Less, 0)}
	if err := switchboard.Default.Join("log", switchboard.Command).Set(only(new(log), p)); err != nil {
		b.Fatal(err)
	}
	values := rt.EventOf([]any{1, "s"})
	b.ReportAllocs()
	for i := 0; i < b.N; i++ {
		r.EnterEvent("m.F", values)
	}
}
