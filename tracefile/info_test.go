package tracefile

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"github.com/waymark-go/waymark/internal/wire/format"
)

func TestInfo(t *testing.T) {
	w := newTrace(format.KeyValue{Key: format.MetaOverflow, Value: "drop"})
	rec := func(clock, word uint64) format.Record { return format.Record{Clock: testStart + clock, Word: word} }
	w.Block(format.BlockOrigins, format.AppendOrigins(nil, []format.Origin{{ID: 1, Func: "main.main", File: "main.go", Line: 7}}))
	w.Events(format.Chunk{Stream: 3, Seq: 1, Clock: testStart, Lost: 5}, []format.Record{
		rec(10, word(format.CodeGo, 1)),
		rec(20, 1<<format.SiteShift|100),
		rec(30, word(format.CodeGo, 9)),
		rec(30, word(format.CodeStart, 1)), rec(30, word(format.CodeOrigin, 1)),
		rec(50, 2<<format.SiteShift|80),
		rec(60, format.ExitBit|2<<format.SiteShift|80),
		rec(70, word(format.CodeEnd, 0)),
	})
	w.Events(format.Chunk{Stream: 4, Seq: 2, Clock: testStart, Lost: 2}, []format.Record{
		rec(25, word(format.CodeGo, 11)),
		rec(25, word(format.CodeStart, 9)),
		rec(90, word(format.CodePanic, 80)),
	})
	cut := slices.Clone(w.File)
	older := slices.Clone(w.File)
	older[len("waymark\n")] = 1
	if i := openBytes(t, older).Info(); i.Version != 1 {
		t.Errorf("a file of version 1 has version %d", i.Version)
	}
	w.End(testStart+testHz, format.Trailer{Events: 6, Lost: 8})
	want := Info{
		Version: format.Version,
		Program: "/bin/prog", Go: "go1.26.8", GOOS: "linux", GOARCH: "amd64", Host: "host", CPUs: 2, PID: 42,
		Clock: "tsc", Hz: testHz,
		Start: time.Unix(0, testUnix), Duration: time.Second,
		Funcs: testSites, Events: 6, Lost: 8, Complete: true,
		Size: int64(len(w.File)), Blocks: 8,
	}
	f := openBytes(t, w.File)
	if got := f.Info(); got != want {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	want.Goroutines = 2
	if got, err := f.Verify(); got != want || err != nil {
		t.Errorf("Verify:\ngot  %+v, %v\nwant %+v", got, err, want)
	}
	if got := f.Meta(format.MetaOverflow); got != "drop" {
		t.Errorf("overflow is %q, want drop", got)
	}
	if o, ok := f.Origin(1); !ok || o.Func != "main.main" || o.Line != 7 {
		t.Errorf("origin 1 is %+v, %v", o, ok)
	}
	if o, ok := f.Origin(2); ok {
		t.Errorf("origin 2 is %+v, want none", o)
	}

	// Without the end: what is lost is what the blocks say, the last event is the end.
	want.Complete, want.Lost, want.Duration, want.Size, want.Blocks = false, 7, 45, int64(len(cut)), 6
	want.Goroutines = 0
	if got := openBytes(t, cut).Info(); got != want {
		t.Errorf("cut:\ngot  %+v\nwant %+v", got, want)
	}
	// Nor the last block: the search goes back to one that can be read.
	cut[len(cut)-1] ^= 1
	want.Lost, want.Events, want.Duration, want.Size, want.Blocks, want.Damaged = 5, 4, 35, int64(len(cut)), 5, 40
	got := openBytes(t, cut).Info()
	want.Damaged = got.Damaged
	if got != want || got.Damaged == 0 {
		t.Errorf("cut and damaged:\ngot  %+v\nwant %+v", got, want)
	}
}

// A recording that ended before its program is not complete, and the file says why.
func TestStopped(t *testing.T) {
	for _, tt := range []struct {
		flags    uint64
		complete bool
		stopped  Stop
		text     string
	}{
		{0, true, NotStopped, ""},
		{1 << 40, true, NotStopped, ""}, // of a later version
		{format.Recovered, false, NotStopped, ""},
		{format.Full, false, StoppedFull, "max-size"},
		{format.Failed, false, StoppedFailed, "failure"},
		{format.Failed | format.Recovered, false, StoppedFailed, "failure"},
	} {
		w := newTrace()
		w.End(testStart+testHz, format.Trailer{Flags: tt.flags})
		i := openBytes(t, w.File).Info()
		if i.Complete != tt.complete || i.Stopped != tt.stopped || i.Stopped.String() != tt.text {
			t.Errorf("flags %d: complete %v, stopped by %q; want %v, %q", tt.flags, i.Complete, i.Stopped, tt.complete, tt.text)
		}
	}
}

func TestSites(t *testing.T) {
	w := newTrace() // has the sites from 1 to testSites
	table := func(base uint32, pkg string, names ...string) {
		var sites []format.Site
		for i, n := range names {
			sites = append(sites, format.Site{Name: n, File: "f.go", Line: i + 1, Flags: format.Closure})
		}
		w.Block(format.BlockSites, format.AppendSites(nil, base, string(format.AppendTable(nil, pkg, sites))))
	}
	table(1000, "b", "b.F", "b.G")
	table(500, "a", "a.F")
	table(1000, "b", "b.F", "b.G") // again
	table(999, "c", "c.F", "c.G")  // overlaps
	table(1001, "c", "c.F")        // overlaps
	table(600, "empty")
	f := openBytes(t, w.File)
	if got, want := f.Info().Funcs, testSites+3; got != want {
		t.Errorf("%d sites, want %d", got, want)
	}
	for id, want := range map[uint32]string{0: "", 1: "example.com/m/p.F0", testSites: "example.com/m/p.F63", testSites + 1: "",
		499: "", 500: "a.F", 501: "", 600: "", 999: "", 1000: "b.F", 1001: "b.G", 1002: "", 1<<32 - 1: ""} {
		if s, ok := f.Func(id); s.Name != want || ok != (want != "") {
			t.Errorf("site %d is %+v, %v, want %q", id, s, ok, want)
		}
	}
	if s, _ := f.Func(1001); s.Package != "b" || s.File != "f.go" || s.Line != 2 || !s.Literal {
		t.Errorf("site 1001 is %+v", s)
	}
	var ids []uint32
	f.Funcs(func(id uint32, s Func) bool {
		if id > testSites {
			ids = append(ids, id)
		}
		return id != 1000
	})
	if want := []uint32{500, 1000}; !slices.Equal(ids, want) {
		t.Errorf("ids %d, want %d", ids, want)
	}
}

func TestTests(t *testing.T) {
	w := newTrace(format.KeyValue{Key: format.MetaTests, Value: "example.com/m/p"})
	want := []TestEvent{
		{Clock: testStart + 1, Goroutine: 7, State: TestBegins, Name: "TestA"},
		{Clock: testStart + 2, Goroutine: 7, State: TestLogs, Name: "TestA", Text: "a_test.go:1: x"},
		{Clock: testStart + 3, Goroutine: 7, State: TestPasses, Name: "TestA"},
	}
	w.Block(format.BlockTests, format.AppendTests(nil, want[:2]))
	w.Block(format.BlockTests, format.AppendTests(nil, want[2:]))
	w.Block(format.BlockTests, []byte{200}) // damaged
	f, err := NewFile(bytes.NewReader(w.File), int64(len(w.File)))
	if err != nil {
		t.Fatal(err)
	}
	if got := f.Tests(); !slices.Equal(got, want) {
		t.Errorf("%v; want %v", got, want)
	}
	if f.Meta(format.MetaTests) != "example.com/m/p" || f.Info().Damaged == 0 {
		t.Errorf("tests of %q, %d bytes damaged", f.Meta(format.MetaTests), f.Info().Damaged)
	}
}
