package switchboard_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/program/switchboard"
	"github.com/waymark-go/waymark/internal/testing/switchtest"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// store registers a package with two functions in groups, one in none, and two info functions.
func store(r *switchtest.Runtime) *rt.Package {
	return r.Register("m/store", switchtest.Functions("m/store.Read", "m/store.Write", "m/store.other", "m/store.mark", "m/store.begin"),
		format.Facility{Groups: []string{"m/store.In", "m/store.Out"}, Functions: []format.TracedFunction{
			{Name: "Read", Site: 0, Group: 0, Doc: "Read reads."},
			{Name: "Unused", Site: -1, Group: 1},
			{Name: "Write", Site: 1, Group: 1},
			{Name: "begin", Site: 4, Info: format.InfoEnter},
			{Name: "mark", Site: 3, Info: format.InfoNone},
		}, Docs: []format.GroupDoc{{Name: "In", Doc: "What reads."}}})
}

// bind makes the groups In and Out known that the package's variables hold, and All, which contains
// both.
func bind(p *rt.Package) {
	b := switchboard.Default
	b.AddGroups(format.Group{Name: "All", Subgroups: []string{"In", "Out"}})
	b.Bind(p, []*switchboard.Bound{{Name: "In"}, {Name: "Out"}})
}

// A log is an observer that keeps what it sees as text.
type log struct {
	name string
	list []string
}

func (l *log) Observe(e *switchboard.Event) {
	text := e.Kind.String() + " " + e.Func.Name
	switch e.Kind {
	case switchboard.Enter:
		text += fmt.Sprint(e.Args())
	case switchboard.Exit:
		text += fmt.Sprint(e.Results(), e.Returned)
	case switchboard.Marker:
		text += fmt.Sprint(e.Args(), e.Caller, e.Point)
	case switchboard.Panic:
		text += fmt.Sprint(" ", e.Value)
	}
	l.list = append(l.list, l.name+text)
}

func (l *log) take() []string {
	list := l.list
	l.list = nil
	return list
}

func observed(o switchboard.Observer, s switchboard.Selection) switchboard.Wish {
	return switchboard.Wish{Want: rt.Watched, Select: s, Kind: "log", Observer: func(string) switchboard.Observer { return o }}
}

func groups(names ...string) switchboard.Selection { return switchboard.Selection{Groups: names} }

func named(name string) switchboard.Selection {
	return switchboard.Selection{Has: func(f *function.Func) bool { return f.Name == name }}
}

// words checks what is wanted of the functions of package store.
func words(t *testing.T, r *switchtest.Runtime, when string, want ...string) {
	t.Helper()
	var got []string
	for _, name := range []string{"Read", "Write", "other", "mark", "begin"} {
		got = append(got, r.Word("m/store."+name))
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s: words %q, want %q", when, got, want)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

// A site's word is the union of wishes, and an owner that leaves takes its own along.
func TestUnion(t *testing.T) {
	r := switchtest.Fresh(t)
	b := switchboard.Default
	bind(store(r))
	first, second, third := b.Join("a", switchboard.Program), b.Join("b", switchboard.Program), b.Join("c", switchboard.Environment)
	must(t, first.Set(switchboard.Wish{Want: rt.Timed}))
	words(t, r, "timed", "timed", "timed", "timed", "", "")
	must(t, second.Set(observed(new(log), groups("In"))))
	words(t, r, "and observed", "watched timed", "timed", "timed", "watched", "watched")
	must(t, third.Set(switchboard.Wish{Want: rt.Recorded, Select: named("m/store.other"), Kind: "Record"}))
	words(t, r, "without a recording", "watched timed", "timed", "timed", "watched", "watched")
	first.Close()
	words(t, r, "without times", "watched", "", "", "watched", "watched")
	must(t, second.Set(observed(new(log), groups("All"))))
	words(t, r, "of another group", "watched", "watched", "", "watched", "watched")
	second.Close()
	second.Close()
	words(t, r, "closed", "", "", "", "", "")
	before := r.Stores
	must(t, third.Set(switchboard.Wish{Want: rt.Counted, Select: groups("Nothing")}))
	equal(t, "stores of words that stay", r.Stores, before)
}

// Packages that register later, and groups that grow, are switched.
func TestLater(t *testing.T) {
	r := switchtest.Fresh(t)
	b := switchboard.Default
	l := new(log)
	owner := b.Join("log", switchboard.Program)
	must(t, owner.Set(observed(l, groups("In", "Around"))))
	p := store(r)
	words(t, r, "registered", "", "", "", "", "")
	bind(p)
	words(t, r, "bound", "watched", "", "", "watched", "watched")
	b.AddGroups(format.Group{Name: "Around", Subgroups: []string{"Out"}})
	words(t, r, "grown", "watched", "watched", "", "watched", "watched")
	var names []string
	for _, f := range owner.Funcs() {
		names = append(names, f.Name+" of "+f.Group+" in "+strings.Join(f.Groups, " "))
	}
	equal(t, "functions", names, []string{"m/store.Read of In in All In", "m/store.Write of Out in All Around Out"})
	// Those of the package's own tests, in a group that is known.
	b.Bind(r.Register("m/store", switchtest.Functions("m/store.helper"), format.Facility{Groups: []string{"m/store.In"}, First: 5,
		Functions: []format.TracedFunction{{Name: "helper", Site: 0}}}), []*switchboard.Bound{{Name: "In"}})
	equal(t, "word of a test's function", r.Word("m/store.helper"), "watched")
	other := b.Join("other", switchboard.Program)
	must(t, other.Set(switchboard.Wish{Want: rt.Counted, Select: named("m/later.F")}))
	r.Register("m/later", switchtest.Functions("m/later.F", "m/later.G"), format.Facility{})
	equal(t, "words of a later package", []string{r.Word("m/later.F"), r.Word("m/later.G")}, []string{"counted", ""})
}

// Functions are in built-in groups, unless the program has a group of that name, now or later.
func TestRoles(t *testing.T) {
	r := switchtest.Fresh(t)
	b := switchboard.Default
	owner := b.Join("counter", switchboard.Program)
	must(t, owner.Set(switchboard.Wish{Want: rt.Counted, Select: groups("http")}))
	sites := switchtest.Functions("m.handle", "m.query", "m.one")
	sites[0].Flags, sites[1].Flags, sites[2].Flags = format.HTTP, format.SQL|format.Closure, format.Test
	r.Register("m", sites, format.Facility{})
	equal(t, "a handler's word", []string{r.Word("m.handle"), r.Word("m.query")}, []string{"counted", ""})
	equal(t, "functions", names(owner.Funcs()), []string{"m.handle"})
	must(t, owner.Set(switchboard.Wish{Want: rt.Counted, Select: groups("sql")}))
	equal(t, "words of queries", []string{r.Word("m.handle"), r.Word("m.query")}, []string{"", "counted"})
	must(t, owner.Set(switchboard.Wish{Want: rt.Counted, Select: groups("http")}))
	p := r.Register("m/own", switchtest.Functions("m/own.F"), format.Facility{Groups: []string{"m/own.HTTP"}, Functions: []format.TracedFunction{{Name: "F", Site: 0}}})
	b.Bind(p, []*switchboard.Bound{{Name: "http"}})
	equal(t, "words with an own group", []string{r.Word("m.handle"), r.Word("m/own.F")}, []string{"", "counted"})
	late := switchtest.Functions("m/late.handle")
	late[0].Flags = format.HTTP
	r.Register("m/late", late, format.Facility{})
	equal(t, "a later handler's word", r.Word("m/late.handle"), "")
	equal(t, "functions of the own group", names(owner.Funcs()), []string{"m/own.F"})
}

// names returns the names of functions.
func names(list []*function.Func) (names []string) {
	for _, f := range list {
		names = append(names, f.Name)
	}
	return names
}

// A recording is told of a package before a site of it is recorded.
func TestRecording(t *testing.T) {
	r := switchtest.Fresh(t)
	b := switchboard.Default
	var order []string
	ended := false
	rec := &switchboard.Recording{
		Package: func(p *rt.Package) {
			order = append(order, fmt.Sprint(p.Base, " ", r.Word("m/store.Read"), r.Word("m/later.F")))
		},
		Groups: func(list []format.Group) { order = append(order, "group "+list[0].Name) },
		Ended:  func() bool { return ended },
	}
	store(r)
	owner := b.Join("Record", switchboard.Environment)
	must(t, owner.Set(switchboard.Wish{Want: rt.Recorded, Kind: "Record", Narrow: true}))
	words(t, r, "no recording", "", "", "", "", "")
	b.Record(rec)
	words(t, r, "all", "recorded", "recorded", "recorded", "recorded", "recorded")
	r.Register("m/later", switchtest.Functions("m/later.F"), format.Facility{})
	equal(t, "a later package", r.Word("m/later.F"), "recorded")
	b.AddGroups(format.Group{Name: "In"})
	equal(t, "told", order, []string{"1 ", "6 recorded", "group In"})
	must(t, owner.Set(switchboard.Wish{Want: rt.Recorded, Kind: "Record", Select: groups("In")}))
	words(t, r, "of a group without functions", "", "", "", "", "")
	must(t, owner.Set(switchboard.Wish{Want: rt.Recorded, Kind: "Record", Select: named("m/store.other")}))
	words(t, r, "of a function", "", "", "recorded", "recorded", "recorded")
	b.EndRecord(new(switchboard.Recording))
	words(t, r, "another one has ended", "", "", "recorded", "recorded", "recorded")
	b.EndRecord(rec)
	words(t, r, "ended", "", "", "", "", "")
	b.Record(rec)
	words(t, r, "again", "", "", "recorded", "recorded", "recorded")
	ended = true
	must(t, b.Join("x", switchboard.Program).Set(switchboard.Wish{Want: rt.Counted}))
	words(t, r, "ended by itself", "counted", "counted", "counted", "", "")
}

// Observers see all that happens to calls, each once, and ends go where beginnings went.
func TestDispatch(t *testing.T) {
	r := switchtest.Fresh(t)
	b := switchboard.Default
	bind(store(r))
	first, second := &log{name: "1 "}, &log{name: "2 "}
	var all []string
	both := func(o *log) switchboard.Observer {
		return observerFunc(func(e *switchboard.Event) { o.Observe(e); all = append(all, o.take()...) })
	}
	one := &pointer{both(first)}
	a, c := b.Join("1", switchboard.Program), b.Join("2", switchboard.Program)
	must(t, a.Set(observed(one, groups("In")), observed(one, groups("All"))))
	must(t, c.Set(observed(&pointer{both(second)}, groups("All"))))
	call := r.Enter("m/store.Read", 1, "x")
	c.Close()
	marked := call.Mark("m/store.begin", 7)
	call.Panic("wrong")
	call.Goexit()
	call.Exit(2, nil)
	left := r.Enter("m/store.Read")
	left.Leave()
	equal(t, "events", all, []string{
		"1 enter m/store.Read[1 x]", "2 enter m/store.Read[1 x]",
		"1 marker m/store.begin[7] m/store.Read ENTER", "2 marker m/store.begin[7] m/store.Read ENTER",
		"1 panic m/store.Read wrong", "2 panic m/store.Read wrong", "1 goexit m/store.Read", "2 goexit m/store.Read",
		"2 exit m/store.Read[2 <nil>] true", "1 exit m/store.Read[2 <nil>] true",
		"1 enter m/store.Read[]", "1 exit m/store.Read[] false",
	})
	all = nil
	told := []bool{marked, r.MarkStarted("m/store.Write", "m/store.mark", 8), r.MarkStarted("m/store.other", "m/store.mark"), r.MarkStarted("m/store.Write", "m/store.Read")}
	equal(t, "markers told", fmt.Sprint(told), "[true true false false]")
	equal(t, "on a goroutine that it started", all, []string{"1 marker m/store.mark[8] m/store.Write NONE"})
}

type observerFunc func(*switchboard.Event)

func (f observerFunc) Observe(e *switchboard.Event) { f(e) }

type pointer struct{ switchboard.Observer }

// An observer that panics is reported once and left alone; others go on. Wanted anew it is called
// again.
func TestBroken(t *testing.T) {
	r := switchtest.Fresh(t)
	said := switchtest.Said(t)
	b := switchboard.Default
	bind(store(r))
	calls := 0
	broken := &pointer{observerFunc(func(*switchboard.Event) { calls++; panic("broken") })}
	l := new(log)
	owner := b.Join("broken", switchboard.Program)
	must(t, owner.Set(observed(broken, groups("In")), observed(l, groups("In"))))
	for i := 0; i < 2; i++ {
		r.Enter("m/store.Read").Exit()
	}
	must(t, b.Join("other", switchboard.Program).Set(switchboard.Wish{Want: rt.Counted}))
	r.Enter("m/store.Read").Exit()
	if len(l.take()) != 6 || calls != 1 {
		t.Errorf("the broken one was called %d times, want 1", calls)
	}
	equal(t, "said", *said, []string{"observer log panicked, and is not called any more: broken"})
	must(t, owner.Set(observed(broken, groups("In"))))
	r.Enter("m/store.Read").Exit()
	equal(t, "calls when it is wanted anew", calls, 2)
}

// Policies refuse wishes, take them away, narrow them, and hide values.
func TestPolicies(t *testing.T) {
	all := switchboard.Wish{Want: rt.Recorded, Kind: "Record", Narrow: true}
	for _, c := range []struct {
		name   string
		policy switchboard.Policy
		reason string // of a log of group Out; empty: it is allowed
		words  []string
		lines  []string
	}{
		{"none", switchboard.Policy{}, "", []string{"recorded watched", "recorded watched", "recorded", "recorded watched", "recorded watched"}, nil},
		{"forbid", switchboard.Policy{Forbid: true}, "the program forbids monitors", []string{"timed", "timed", "timed", "", ""}, []string{"gone: the program forbids monitors"}},
		{"groups", switchboard.Policy{Groups: map[string]bool{"In": true}}, "the program forbids this group", []string{"recorded", "", "", "", ""},
			[]string{"record: the program allows only some groups; other functions are not recorded any more"}},
		{"kinds", switchboard.Policy{Kinds: []string{"log"}}, "", []string{"watched", "watched", "", "watched", "watched"}, []string{"gone: the program allows only log"}},
		{"origins", switchboard.Policy{Origins: []switchboard.Origin{switchboard.Environment}}, "the program doesn't allow it to this caller",
			[]string{"recorded", "recorded", "recorded", "recorded", "recorded"}, nil},
		{"values", switchboard.Policy{Hide: true}, "", []string{"recorded watched", "recorded watched", "recorded", "recorded watched", "recorded watched"},
			[]string{"record: the program forbids to see arguments; values are not recorded any more"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := switchtest.Fresh(t)
			b := switchboard.Default
			bind(store(r))
			b.Record(&switchboard.Recording{Package: func(*rt.Package) {}})
			env := b.Join("Record", switchboard.Environment)
			env.Removed = func(reason string) string { return "gone: " + reason }
			must(t, env.Set(all))
			own := b.Join("log", switchboard.Program)
			own.Group = "Out"
			l := new(log)
			wish := observed(l, groups("All"))
			must(t, own.Set(wish))
			if c.policy.Forbid { // statistics are not restricted
				must(t, b.Join("statistics", switchboard.Program).Set(switchboard.Wish{Want: rt.Timed}))
			}
			lines, hides := b.Guard(c.policy)
			if c.reason != "" {
				equal(t, "active", own.Active(), false)
			}
			words(t, r, "guarded", c.words...)
			equal(t, "lines", lines, c.lines)
			equal(t, "hides", hides, c.policy.Forbid || c.policy.Hide)
			equal(t, "panics hidden", r.PanicsHidden, c.name == "forbid" || c.name == "groups" || c.name == "kinds")
			want := fmt.Sprintf("register log against group Out by the program: %s", c.reason)
			if err := own.Set(observed(l, groups("Out"))); c.reason == "" && err != nil || c.reason != "" && (err == nil || err.Error() != want) {
				t.Errorf("set again: %v, want %s", err, c.reason)
			}
			if c.policy.Hide {
				call := r.Enter("m/store.Write", "secret")
				call.Panic("secret")
				call.Exit("secret")
				equal(t, "events", l.take(), []string{"enter m/store.Write[]", "panic m/store.Write <nil>", "exit m/store.Write[] true"})
			}
		})
	}
}

// While a policy has groups, patterns are refused, and it does not cover groups that are added
// later.
func TestPolicyGroups(t *testing.T) {
	r := switchtest.Fresh(t)
	b := switchboard.Default
	bind(store(r))
	b.Guard(switchboard.Policy{Groups: map[string]bool{"In": true}})
	owner := b.Join("log", switchboard.Program)
	err := owner.Check(observed(new(log), named("m/store.Read")))
	if err == nil || err.Error() != "register log by the program: the program allows only groups, not patterns" {
		t.Errorf("of a pattern: %v", err)
	}
	traces := b.Join("traces", switchboard.Program)
	all := switchboard.Wish{Want: rt.Gathered, Kind: "Traces"}
	if err := traces.Set(all); !errors.Is(err, switchboard.ErrForbidden) {
		t.Errorf("traces of all functions: %v, want that it is forbidden", err)
	}
	all.Narrow = true
	must(t, traces.Set(all))
	words(t, r, "traces of what is allowed", "gathered", "", "", "", "")
	traces.Close()
	b.AddGroups(format.Group{Name: "In", Subgroups: []string{"Out"}})
	must(t, owner.Set(observed(new(log), groups("In"))))
	words(t, r, "a group added later", "watched", "", "", "watched", "watched")
	equal(t, "permits", []bool{b.Permits("In"), b.Permits("Out")}, []bool{true, false})
}

// Statistics of commands are refused where nothing is allowed to commands, and nobody else's.
func TestPolicyCommands(t *testing.T) {
	for _, c := range []struct {
		policy  switchboard.Policy
		forbids bool
	}{
		{switchboard.Policy{Forbid: true}, true},
		{switchboard.Policy{Origins: []switchboard.Origin{switchboard.Program, switchboard.Environment}}, true},
		{switchboard.Policy{Groups: map[string]bool{"In": true}, Kinds: []string{"Print"}, Hide: true}, false},
	} {
		switchtest.Fresh(t)
		b := switchboard.Default
		b.Guard(c.policy)
		timed := switchboard.Wish{Want: rt.Timed, Kind: "Stats"}
		err := b.Join("top", switchboard.Command).Check(timed)
		if errors.Is(err, switchboard.ErrForbidden) != c.forbids {
			t.Errorf("%+v: %v, want that it is forbidden: %v", c.policy, err, c.forbids)
		}
		must(t, b.Join("stats", switchboard.Environment).Check(timed))
	}
}

// What the board knows of functions.
func TestFuncs(t *testing.T) {
	r := switchtest.Fresh(t)
	b := switchboard.Default
	p := store(r)
	bind(p)
	// The package's own tests come with ids behind the others.
	b.Bind(r.Register("m/store", switchtest.Functions("m/store.helper"), format.Facility{Groups: []string{"m/store.In"}, First: 5,
		Functions: []format.TracedFunction{{Name: "helper", Site: 0}}}), []*switchboard.Bound{{Name: "In"}})
	list, ok := b.ByID("m/store")
	var got []string
	for id, f := range list {
		got = append(got, fmt.Sprint(id == f.ID, " ", f.TracingName, " ", f.Name, " ", f.Group, " ", f.Marker, f.Point, f.Doc))
	}
	equal(t, "by id", got, []string{"true Read m/store.Read In false NONERead reads.", "true Unused  Out false NONE", "true Write m/store.Write Out false NONE",
		"true begin m/store.begin  true ENTER", "true mark m/store.mark  true NONE", "true helper m/store.helper In false NONE"})
	_, none := b.ByID("m/none")
	equal(t, "known", []bool{ok, none}, []bool{true, false})
	var names []string
	for _, f := range b.Funcs(switchboard.Selection{}) {
		names = append(names, fmt.Sprintf("%s %s:%d", f.Name, f.File, f.Line))
	}
	equal(t, "all", names, []string{"m/store.Read /src/file.go:1", "m/store.Write /src/file.go:2", "m/store.other /src/file.go:3", "m/store.helper /src/file.go:1"})
	equal(t, "comments", []string{b.GroupDoc("In"), b.GroupDoc("Out")}, []string{"What reads.", ""})
	var known []string
	for _, g := range b.Groups() {
		known = append(known, g.Name)
	}
	equal(t, "groups", known, []string{"All", "In", "Out", "In"})
}

// What the build has done wrong is said.
func TestBadTables(t *testing.T) {
	r := switchtest.Fresh(t)
	said := switchtest.Said(t)
	b := switchboard.Default
	b.Bind(store(r), []*switchboard.Bound{nil, {}})
	r.RegisterTable("\x05damaged", switchtest.Functions("damaged.F"))
	must(t, b.Join("x", switchboard.Program).Set(switchboard.Wish{Want: rt.Counted}))
	words(t, r, "no groups", "counted", "counted", "counted", "", "")
	if len(*said) != 2 || (*said)[0] != "package m/store: Read is in m/store.In, which is no group" || !strings.HasPrefix((*said)[1], "table of package damag") {
		t.Errorf("said %q", *said)
	}
}

// Owners come and go while functions are called.
func TestStorm(t *testing.T) {
	r := switchtest.Fresh(t)
	bind(store(r))
	var began, ended atomic.Int64
	o := &pointer{observerFunc(func(e *switchboard.Event) {
		if e.Kind == switchboard.Enter {
			began.Add(1)
		} else {
			ended.Add(1)
		}
	})}
	var wg sync.WaitGroup
	var stop atomic.Bool
	for i := 0; i < 4; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for !stop.Load() {
				r.Enter("m/store.Read").Exit()
			}
		}()
	}
	owner := switchboard.Default.Join("x", switchboard.Program)
	for i := 0; i < 200; i++ {
		must(t, owner.Set(observed(o, groups("In"))))
		switchboard.Default.AddGroups(format.Group{Name: fmt.Sprint("g", i), Subgroups: []string{"In"}})
		owner.Close()
	}
	stop.Store(true)
	wg.Wait()
	if began.Load() != ended.Load() {
		t.Errorf("%d calls began, %d ended", began.Load(), ended.Load())
	}
}
