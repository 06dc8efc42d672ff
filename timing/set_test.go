package timing

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/waymark-go/waymark"
	"github.com/waymark-go/waymark/monitor"
)

// A timer is active while it is enabled or a group around it is.
func TestActive(t *testing.T) {
	s := NewSet(Config{})
	s.AddHandler(NewStatistics())
	a, b := must(s.Timer("a", ""))(t), must(s.Timer("b", ""))(t)
	inner := must(s.Group("inner", "", a))(t)
	outer := must(s.Group("outer", "", inner, b))(t)
	other := must(s.Group("other", "", a))(t)
	members := map[string]Member{"a": a, "b": b, "inner": inner, "outer": outer, "other": other}
	for _, step := range []struct{ do, want string }{
		{"", ""},
		{"+a", "a"},
		{"+outer", "a b inner outer"},
		{"-a", "a b inner outer"},
		{"+other", "a b inner other outer"},
		{"-outer", "a other"},
		{"+inner", "a inner other"},
		{"-other", "a inner"},
		{"-inner", ""},
	} {
		switch {
		case strings.HasPrefix(step.do, "+"):
			members[step.do[1:]].Enable()
		case strings.HasPrefix(step.do, "-"):
			members[step.do[1:]].Disable()
		}
		var active []string
		for _, name := range []string{"a", "b", "inner", "other", "outer"} {
			m := members[name]
			if m.Active() {
				active = append(active, name)
			}
			if timer, ok := m.(*Timer); ok && (timer.told.Load() != nil) != m.Active() {
				t.Errorf("after %s: %s is active: %v, and tells: %v", step.do, name, m.Active(), timer.told.Load() != nil)
			}
		}
		if got := strings.Join(active, " "); got != step.want {
			t.Errorf("after %q active are %q, want %q", step.do, got, step.want)
		}
	}
	outer.Enable()
	if a.Enabled() || !outer.Enabled() {
		t.Errorf("enabled: a %v, outer %v", a.Enabled(), outer.Enabled())
	}
	if !outer.Remove(inner) || outer.Remove(inner) || a.Active() || !b.Active() {
		t.Errorf("with inner removed a is active: %v, b: %v", a.Active(), b.Active())
	}
	if err := outer.Add(a); err != nil || !a.Active() {
		t.Errorf("added to an enabled group: %v, active: %v", err, a.Active())
	}
	if got := fmt.Sprint(outer.Members(), s.Timers(), s.Groups()); got != "[b a] [a b] [inner other outer]" {
		t.Errorf("lists %s", got)
	}
}

func TestMistakes(t *testing.T) {
	s, other := NewSet(Config{}), NewSet(Config{})
	a := must(s.Timer("a", "Timer a."))(t)
	inner := must(s.Group("inner", "", a))(t)
	middle := must(s.Group("middle", "", inner))(t)
	outer := must(s.Group("outer", "", middle))(t)
	foreign := must(other.Timer("foreign", ""))(t)
	var noTimer *Timer
	var noGroup *Group
	var cycle *CycleError
	var duplicate *DuplicateError
	var name *NameError
	var none *NilError
	var stranger *ForeignError
	var unknown *UnknownError
	second := func(_ any, err error) error { return err }
	for _, tt := range []struct {
		err  error
		as   any
		text string
	}{
		{inner.Add(outer), &cycle, "timer group inner would contain itself: inner > outer > middle > inner"},
		{inner.Add(inner), &cycle, "timer group inner would contain itself: inner > inner"},
		{second(s.Timer("a", "")), &duplicate, "timer a: there is another timer or group of this name"},
		{second(s.Group("a", "")), &duplicate, "timer a: there is another timer or group of this name"},
		{second(s.Timer("outer", "")), &duplicate, "timer outer: there is another timer or group of this name"},
		{second(s.Timer("", "")), &name, `timer "": want a name of printable characters`},
		{second(s.Group("a\nb", "")), &name, `timer "a\nb": want a name of printable characters`},
		{second(s.Timer("a\xff", "")), &name, `timer "a\xff": want a name of printable characters`},
		{inner.Add(nil), &none, "timer group inner: a member is nil"},
		{inner.Add(noTimer), &none, "timer group inner: a member is nil"},
		{inner.Add(noGroup), &none, "timer group inner: a member is nil"},
		{second(s.Group("new", "", a, nil)), &none, "timer group new: a member is nil"},
		{inner.Add(foreign), &stranger, "timer group inner: foreign is of another set"},
		{second(s.Group("new", "", foreign)), &stranger, "timer group new: foreign is of another set"},
		{second(s.Lookup("new")), &unknown, "there is no timer or group new"},
	} {
		if !errors.As(tt.err, tt.as) || tt.err.Error() != tt.text {
			t.Errorf("got %T %v, want %s", tt.err, tt.err, tt.text)
		}
	}
	if timer, err := s.Timer("a", ""); timer != nil || err == nil {
		t.Errorf("a second timer of the name is %v", timer)
	}
	if m, err := s.Lookup("a"); m != Member(a) || err != nil || m.Description() != "Timer a." {
		t.Errorf("by name: %v, %v", m, err)
	}
	if inner.Add(a); len(inner.Members()) != 1 {
		t.Errorf("added twice: %v", inner.Members())
	}
	if inner.Remove(nil) {
		t.Error("nil was removed")
	}
}

var (
	read  = waymark.NewGroup("timing.read")
	write = waymark.NewGroup("timing.write")
	late  = waymark.NewGroup("timing.late")
	bad   = waymark.NewGroup("timing.read")

	runs int // of TestGroupOf
)

// Groups stand for waymark's, with what these contain, also later.
func TestGroupOf(t *testing.T) {
	runs++
	name := fmt.Sprintf("timing.both.%d", runs) // no two groups of a program have one name
	both := waymark.NewGroup(name, read, write)
	s := NewSet(Config{})
	mine := must(s.Timer("mine", ""))(t)
	must(s.Group("timing.read", "My own.", mine))(t)
	g := must(s.GroupOf(both))(t)
	if got := fmt.Sprint(g, g.Members(), s.Groups()); got != name+" [timing.read timing.write] ["+name+" timing.read timing.write]" {
		t.Errorf("groups %s", got)
	}
	if again := must(s.GroupOf(both))(t); again != g || g.Description() != "Functions in group "+name+"." {
		t.Errorf("again %p, not %p: %s", again, g, g.Description())
	}
	g.Enable()
	if !mine.Active() {
		t.Error("what is in a group of mine isn't active")
	}
	if err := both.Add(late); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(s.Groups()); got != "["+name+" timing.late timing.read timing.write]" {
		t.Errorf("later %s", got)
	}
	if _, err := s.GroupOf(nil); !errors.Is(err, waymark.ErrNil) {
		t.Errorf("of nil: %v", err)
	}
	if _, err := s.GroupOf(bad); !errors.Is(err, waymark.ErrDuplicate) {
		t.Errorf("of a group with a mistake: %v", err)
	}
	s = NewSet(Config{})
	must(s.Timer("timing.late", ""))(t)
	var duplicate *DuplicateError
	if _, err := s.GroupOf(late); !errors.As(err, &duplicate) {
		t.Errorf("of one whose name a timer has: %v", err)
	}
}

// What a plain program can see of monitors.
func TestAttach(t *testing.T) {
	s := NewSet(Config{})
	if err := Attach(s, read, write); err != nil {
		t.Fatal(err)
	}
	defer monitor.Clear(read)
	defer monitor.Clear(write)
	if f := monitor.RegisteredFactory(write); f != Monitor(s) || monitor.KindOf(f) != "Timing" {
		t.Errorf("registered is %v of kind %s", f, monitor.KindOf(f))
	}
	if g := must(s.GroupOf(read))(t); !g.Active() {
		t.Error("the group isn't active")
	}
	if err := Attach(s, nil); !errors.Is(err, waymark.ErrNil) {
		t.Errorf("attached to nil: %v", err)
	}
	var noSet *NilError
	if err := Attach(nil, read); !errors.As(err, &noSet) {
		t.Errorf("attached to no set: %v", err)
	}
	m := Monitor(s).Create("example.com/not/traced")
	m.Enter(3)
	m.Info(nil, 3, 4, waymark.Begin)
	m.Exit(3)
	m.ExitResults(0, 1)
	m.Panic(3, "x")
	m.Clear()
	if len(s.Timers()) != 0 || m.Package() != "example.com/not/traced" {
		t.Errorf("timers %v of package %s", s.Timers(), m.Package())
	}
}
