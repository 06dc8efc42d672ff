package inspect

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/internal/program/condition"
	"github.com/waymark-go/waymark/internal/program/control"
	"github.com/waymark-go/waymark/internal/program/switchboard"
	"github.com/waymark-go/waymark/internal/testing/switchtest"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// keeps begins to watch m.F, whose arguments are n and s, and to keep its calls.
func keeps(t *testing.T) (*switchtest.Runtime, *Kept, control.Task) {
	t.Helper()
	r := switchtest.Fresh(t)
	sites := switchtest.Functions("m.F", "m.G")
	sites[0].Args, sites[0].Results = []string{"n", "s"}, []string{"_", "err"}
	r.Register("m", sites, format.Facility{})
	k := new(Kept)
	only := switchboard.Selection{Has: func(f *function.Func) bool { return f.Name == "m.F" }}
	task, err := Watch(only, "m.F", control.Watch{Kind: control.KindCalls, Keep: true}, k)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { task.Close() })
	return r, k, task
}

// found returns the numbers of the calls that a query finds.
func found(t *testing.T, k *Kept, q control.Query) (list []uint64) {
	t.Helper()
	answer, err := k.Find(q)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range answer.Calls {
		list = append(list, c.Number)
	}
	return list
}

func TestKept(t *testing.T) {
	r, k, task := keeps(t)
	long := strings.Repeat("x", 100)
	r.Enter("m.F", 1, long).Exit(nil, errors.New("none"))
	r.Enter("m.G", 2).Exit()
	panics := r.Enter("m.F", 3, "b")
	panics.Panic("broken")
	panics.Leave()
	if list := task.Next().Calls; len(list) != 2 || list[0].Number != 1 || list[1].Number != 2 {
		t.Fatalf("told %+v, want calls 1 and 2", list)
	}
	answer, err := k.Find(control.Query{Numbers: []uint64{1}})
	if err != nil {
		t.Fatal(err)
	}
	want := []control.Value{{Name: "n", Type: "int", Value: "1"}, {Name: "s", Type: "string", Value: `"` + long + `"`}}
	if len(answer.Calls) != 1 || !slices.Equal(answer.Calls[0].ArgValues, want) {
		t.Errorf("call 1: %+v, want arguments %+v", answer.Calls, want)
	}
	want = []control.Value{{Value: "<nil>"}, {Name: "err", Type: "*errors.errorString", Value: "none"}}
	if !slices.Equal(answer.Calls[0].ResultValues, want) {
		t.Errorf("call 1: %+v, want results %+v", answer.Calls, want)
	}
	if list := found(t, k, control.Query{After: 1}); !slices.Equal(list, []uint64{2}) {
		t.Errorf("calls after 1: %v, want 2", list)
	}
	var wrong *control.Error
	_, err = k.Find(control.Query{Numbers: []uint64{9}})
	if !errors.As(err, &wrong) || wrong.Code != control.CodeTarget || wrong.Text != "no call 9 is kept: there are 1 to 2" {
		t.Errorf("call 9: %v, want an error that names those that there are", err)
	}
	task.Close()
	r.Enter("m.F", 4, "").Exit(nil, nil)
	if n := k.Len(); n != 2 {
		t.Errorf("%d calls after the end, want 2", n)
	}
	k.Forget()
	if n := k.Len(); n != 0 {
		t.Errorf("%d calls after Forget", n)
	}
}

// Conditions are decided on calls that were kept: what is known at the beginning, at the end, and both.
func TestKeptIf(t *testing.T) {
	r, k, task := keeps(t)
	for i := 1; i <= 5; i++ {
		call := r.Enter("m.F", i, fmt.Sprint("s", i))
		if i == 4 {
			call.Panic("broken")
			call.Leave()
		} else {
			call.Exit(i*2, nil)
		}
	}
	task.Next()
	value := func(root condition.Root, name string, index int) condition.Instruction {
		return condition.Instruction{Op: condition.Value, Root: root, Name: name, Index: index}
	}
	number := func(n uint64) condition.Instruction { return condition.Instruction{Op: condition.Int, Bits: n} }
	more := condition.Instruction{Op: condition.Compare, Rel: condition.Greater}
	for _, c := range []struct {
		p    condition.Program
		want []uint64
	}{
		{condition.Program{Enter: condition.Code{value(condition.Arg, "n", 0), number(3), more}}, []uint64{4, 5}},
		{condition.Program{Exit: condition.Code{value(condition.Result, "", 0), number(4), more}}, []uint64{3, 5}},
		{condition.Program{Exit: condition.Code{{Op: condition.Panicked}}}, []uint64{4}},
		{condition.Program{
			Enter: condition.Code{value(condition.Arg, "n", 0), number(1), more},
			Exit:  condition.Code{value(condition.Result, "", 0), number(5), more},
		}, []uint64{3, 5}},
	} {
		c.p.Text = "condition"
		if list := found(t, k, control.Query{If: c.p.Append(nil)}); !slices.Equal(list, c.want) {
			t.Errorf("%+v: calls %v, want %v", c.p, list, c.want)
		}
	}
	p := condition.Program{Text: "args.x > 3", Enter: condition.Code{value(condition.Arg, "x", 0), number(3), more}}
	answer, err := k.Find(control.Query{If: p.Append(nil)})
	const note = "condition args.x > 3: m.F: there is no argument x: there are n int, s string"
	if err != nil || len(answer.Calls) != 0 || !slices.Equal(answer.Notes, []string{note}) {
		t.Errorf("answer %+v, %v, want the note %q", answer, err, note)
	}
	var wrong *control.Error
	if _, err := k.Find(control.Query{If: []byte{9}}); !errors.As(err, &wrong) || wrong.Code != control.CodeRequest {
		t.Errorf("garbage as condition: %v", err)
	}
}

// There are bounds: on the number of calls, on their size, and on that of a message.
func TestKeptBounds(t *testing.T) {
	r, k, task := keeps(t)
	for i := 0; i < mostKept+10; i++ {
		if i%100 == 0 {
			task.Next()
		}
		k.add(&kept{f: &function.Func{Name: "m.F"}, wish: new(switchboard.Wish)})
	}
	if list := k.list; len(list) != mostKept || list[0].call.Number != 11 {
		t.Errorf("%d calls from %d on, want %d from 11 on", len(list), list[0].call.Number, mostKept)
	}
	k.Forget()
	large := make([]string, 10)
	for i := range large {
		large[i] = strings.Repeat("<", 3000)
	}
	for i := 0; i < 900; i++ {
		k.add(&kept{f: &function.Func{Name: "m.F"}, wish: new(switchboard.Wish), args: fully([]any{large, large, large})})
	}
	if k.bytes > mostKeptBytes || k.bytes < mostKeptBytes/2 {
		t.Errorf("%d calls with %d bytes are kept, want at most %d bytes", len(k.list), k.bytes, mostKeptBytes)
	}
	k.Forget()
	many := make([]any, 30)
	for i := range many {
		many[i] = large[0]
	}
	for i := 0; i < 200; i++ {
		r.Enter("m.F", many...).Exit(many...)
	}
	for news := task.Next(); len(news.Calls) > 0; news = task.Next() {
		if n := messageSize(t, control.Response{News: &news}); n > control.MaxMessage {
			t.Errorf("a message of %d bytes, want at most %d", n, control.MaxMessage)
		}
	}
	total := 0
	q := control.Query{}
	for n := uint64(0); n < 200; n++ {
		q.Numbers = append(q.Numbers, k.list[0].call.Number+n)
	}
	for more := true; more; more = q.After > 0 {
		answer, err := k.Find(q)
		if err != nil {
			t.Fatal(err)
		}
		if n := messageSize(t, control.Response{Calls: answer}); n > control.MaxMessage {
			t.Errorf("a message of %d bytes, want at most %d", n, control.MaxMessage)
		}
		total += len(answer.Calls)
		q.After = answer.After
	}
	if total != 200 {
		t.Errorf("%d calls in all messages, want 200", total)
	}
}

func messageSize(t *testing.T, r control.Response) int {
	t.Helper()
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return len(b)
}

// Policies that come later hold for calls that were kept before.
func TestKeptGuard(t *testing.T) {
	r, k, _ := keeps(t)
	r.Enter("m.F", 1, "secret").Exit(nil, nil)
	switchboard.Default.Guard(switchboard.Policy{Hide: true})
	answer, err := k.Find(control.Query{Numbers: []uint64{1}})
	if err != nil || len(answer.Calls) != 1 {
		t.Fatalf("answer %+v, %v, want a call", answer, err)
	}
	if c := answer.Calls[0]; !c.Hidden || c.Args != "" || c.Results != "" || c.ArgValues != nil || c.ResultValues != nil {
		t.Errorf("call %+v, want no values", c)
	}
	length := condition.Instruction{Op: condition.Value, Index: 1, Steps: []condition.Step{{Kind: condition.Len}}}
	read := condition.Program{Text: "len(args.s) > 0", Enter: condition.Code{length, {Op: condition.Int}, {Op: condition.Compare, Rel: condition.Greater}}}
	if list := found(t, k, control.Query{If: read.Append(nil)}); list != nil {
		t.Errorf("a condition on hidden values has found %v", list)
	}
	switchboard.Default.Guard(switchboard.Policy{Forbid: true})
	if list := found(t, k, control.Query{}); list != nil || k.Len() != 0 {
		t.Errorf("after monitors were forbidden there are calls %v", list)
	}
}
