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
				t.Errorf("after %s: %s is active: %v, and has handlers: %v; want the same", step.do, name, m.Active(), timer.told.Load() != nil)
			}
		}
		if got := strings.Join(active, " "); got != step.want {
			t.Errorf("after %q active are %q, want %q", step.do, got, step.want)
		}
	}
	outer.Enable()
	if a.Enabled() || !outer.Enabled() {
		t.Errorf("enabled: a %v, outer %v; want false, true", a.Enabled(), outer.Enabled())
	}
	if first, second := outer.Remove(inner), outer.Remove(inner); !first || second || a.Active() || !b.Active() {
		t.Errorf("inner removed: %v, then %v; a is active: %v, b: %v; want true, false; false, true", first, second, a.Active(), b.Active())
	}
	if err := outer.Add(a); err != nil || !a.Active() {
		t.Errorf("added to an enabled group: %v, active: %v; want no error, true", err, a.Active())
	}
	const lists = "[b a] [a b] [inner other outer]"
	if got := fmt.Sprint(outer.Members(), s.Timers(), s.Groups()); got != lists {
		t.Errorf("members, timers and groups %s, want %s", got, lists)
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
	second := func(_ any, err error) error { return err }
	for _, tt := range []struct {
		err  error
		is   error
		name string
		text string
	}{
		{inner.Add(outer), ErrCycle, "inner", "timer group inner would contain itself: inner > outer > middle > inner"},
		{inner.Add(inner), ErrCycle, "inner", "timer group inner would contain itself: inner > inner"},
		{second(s.Timer("a", "")), ErrDuplicate, "a", "timer a: there is another timer or group of this name"},
		{second(s.Group("a", "")), ErrDuplicate, "a", "timer a: there is another timer or group of this name"},
		{second(s.Timer("outer", "")), ErrDuplicate, "outer", "timer outer: there is another timer or group of this name"},
		{second(s.Timer("", "")), ErrName, "", `timer "": want a name of printable characters`},
		{second(s.Group("a\nb", "")), ErrName, "a\nb", `timer "a\nb": want a name of printable characters`},
		{second(s.Timer("a\xff", "")), ErrName, "a\xff", `timer "a\xff": want a name of printable characters`},
		{inner.Add(nil), ErrNil, "inner", "timer group inner: a member is nil"},
		{inner.Add(noTimer), ErrNil, "inner", "timer group inner: a member is nil"},
		{inner.Add(noGroup), ErrNil, "inner", "timer group inner: a member is nil"},
		{second(s.Group("new", "", a, nil)), ErrNil, "new", "timer group new: a member is nil"},
		{inner.Add(foreign), ErrForeign, "inner", "timer group inner: foreign is of another set"},
		{second(s.Group("new", "", foreign)), ErrForeign, "new", "timer group new: foreign is of another set"},
		{second(s.Lookup("new")), ErrUnknown, "new", "there is no timer or group new"},
	} {
		var e *Error
		if !errors.As(tt.err, &e) || e.Name != tt.name || e.Err != tt.is || e.Error() != tt.text {
			t.Errorf("got %#v, want name %q, error %q, text %q", tt.err, tt.name, tt.is, tt.text)
		}
	}
	if timer, err := s.Timer("a", ""); timer != nil || err == nil {
		t.Errorf("a second timer of the name is %v, with error %v; want none, with an error", timer, err)
	}
	if m, err := s.Lookup("a"); m != Member(a) || err != nil || m.Description() != "Timer a." {
		t.Errorf("by name: %v, %v; want %v with its description, and no error", m, err, a)
	}
	if inner.Add(a); len(inner.Members()) != 1 {
		t.Errorf("added twice: %v, want one member", inner.Members())
	}
	if inner.Remove(nil) {
		t.Error("Remove(nil) is true, want false")
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
	want := name + " [timing.read timing.write] [" + name + " timing.read timing.write]"
	if got := fmt.Sprint(g, g.Members(), s.Groups()); got != want {
		t.Errorf("groups %s, want %s", got, want)
	}
	if again := must(s.GroupOf(both))(t); again != g || g.Description() != "Functions in group "+name+"." {
		t.Errorf("again %p, %q; want %p, %q", again, g.Description(), g, "Functions in group "+name+".")
	}
	g.Enable()
	if !mine.Active() {
		t.Error("a timer in a group of the same name is not active, want active")
	}
	if err := both.Add(late); err != nil {
		t.Fatal(err)
	}
	want = "[" + name + " timing.late timing.read timing.write]"
	if got := fmt.Sprint(s.Groups()); got != want {
		t.Errorf("later %s, want %s", got, want)
	}
	if _, err := s.GroupOf(nil); !errors.Is(err, ErrNil) {
		t.Errorf("of nil: %v, want %v", err, ErrNil)
	}
	if _, err := s.GroupOf(bad); !errors.Is(err, ErrDuplicate) {
		t.Errorf("of a group with a mistake: %v, want %v", err, ErrDuplicate)
	}
	s = NewSet(Config{})
	must(s.Timer("timing.late", ""))(t)
	if _, err := s.GroupOf(late); !errors.Is(err, ErrDuplicate) {
		t.Errorf("of a group whose name a timer has: %v, want %v", err, ErrDuplicate)
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
		t.Errorf("registered is %v of kind %s, want %v of kind Timing", f, monitor.KindOf(f), Monitor(s))
	}
	if g := must(s.GroupOf(read))(t); !g.Active() {
		t.Error("the group is not active after Attach, want active")
	}
	if err := Attach(s, nil); !errors.Is(err, ErrNil) {
		t.Errorf("attached to nil: %v, want %v", err, ErrNil)
	}
	if err := Attach(nil, read); !errors.Is(err, ErrNil) {
		t.Errorf("attached to no set: %v, want %v", err, ErrNil)
	}
	m := Monitor(s).Create("example.com/not/traced")
	m.Enter(3)
	m.Info(nil, 3, 4, waymark.Begin)
	m.Exit(3)
	m.ExitResults(0, 1)
	m.Panic(3, "x")
	m.Clear()
	if len(s.Timers()) != 0 || m.Package() != "example.com/not/traced" {
		t.Errorf("timers %v of package %s, want none of example.com/not/traced", s.Timers(), m.Package())
	}
}
