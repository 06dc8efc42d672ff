package waymark

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/internal/testing/switchtest"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// world gives a test groups and a switchboard of its own.
func world(t *testing.T) *switchtest.Runtime {
	before := groups
	groups = new(groupSet)
	t.Cleanup(func() { groups = before })
	return switchtest.Fresh(t)
}

// store registers a package whose functions Read and Write are in these groups.
func store(r *switchtest.Runtime, in, out *Group) {
	p := r.Register("m/store", switchtest.Functions("m/store.(*Stream).Read", "m/store.Write", "m/store.other", "m/store.mark"),
		format.Facility{Groups: []string{"m/store.In", "m/store.Out"}, Functions: []format.TracedFunction{
			{Name: "Stream.Read", Site: 0, Group: 0, Doc: "Read reads."}, {Name: "Write", Site: 1, Group: 1}, {Name: "mark", Site: 3, Info: format.InfoExit},
		}, Docs: []format.GroupDoc{{Name: "in", Doc: "What reads."}}})
	p.Groups = []any{in, out}
	bind(p)
}

func TestGroups(t *testing.T) {
	world(t)
	inner := NewGroup("inner")
	outer := NewGroup("outer", inner)
	late := NewGroup("late")
	for _, when := range []string{"first", "second"} {
		if err := outer.Add(late); err != nil {
			t.Errorf("added for the %s time: %v", when, err)
		}
	}
	if got := fmt.Sprint(outer.Subgroups()); got != "[inner late]" {
		t.Errorf("outer contains %s, want [inner late]", got)
	}
	for _, c := range []struct {
		g, h *Group
		want bool
	}{{outer, inner, true}, {outer, outer, true}, {inner, outer, false}, {inner, late, false}} {
		if got := c.g.Contains(c.h); got != c.want {
			t.Errorf("%s contains %s: %v, want %v", c.g, c.h, got, c.want)
		}
	}
	if g, err := GroupByName("inner"); g != inner || err != nil {
		t.Errorf("by name: %v, %v, want inner", g, err)
	}
	NewGroup("inner")
	if got := fmt.Sprint(Groups()); got != "[inner outer late]" {
		t.Errorf("groups %s, want [inner outer late]", got)
	}
}

// What is wrong with a group is an error where the group is used.
func TestGroupErrors(t *testing.T) {
	world(t)
	inner := NewGroup("inner")
	outer := NewGroup("outer", inner)
	second, bad, holed := NewGroup("inner"), NewGroup("a name"), NewGroup("holed", inner, nil)
	around := NewGroup("around", bad, inner)
	attach := func(s Selector) error { _, err := Attach(s, Print(nil)); return err }
	record := func(s Selector) error { _, err := Record(s, "x.wmt"); return err }
	_, unknown := GroupByName("unknown")
	_, noObserver := Attach(inner, nil)
	var none *Group
	for _, c := range []struct {
		what    string
		err, is error
		text    string
	}{
		{"a second one of the name", attach(second), ErrDuplicate, "group inner: there is another group of this name; the second can't be used"},
		{"recorded", record(second), ErrDuplicate, "group inner: there is another group of this name; the second can't be used"},
		{"a name with a space", bad.Err(), ErrName, `group "a name": want a name of letters, digits and _ - . /`},
		{"added to that", bad.Add(inner), ErrName, `group "a name": want a name of letters, digits and _ - . /`},
		{"that one added", outer.Add(bad), ErrName, `group "a name": want a name of letters, digits and _ - . /`},
		{"a nil subgroup", holed.Err(), ErrNil, "group holed: a subgroup (number 2) is nil"},
		{"nil added", outer.Add(nil), ErrNil, "group outer: a subgroup (number 1) is nil"},
		{"a cycle", inner.Add(outer), ErrCycle, "group inner would contain itself: inner > outer > inner"},
		{"no selector", attach(nil), ErrNil, "the group is nil"},
		{"no group", attach(none), ErrNil, "the group is nil"},
		{"no observer", noObserver, ErrNil, "the observer is nil"},
		{"by name", unknown, ErrUnknownGroup, "there is no group unknown"},
		{"a recording in a plain program", record(inner), ErrNotBuilt, ErrNotBuilt.Error()},
		{"a group of a bad one and a good one", around.Err(), nil, "<nil>"},
	} {
		if !errors.Is(c.err, c.is) || fmt.Sprint(c.err) != c.text {
			t.Errorf("%s: %v, want %s", c.what, c.err, c.text)
		}
	}
	var g *GroupError
	if err := inner.Add(outer); !errors.As(err, &g) || g.Group != "inner" {
		t.Errorf("the error of a cycle is %#v, want a GroupError of inner", err)
	}
	if outer.Contains(bad) || around.Contains(bad) || !around.Contains(inner) {
		t.Errorf("outer %v, around %v", outer.Subgroups(), around.Subgroups())
	}
}

// What Attach sees, until Close.
func TestAttach(t *testing.T) {
	r := world(t)
	in := NewGroup("in")
	all := NewGroup("all", in)
	store(r, in, NewGroup("out"))
	var seen []string
	a, err := Attach(all, ObserverFunc(func(e *Event) {
		seen = append(seen, fmt.Sprintln(e.Kind, e.Func, e.Args(), e.Results(), e.Returned, e.Value, e.Caller, e.Point))
	}))
	if err != nil {
		t.Fatal(err)
	}
	call := r.Enter("m/store.(*Stream).Read", 1)
	call.Mark("m/store.mark", "x")
	call.Panic("wrong")
	call.Goexit()
	for i := 0; i < 2; i++ {
		if err := a.Close(); err != nil {
			t.Errorf("closed: %v", err)
		}
	}
	call.Exit(2)
	if r.Enter("m/store.(*Stream).Read") != nil {
		t.Error("a closed attachment is told of a call")
	}
	got := strings.Join(seen, "")
	want := `enter m/store.(*Stream).Read [1] [] false <nil> <nil> NONE
marker m/store.mark [x] [] false <nil> m/store.(*Stream).Read EXIT
panic m/store.(*Stream).Read [] [] false wrong <nil> NONE
goexit m/store.(*Stream).Read [] [] false <nil> <nil> NONE
exit m/store.(*Stream).Read [] [2] true <nil> <nil> NONE
`
	if got != want {
		t.Errorf("seen\n%s; want\n%s", got, want)
	}
}

// What selectors select.
func TestSelectors(t *testing.T) {
	r := world(t)
	in, out := NewGroup("in"), NewGroup("out")
	NewGroup("all", in)
	store(r, in, out)
	for _, c := range []struct {
		s    Selector
		want string
	}{
		{in, "m/store.(*Stream).Read"}, {Pattern("@all"), "m/store.(*Stream).Read"}, {Pattern("@all", "@out"), "m/store.(*Stream).Read m/store.Write"},
		{Pattern("m/..."), "m/store.(*Stream).Read m/store.Write m/store.other"}, {Pattern("m/store.Stream.*"), "m/store.(*Stream).Read"},
		{Pattern("/other$/", "@in"), "m/store.(*Stream).Read m/store.other"}, {Pattern("m/none"), ""}, {Pattern(), ""}, {Pattern("/(/"), ""},
	} {
		var names, attached []string
		for _, f := range Funcs(c.s) {
			names = append(names, f.Name)
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%v selects %q, want %q", c.s, got, c.want)
		}
		a, err := Attach(c.s, Print(nil))
		if err != nil {
			if c.want != "" {
				t.Errorf("%v: %v", c.s, err)
			}
			continue
		}
		for _, f := range a.Funcs() {
			attached = append(attached, f.Name)
		}
		if got := strings.Join(attached, " "); got != c.want {
			t.Errorf("attached to %v sees %q, want %q", c.s, got, c.want)
		}
		a.Close()
	}
	if f := Funcs(in)[0]; f.TracingName != "Stream.Read" || f.Group != "in" || fmt.Sprint(f.Groups) != "[all in]" || f.Doc != "Read reads." || f.Line != 1 || in.Doc() != "What reads." {
		t.Errorf("function %+v of group %q", f, in.Doc())
	}
	for _, s := range []Selector{Pattern(), Pattern("/(/")} {
		if _, err := Attach(s, Print(nil)); err == nil {
			t.Errorf("attached to %v", s)
		}
	}
}

// Lines of Print, by group and by pattern.
func TestPrint(t *testing.T) {
	r := world(t)
	in, out := NewGroup("in"), NewGroup("out")
	store(r, in, out)
	var b bytes.Buffer
	p := Print(&b)
	for _, s := range []Selector{in, Pattern("m/store")} { // each call once, all the same
		if _, err := Attach(s, p); err != nil {
			t.Fatal(err)
		}
	}
	outer := r.Enter("m/store.(*Stream).Read", 1, "x")
	outer.Mark("m/store.mark", 5)
	inner := r.Enter("m/store.other", Masked{})
	inner.Panic(errors.New("boom"))
	inner.Goexit()
	inner.Leave()
	outer.Exit(7, nil)
	got := regexp.MustCompile(`(?m)^\S+ \[0\] `).ReplaceAllString(b.String(), "")
	want := `> store.Stream.Read(1, "x")
  . store.mark(5) EXIT
  > store.other(***)
  ! store.other panics: boom
  ! store.other calls runtime.Goexit
  < store.other
< store.Stream.Read = 7, <nil>
`
	if got != want {
		t.Errorf("printed\n%s; want\n%s", got, want)
	}
	if text := Text([]int{1, 2}); text != "[1 2]" {
		t.Errorf("Text %s, want [1 2]", text)
	}
}

// A policy removes what is not allowed, and refuses more.
func TestGuard(t *testing.T) {
	r := world(t)
	in, out := NewGroup("in"), NewGroup("out")
	store(r, in, out)
	o := ObserverFunc(func(*Event) {})
	a, err := Attach(Pattern("m/store"), o)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Attach(in, o)
	if err != nil {
		t.Fatal(err)
	}
	Guard(Policy{Groups: []*Group{in, nil}, NoArguments: true})
	if n, m := len(a.Funcs()), len(b.Funcs()); n != 0 || m != 1 {
		t.Errorf("%d functions by pattern, %d by group are seen; want 0 and 1", n, m)
	}
	_, err = Attach(out, o)
	var policy *PolicyError
	if !errors.As(err, &policy) || !errors.Is(err, ErrForbidden) || *policy != (PolicyError{Kind: "waymark.ObserverFunc", Group: "out", Origin: FromProgram, Reason: "the program forbids this group"}) {
		t.Errorf("attached to another group: %#v", err)
	}
	Guard(Policy{Origins: []Origin{FromCommand, FromEnvironment}, Kinds: []ObserverKind{KindPrint}})
	if _, err := Attach(in, Print(nil)); err == nil || err.Error() != "register Print against group in by the program: the program doesn't allow it to this caller" {
		t.Errorf("attached: %v", err)
	}
	if text := fmt.Sprint(FromProgram, ", ", FromEnvironment, ", ", FromCommand, ", ", Origin(7)); text != "the program, the environment, the control socket, Origin(7)" {
		t.Error(text)
	}
}

// A plain program records nothing.
func TestNoRecording(t *testing.T) {
	world(t)
	if _, err := Dump(); !errors.Is(err, ErrNoWindow) {
		t.Errorf("dumped: %v, want %v", err, ErrNoWindow)
	}
}

func TestWords(t *testing.T) {
	if got := fmt.Sprint(NoPoint, Begin, End, Point(7), Enter, Exit, Panic, Goexit, Marker, Kind(99)); got != "NONE ENTER EXIT Point(7) enter exit panic goexit marker kind(99)" {
		t.Error(got)
	}
	e := &Event{Kind: Exit, Value: 3}
	if c := e.Clone(); c == e || c.Value != 3 || c.Hidden() {
		t.Errorf("clone %+v", c)
	}
}
