package monitor_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/waymark-go/waymark"
	"github.com/waymark-go/waymark/internal/program/switchboard"
	"github.com/waymark-go/waymark/internal/testing/switchtest"
	"github.com/waymark-go/waymark/internal/wire/format"
	"github.com/waymark-go/waymark/monitor"
)

var (
	regIn  = waymark.NewGroup("registry.in")
	regOut = waymark.NewGroup("registry.out")
	regAll = waymark.NewGroup("registry.all", regIn, regOut)
)

// store registers a package with a function Read in registry.in and Write in registry.out, on a
// board of the test's own.
func store(t *testing.T) *switchtest.Runtime {
	r := switchtest.Fresh(t)
	monitor.Forget()
	t.Cleanup(monitor.Forget)
	b := switchboard.Default
	b.AddGroups(format.Group{Name: "registry.all", Subgroups: []string{"registry.in", "registry.out"}})
	p := r.Register("m/store", switchtest.Functions("m/store.Read", "m/store.Write", "m/store.mark"), format.Facility{
		Groups: []string{"m/store.In", "m/store.Out"}, Functions: []format.TracedFunction{
			{Name: "Read", Site: 0, Group: 0}, {Name: "Write", Site: 1, Group: 1}, {Name: "mark", Site: 2, Info: format.InfoEnter}}})
	b.Bind(p, []*switchboard.Bound{{Name: "registry.in"}, {Name: "registry.out"}})
	return r
}

// A tape makes monitors that write down what they are told.
type tape struct {
	name string
	made int
	list []string
}

func (f *tape) Create(pkg string) monitor.Monitor {
	f.made++
	return &taper{monitor.Base{Path: pkg}, f}
}

func (f *tape) take() string {
	list := f.list
	f.list = nil
	return strings.Join(list, "; ")
}

type taper struct {
	monitor.Base
	f *tape
}

func (m *taper) say(args ...any) { m.f.list = append(m.f.list, m.f.name+fmt.Sprint(args...)) }

func (m *taper) Enter(id int, args ...any)          { m.say("enter ", id, args) }
func (m *taper) Exit(id int)                        { m.say("exit ", id) }
func (m *taper) ExitResults(id int, results ...any) { m.say("exit ", id, results) }
func (m *taper) Panic(id int, value any)            { m.say("panic ", id, " ", value) }
func (m *taper) Info(args []any, caller, self int, p waymark.Point) {
	m.say("info ", args, caller, " ", self, " ", p)
}

func register(t *testing.T, g *waymark.Group, f monitor.Factory) {
	t.Helper()
	if err := monitor.Register(g, f); err != nil {
		t.Fatal(err)
	}
}

// calls calls both functions, and returns what a factory's monitors were told.
func calls(r *switchtest.Runtime, f *tape) string {
	r.Enter("m/store.Read", 1).Exit(2)
	r.Enter("m/store.Write").Exit()
	return f.take()
}

func check(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

// A factory makes one monitor for a package, which is told of a call once, against however many
// groups it is registered.
func TestOnce(t *testing.T) {
	r := store(t)
	f := new(tape)
	register(t, regIn, f)
	check(t, "in", calls(r, f), "enter 0 [1]; exit 0 [2]")
	register(t, regAll, f)
	check(t, "all, and in with the same factory", calls(r, f), "enter 0 [1]; exit 0 [2]; enter 1 []; exit 1")
	other := new(tape)
	register(t, regIn, other)
	check(t, "all, and in with another one", calls(r, f), "enter 0 [1]; exit 0 [2]; enter 1 []; exit 1")
	check(t, "the other one", other.take(), "enter 0 [1]; exit 0 [2]")
	if f.made != 1 || other.made != 1 {
		t.Errorf("made %d and %d monitors, want 1 and 1", f.made, other.made)
	}
	monitor.Clear(regAll)
	monitor.Clear(regIn)
	check(t, "cleared", calls(r, f)+calls(r, other), "")
	register(t, regIn, f)
	if calls(r, f); f.made != 2 {
		t.Errorf("made %d monitors when registered again, want 2", f.made)
	}
}

// What a monitor is told of a call.
func TestTold(t *testing.T) {
	r := store(t)
	f := new(tape)
	register(t, regOut, f)
	call := r.Enter("m/store.Write", "a")
	call.Mark("m/store.mark", "b")
	call.Panic("wrong")
	call.Goexit()
	call.Leave()
	check(t, "told", f.take(), "enter 1 [a]; info [b] 1 2 ENTER; panic 1 wrong; panic 1 runtime.Goexit; exit 1")
}

// broken panics where it enters a function.
type broken struct {
	monitor.Base
	made *int
}

func (b broken) Create(pkg string) monitor.Monitor { *b.made++; return b }
func (broken) Enter(int, ...any)                   { panic("broken") }

// What a factory is composed of is served by itself. What has panicked is made anew when it is
// registered again.
func TestParts(t *testing.T) {
	r := store(t)
	made := 0
	f, b := new(tape), broken{made: &made}
	register(t, regIn, monitor.Compose(b, f, f))
	check(t, "beside a broken one", calls(r, f)+calls(r, f), "enter 0 [1]; exit 0 [2]enter 0 [1]; exit 0 [2]")
	register(t, regOut, f)
	if calls(r, f); made != 1 || f.made != 1 {
		t.Errorf("made %d broken ones and %d others, want 1 and 1", made, f.made)
	}
	register(t, regIn, b)
	if calls(r, f); made != 2 {
		t.Errorf("made %d broken ones when registered again, want 2", made)
	}
	m := monitor.FactoryFunc(func(string) monitor.Monitor { panic("in Create") })
	register(t, regIn, m)
	calls(r, f)
}

// For returns the monitors that functions are told to.
func TestFor(t *testing.T) {
	store(t)
	for _, c := range []struct {
		pkg string
		g   *waymark.Group
		is  error
	}{{"m/none", regIn, monitor.ErrNotTraced}, {"m/store", nil, waymark.ErrNil}, {"m/store", inner, monitor.ErrNotInGroup}} {
		if m, err := monitor.For(c.pkg, c.g); m != nil || !errors.Is(err, c.is) {
			t.Errorf("of %s and %v: %v, %v, want %v", c.pkg, c.g, m, err, c.is)
		}
	}
	for _, c := range []struct {
		does func()
		want string
	}{
		{func() {}, "<nil>"},
		{func() { register(t, regAll, new(tape)) }, "*monitor_test.taper"},
		{func() { register(t, regIn, monitor.NoOp()) }, "*monitor.composite"},
		{func() { waymark.Guard(waymark.Policy{Kinds: []waymark.ObserverKind{waymark.KindNoOp}}) }, "monitor.Base"},
	} {
		c.does()
		m, err := monitor.For("m/store", regIn)
		if got := fmt.Sprintf("%T", m); got != c.want || err != nil {
			t.Errorf("a %s, %v, want a %s", got, err, c.want)
		}
	}
	if monitor.RegisteredFactory(regAll) != nil || monitor.RegisteredFactory(regIn) != monitor.NoOp() {
		t.Errorf("registered are %v and %v", monitor.RegisteredFactory(regAll), monitor.RegisteredFactory(regIn))
	}
	err := monitor.Register(regIn, monitor.Compose(monitor.NoOp(), new(tape)))
	if want := "register Compose(NoOp, *monitor_test.tape) against group registry.in by the program: the program allows only NoOp"; !errors.Is(err, waymark.ErrForbidden) || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if monitor.RegisteredFactory(regIn) != monitor.NoOp() {
		t.Error("what was refused has taken the place of what was there")
	}
}

// Names and ids of functions.
func TestFunctions(t *testing.T) {
	store(t)
	for id, want := range []string{"Read", "Write", "mark"} {
		name, err := monitor.FunctionName("m/store", id)
		back, err2 := monitor.FunctionID("m/store", want)
		if name != want || back != id || err != nil || err2 != nil {
			t.Errorf("id %d is %s, %v; %s is %d, %v", id, name, err, want, back, err2)
		}
	}
	_, unknown := monitor.FunctionID("m/store", "Close")
	_, high := monitor.FunctionName("m/store", 3)
	_, none := monitor.FunctionName("m/none", 0)
	_, none2 := monitor.FunctionID("m/none", "F")
	_, none3 := monitor.Functions("m/none")
	for _, c := range []struct {
		err, is error
		text    string
	}{
		{unknown, monitor.ErrFunction, "package m/store has no traced function Close"},
		{high, monitor.ErrID, "package m/store: id 3 is out of range: there are 3"},
		{none, monitor.ErrNotTraced, "package m/none is not traced: none of its functions is in a group, or it was not built by waymark"},
		{none2, monitor.ErrNotTraced, none.Error()}, {none3, monitor.ErrNotTraced, none.Error()},
	} {
		if !errors.Is(c.err, c.is) || c.err.Error() != c.text {
			t.Errorf("%v, want %s", c.err, c.text)
		}
	}
}

// One printer is told of a call once, by groups and by itself.
func TestPrinters(t *testing.T) {
	r := store(t)
	var out bytes.Buffer
	p := monitor.Print(&out)
	register(t, regIn, p)
	register(t, regAll, monitor.Compose(p, monitor.NoOp()))
	r.Enter("m/store.Read", 1).Exit(2)
	if n := strings.Count(out.String(), "\n"); n != 2 || !strings.Contains(out.String(), "> store.Read(1)\n") {
		t.Errorf("printed %q", out.String())
	}
}
