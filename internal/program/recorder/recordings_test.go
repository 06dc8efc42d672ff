package recorder

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/waymark-go/waymark/internal/program/fault"
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/wire/format"
	"github.com/waymark-go/waymark/tracefile"
)

// contents are what is in a trace file.
type contents struct {
	info  tracefile.Info
	calls map[string]int // by function: enters
	exits int
	meta  func(string) string
	tests []tracefile.TestEvent
}

// read reads a trace file.
func read(t *testing.T, path string) contents {
	t.Helper()
	f, err := tracefile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c := contents{calls: make(map[string]int), meta: f.Meta, tests: f.Tests()}
	if c.info, err = f.Verify(); err != nil {
		t.Fatal(err)
	}
	events := f.Events()
	for ev := (tracefile.Event{}); events.Next(&ev); {
		switch ev.Kind {
		case tracefile.Enter:
			s, _ := f.Func(ev.Site)
			c.calls[s.Name]++
		case tracefile.Exit:
			c.exits++
		}
	}
	if err := events.Err(); err != nil {
		t.Fatal(err)
	}
	return c
}

// is checks that a trace file is complete and has these calls, all of which have ended.
func is(t *testing.T, path string, want map[string]int) {
	t.Helper()
	c := read(t, path)
	exits := 0
	for _, n := range want {
		exits += n
	}
	if !c.info.Complete || c.info.Lost != 0 || c.info.Damaged != 0 || c.info.Events != uint64(2*exits) {
		t.Errorf("%s: %+v; want a complete one with %d events", filepath.Base(path), c.info, 2*exits)
	}
	if !maps.Equal(c.calls, want) || c.exits != exits {
		t.Errorf("%s: calls %v and %d exits; want %v and %d", filepath.Base(path), c.calls, c.exits, want, exits)
	}
}

// names returns the names of the files beside path, with that one.
func names(t *testing.T, path string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func TestRecord(t *testing.T) {
	f := newFake(t)
	f.pkg("p", 2)
	r := f.start(Config{})
	q := f.pkg("q", 1) // registers later
	if q.Base != 3 || r.Ended() {
		t.Errorf("site %d, ended %v; want 3, false", q.Base, r.Ended())
	}
	f.call(0, 7, 1, 100)
	f.call(1, 8, 2, 50_000) // more than is usable at the beginning
	f.call(0, 9, 3, 100)
	if got, want := names(t, r.Path()), []string{"a.wmt", "a.wmt.live"}; !slices.Equal(got, want) {
		t.Errorf("files %v, want %v", got, want)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	is(t, r.Path(), map[string]int{"p.Fa": 100, "p.Fb": 50_000, "q.Fa": 100})
	if got, want := names(t, r.Path()), []string{"a.wmt"}; !slices.Equal(got, want) {
		t.Errorf("files %v, want %v", got, want)
	}
	if f.open || !r.Ended() || f.retired != 1 {
		t.Errorf("open %v, ended %v, retired %d times; want false, true, 1", f.open, r.Ended(), f.retired)
	}
	info := read(t, r.Path()).info
	if info.Clock != "nanotime" || info.Hz != 1e9 || info.PID != os.Getpid() || info.Funcs != 3 {
		t.Errorf("%+v; want clock nanotime with 1e9 Hz, process %d, 3 sites", info, os.Getpid())
	}
}

// One recording after the other: each has its own calls and all packages.
func TestOneAfterTheOther(t *testing.T) {
	f := newFake(t)
	f.pkg("p", 1)
	dir := t.TempDir()
	before := -1
	for i := 1; i <= 5; i++ {
		path := filepath.Join(dir, string(rune('0'+i))+".wmt")
		r := f.start(Config{Path: path})
		if other, err := f.try(Config{Path: dir + "/other.wmt"}); err != fault.ErrRecording {
			t.Fatalf("another recording: %v, %v; want %v", other, err, fault.ErrRecording)
		}
		f.call(0, 1, 1, 10*i)
		f.call(1, 2, 1, 10*i)
		if err := errors.Join(r.Close(), r.Close()); err != nil {
			t.Fatal(err)
		}
		r.AddGroups(format.Group{})
		r.HideValues()
		if f.hidden {
			t.Error("a recording that has ended hides values")
		}
		is(t, path, map[string]int{"p.Fa": 20 * i})
		if n := descriptors(t); i > 1 && n != before {
			t.Errorf("after recording %d there are %d descriptors, before it %d", i, n, before)
		} else {
			before = n
		}
	}
	f.pkg("q", 1) // nothing is recorded
	r := f.start(Config{})
	f.call(0, 1, 2, 1)
	if len(f.exitHooks) != 1 || f.retired != 5 || f.number != 6 {
		t.Errorf("%d hooks at exit, retired %d times, %d recordings; want 1, 5, 6", len(f.exitHooks), f.retired, f.number)
	}
	f.exit()
	is(t, r.Path(), map[string]int{"q.Fa": 1})
	if f.retired != 5 {
		t.Errorf("retired %d times at the end of the program, want 5: the world isn't stopped then", f.retired)
	}
	f.exit() // nothing is left to do
}

// descriptors counts those of the process, 0 if that can't be told.
func descriptors(t *testing.T) int {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return len(entries)
}

// A recording that can't begin leaves nothing, and the next one begins.
func TestStartFails(t *testing.T) {
	f := newFake(t)
	f.pkg("p", 1)
	dir := t.TempDir()
	mine := filepath.Join(dir, "mine.txt")
	if err := os.WriteFile(mine, []byte("not a trace file"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	before := descriptors(t)
	for _, c := range []struct{ path, want string }{
		{"none/a.wmt", "no such file"},
		{"mine.txt", "is not a trace file"},
		{"folder", "is not a regular file"},
	} {
		r, err := f.try(Config{Path: filepath.Join(dir, c.path)})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, %v; want an error with %q", c.path, r, err, c.want)
		}
	}
	if got, want := names(t, mine), []string{"folder", "mine.txt"}; !slices.Equal(got, want) {
		t.Errorf("files %v, want %v", got, want)
	}
	if n := descriptors(t); n != before {
		t.Errorf("%d descriptors are left open", n-before)
	}
	if len(f.exitHooks) != 0 {
		t.Errorf("%d hooks at exit, want none", len(f.exitHooks))
	}
	r := f.start(Config{})
	f.call(0, 1, 1, 3)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	is(t, r.Path(), map[string]int{"p.Fa": 3})
}

// A copy of the process (fork) records nothing, and waits for no lock.
func TestCopy(t *testing.T) {
	f := newFake(t)
	f.pkg("p", 1)
	r := f.start(Config{})
	r.mu.Lock()
	f.program.mu.Lock()
	r.pid++
	f.program.pid.Add(1)
	f.pkg("q", 1)
	f.binary("example.com/p")
	f.test(0, "TestX", "", 1, 1)
	f.exit()
	if r, err := f.try(Config{Path: r.Path()}); err != errCopy {
		t.Errorf("%v, %v; want %v", r, err, errCopy)
	}
	if path, err := r.Dump(); err != fault.ErrNoWindow {
		t.Errorf("%q, %v; want %v", path, err, fault.ErrNoWindow)
	}
	f.program.pid.Add(-1)
	r.pid--
	r.mu.Unlock()
	f.program.mu.Unlock()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if info := read(t, r.Path()).info; info.Funcs != 1 {
		t.Errorf("%d sites, want 1: the copy's package is not in the file", info.Funcs)
	}
}

// What is recorded of values is decided anew by each recording.
func TestValues(t *testing.T) {
	f := newFake(t)
	f.pkg("p", 1)
	values := func(settings string) Values {
		return Values{Args: settings == "args", Results: true, Depth: 2, Bytes: 99, Redact: []string{"word"}}
	}
	r := f.start(Config{Values: values})
	if f.captured.Args || !f.captured.Results {
		t.Errorf("%+v; want results", f.captured)
	}
	f.add(&rt.Package{Table: string(format.AppendTable(nil, "q", nil)), Base: 2, Settings: "args"})
	if c := f.captured; !c.Args || c.Depth != 2 || c.Bytes != 99 || !slices.Equal(c.Redact, []string{"word"}) {
		t.Errorf("%+v; want arguments of depth 2, 99 bytes, without word", c)
	}
	r.HideValues()
	if f.captured.Args || f.captured.Results || !f.hidden {
		t.Errorf("%+v, hidden %v; want no values", f.captured, f.hidden)
	}
	r.Close()

	f.hidden, f.stringer = false, nil
	r = f.start(Config{Values: values, Hidden: true})
	if f.captured.Args || f.captured.Results || !f.hidden {
		t.Errorf("%+v, hidden %v; want no values", f.captured, f.hidden)
	}
	if _, ok := f.stringer(0); ok {
		t.Error("methods are asked by a recording that doesn't want it")
	}
	r.Close()

	f.hidden = false
	f.start(Config{})
	if f.captured.Args || f.captured.Results || f.hidden {
		t.Errorf("%+v, hidden %v; want no values, and those of panics", f.captured, f.hidden)
	}
}

// Groups that are known at the beginning, and those that come later, are in the file.
func TestGroups(t *testing.T) {
	f := newFake(t)
	sites := []format.Site{{Name: "p.F", File: "p.go", Line: 1}}
	table := format.AppendFacility(format.AppendTable(nil, "p", sites), sites, format.Facility{
		Groups: []string{"p.One"}, Functions: []format.TracedFunction{{Name: "F"}}})
	f.add(&rt.Package{Table: string(table), Base: 1, Sites: make([]uint32, 1)})
	r := f.start(Config{Groups: []format.Group{{Name: "one", Vars: []string{"p.One"}}}})
	r.AddGroups(format.Group{Name: "two", Subgroups: []string{"one"}})
	r.Close()
	file, err := tracefile.Open(r.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	fn, ok := file.Func(1)
	if want := []string{"one", "two"}; !ok || !slices.Equal(fn.Groups, want) {
		t.Errorf("function %q, known %v, in groups %q; want p.F, true, %q", fn.Name, ok, fn.Groups, want)
	}
}

// Every recording of a test binary says of which package it is.
func TestTests(t *testing.T) {
	f := newFake(t)
	f.pkg("p", 1)
	for i := 0; i < 2; i++ {
		r := f.start(Config{})
		if i == 0 {
			f.binary("example.com/p")
		}
		f.test(uint8(format.TestBegins), "TestX", "", 1, 10)
		f.test(uint8(tracefile.TestPasses), "TestX", strings.Repeat("é", format.MaxTestText), 1, 20)
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		c := read(t, r.Path())
		if got := c.meta(format.MetaTests); got != "example.com/p" {
			t.Errorf("recording %d is of the tests of %q, want example.com/p", i, got)
		}
		if len(c.tests) != 2 || c.tests[0].Name != "TestX" || c.tests[1].State != tracefile.TestPasses || len(c.tests[1].Text) > format.MaxTestText {
			t.Errorf("recording %d has %d tests: %.300v; want TestX run and passed", i, len(c.tests), c.tests)
		}
	}
	f.test(uint8(format.TestBegins), "TestY", "", 1, 30) // nothing is recorded
}

// What finds no free chunk is dropped and counted.
func TestDrop(t *testing.T) {
	f := newFake(t)
	f.pkg("p", 1)
	r := f.start(Config{Overflow: rt.Drop})
	r.mu.Lock() // nothing is written meanwhile
	const n = 200_000
	f.call(0, 1, 1, n)
	r.mu.Unlock()
	f.wait("full chunks are written", func() bool { _, full := f.Queue(); return full == 0 })
	f.call(0, 1, 1, 10)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	info := read(t, r.Path()).info
	if info.Lost == 0 || info.Events+info.Lost != 2*(n+10) {
		t.Errorf("%d events, %d lost; want %d together, some of them lost", info.Events, info.Lost, 2*(n+10))
	}
}

// Close gets its turn in a program that fills chunks as fast as they are written.
func TestCloseBesideTheWriter(t *testing.T) {
	f := newFake(t)
	r := f.start(Config{Buffers: 64 << 20})
	endless := func(on bool) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.endless = on
		f.changed.Broadcast()
	}
	endless(true)
	f.wait("chunks are filled", func() bool { f.mu.Lock(); defer f.mu.Unlock(); return f.seq > 500 })
	closed := make(chan error, 1)
	go func() { closed <- r.Close() }()
	select {
	case err := <-closed:
		if err != nil {
			t.Errorf("closed: %v, want nil", err)
		}
	case <-time.After(30 * time.Second): // else it would never end
		endless(false)
		t.Errorf("Close waits as long as there are full chunks, want it to have its turn; then it returned %v", <-closed)
	}
}
