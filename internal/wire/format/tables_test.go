package format

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
)

func TestTablesRoundTrip(t *testing.T) {
	meta := []KeyValue{{MetaProgram, "/bin/prog"}, {"", ""}, {"unknown", strings.Repeat("x", 300)}}
	if got, err := ParseMeta(AppendMeta(nil, meta)); err != nil || !reflect.DeepEqual(got, meta) {
		t.Errorf("meta %v, %v", got, err)
	}
	pair := ClockPair{Clock: math.MaxUint64, UnixNano: -1, MonoNano: math.MaxInt64}
	if got, err := ParseClock(AppendClock(nil, pair)); err != nil || got != pair {
		t.Errorf("clock pair %v, %v", got, err)
	}
	sites := []Site{{Name: "p.F", File: "a.go", Line: 1},
		{Name: "p.G", File: "b.go", Line: 1 << 20, Flags: Closure, Args: []string{"g", "x"}, ArgTypes: []string{"", "[]int"}},
		{Name: "p.H", File: "a.go", Line: 3, Flags: 1 << 31, Results: []string{"_", "err"}, ResultTypes: []string{"int", "error"}}, {}}
	table := AppendTable(nil, "example.com/p", sites)
	if pkg, got, err := ParseTable(table); err != nil || pkg != "example.com/p" || !reflect.DeepEqual(got, sites) {
		t.Errorf("table of %s: %v, %v", pkg, got, err)
	}
	sites[0].Tiny, sites[2].Tiny = []string{"f", "(*T).g"}, []string{"f"}
	withTiny := AppendFacility(table, sites, Facility{})
	if _, got, err := ParseTable(withTiny); err != nil || !reflect.DeepEqual(got, sites) {
		t.Errorf("table with tiny functions: %v, %v", got, err)
	}
	if _, f, err := ParseFacility(withTiny); err != nil || !reflect.DeepEqual(f, Facility{}) {
		t.Errorf("facility of a table with tiny functions: %v, %v", f, err)
	}
	for _, tiny := range [][]string{nil, {"f"}} {
		sites[0].Tiny, sites[2].Tiny = tiny, nil
		sites[1].Body = Extent{1<<20 + 1, 30, 1<<20 + 9, 2}
		sites[2].Body = Extent{2, 1, 1, 300} // of a //line directive
		withBodies := AppendFacility(table, sites, Facility{})
		if _, got, err := ParseTable(withBodies); err != nil || !reflect.DeepEqual(got, sites) {
			t.Errorf("table with bodies, tiny functions %q: %v, %v, want %v", tiny, got, err, sites)
		}
	}
	last := uint32(FirstCode - len(sites))
	for _, base := range []uint32{1, 300, last} {
		if got, pkg, _, _, err := ParseSites(AppendSites(nil, base, string(table))); err != nil || got != base || pkg != "example.com/p" {
			t.Errorf("sites from %d: %d of %s, %v", base, got, pkg, err)
		}
	}
	for _, base := range []uint32{0, last + 1, FirstCode, math.MaxUint32} {
		if _, _, _, _, err := ParseSites(AppendSites(nil, base, string(table))); !errors.Is(err, ErrDamaged) {
			t.Errorf("sites from %d: %v", base, err)
		}
	}
	origins := []Origin{{1, "main.main", "main.go", 7}, {math.MaxUint32, "", "", 0}}
	if got, err := ParseOrigins(AppendOrigins(nil, origins)); err != nil || !reflect.DeepEqual(got, origins) {
		t.Errorf("origins %v, %v", got, err)
	}
	trailer := Trailer{Clock: 1, Events: 2, Lost: 3, Flags: Recovered, Recovered: 5}
	if got, err := ParseTrailer(AppendTrailer(nil, trailer)); err != nil || got != trailer {
		t.Errorf("trailer %v, %v", got, err)
	}
}

// Same sites, same bytes: tables end up in generated code.
func TestTableIsDeterministic(t *testing.T) {
	var sites []Site
	for i := 0; i < 100; i++ {
		sites = append(sites, Site{Name: "F", File: strings.Repeat("f", i%17), Line: i})
	}
	want := AppendTable(nil, "p", sites)
	for i := 0; i < 10; i++ {
		if !bytes.Equal(AppendTable(nil, "p", sites), want) {
			t.Fatal("the bytes differ")
		}
	}
}

func TestBlock(t *testing.T) {
	payload := []byte("some payload")
	b := AppendBlock([]byte("before"), BlockMeta, payload)[len("before"):]
	h, err := ParseBlock(b)
	if err != nil || h.Kind != BlockMeta || h.Length != len(payload) || h.Check(b[BlockHeader:]) != nil {
		t.Fatalf("%+v, %v", h, err)
	}
	for i := len(BlockMagic()) * 8; i < len(b)*8; i++ {
		b[i/8] ^= 1 << (i % 8)
		if h, err := ParseBlock(b); err == nil && h.Check(b[BlockHeader:]) == nil {
			t.Errorf("bit %d flipped: no error", i)
		}
		b[i/8] ^= 1 << (i % 8)
	}
	for _, n := range []int{0, 3, BlockHeader - 1} {
		if _, err := ParseBlock(b[:n]); !errors.Is(err, ErrDamaged) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	for kind, most := range map[BlockKind]int{BlockMeta: MaxPayload, BlockEvents: MaxEvents} {
		b := AppendBlock(nil, kind, make([]byte, most))
		if _, err := ParseBlock(b); err != nil {
			t.Errorf("kind %d, %d bytes: %v", kind, most, err)
		}
		b = AppendBlock(nil, kind, make([]byte, most+1))
		if _, err := ParseBlock(b); !errors.Is(err, ErrDamaged) {
			t.Errorf("kind %d, %d bytes: %v", kind, most+1, err)
		}
	}
}

func TestCheckHeader(t *testing.T) {
	if err := CheckHeader(AppendHeader(nil)); err != nil {
		t.Error(err)
	}
	for _, test := range []struct {
		b    []byte
		want error
	}{
		{nil, ErrNotTrace},
		{AppendHeader(nil)[:HeaderSize-1], ErrNotTrace},
		{[]byte("waymark!........"), ErrNotTrace},
		{[]byte("waymark\n\x00\x00......"), ErrNotTrace},
		{[]byte("waymark\n\x01\x00......"), nil},
		{[]byte("waymark\n\x03\x00......"), ErrVersion},
		{[]byte("waymark\n\xff\xff......"), ErrVersion},
	} {
		if err := CheckHeader(test.b); !errors.Is(err, test.want) {
			t.Errorf("%q: %v, want %v", test.b, err, test.want)
		}
	}
}

func TestKindNames(t *testing.T) {
	for k := Enter; k <= Spawn; k++ {
		if name := k.String(); name == "" || strings.Contains(name, "(") {
			t.Errorf("kind %d is %q", k, name)
		}
	}
	if got := (Spawn + 1).String(); got != "kind(15)" {
		t.Errorf("got %q", got)
	}
}

// What any payload is parsed to is bounded by its size, and survives being written again.
func FuzzParse(f *testing.F) {
	f.Add(AppendMeta(nil, []KeyValue{{MetaProgram, "/bin/prog"}, {MetaClock, "tsc"}}))
	f.Add(AppendClock(nil, ClockPair{1, 2, 3}))
	f.Add(AppendSites(nil, 1, string(AppendTable(nil, "p", []Site{{Name: "p.F", File: "f.go", Line: 1}, {Name: "p.G", File: "g.go", Line: 2, Flags: 1, Args: []string{"x"}, Results: []string{"_"}}}))))
	tiny := []Site{{Name: "p.F", File: "f.go", Line: 1, Tiny: []string{"G", "(*T).H"}}, {Name: "p.G", File: "g.go", Line: 2}, {Name: "p.I", File: "g.go", Line: 3, Args: []string{"x"}, Tiny: []string{"G"}, Body: Extent{3, 9, 4, 2}}}
	f.Add(AppendFacility(AppendTable(nil, "p", tiny), tiny, Facility{}))
	f.Add(AppendOrigins(nil, []Origin{{1, "main.main", "main.go", 7}}))
	f.Add(AppendTrailer(nil, Trailer{1, 2, 3, 4, 5}))
	f.Add(AppendObjects(nil, 1000, []TypeCount{{"example.com/app.Row", "example.com/app", 3, 1 << 40}, {"untyped", "", 1, 0}}))
	f.Add(AppendCounts(nil, 1000, []Count{{Site: 1, Level: LevelCounted, Calls: 1 << 40}, {Site: 2, Level: LevelFull, Guess: Guess{1, 2, 3}}}))
	f.Add(AppendTests(nil, []TestEvent{{1, 7, TestBegins, "TestX", ""}, {9, 7, TestLogs, "TestX", "x_test.go:1: x"}}))
	f.Add(AppendGroups(nil, []Group{{"IO", []string{"p.IO"}, []string{"Read", "Write"}}, {Name: "Read"}}))
	sites := []Site{{Name: "p.F", File: "f.go", Line: 1}, {Name: "p.info", File: "f.go", Line: 2}}
	f.Add(AppendFacility(AppendTable(nil, "p", sites), sites, Facility{[]string{"p.IO"}, 3, []TracedFunction{{"F", 0, 0, NotInfo, ""}, {"info", 1, 0, InfoEnter, ""}}, nil, Left{}}))
	f.Add(AppendFacility(AppendTable(nil, "p", sites), sites, Facility{[]string{"p.IO"}, 0, []TracedFunction{{"F", 0, 0, NotInfo, "F is it."}, {"info", 1, 0, InfoExit, ""}}, []GroupDoc{{"IO", "what reads"}}, Left{[]string{"G", "(*T).M"}, 2, 0, 1}}))
	f.Fuzz(func(t *testing.T, b []byte) {
		check := func(err error, n int) bool {
			if err != nil && !errors.Is(err, ErrDamaged) {
				t.Error(err)
			}
			if n > len(b) {
				t.Errorf("%d items in %d bytes", n, len(b))
			}
			return err == nil
		}
		again := func(what string, a, b any, err error) {
			if err != nil || !reflect.DeepEqual(a, b) {
				t.Errorf("%s: %v, then %v, %v", what, a, b, err)
			}
		}
		if meta, err := ParseMeta(b); check(err, len(meta)) {
			got, err := ParseMeta(AppendMeta(nil, meta))
			again("meta", meta, got, err)
		}
		if pair, err := ParseClock(b); check(err, 0) {
			got, err := ParseClock(AppendClock(nil, pair))
			again("clock", pair, got, err)
		}
		if pkg, sites, err := ParseTable(b); check(err, len(sites)) {
			gotPkg, got, err := ParseTable(AppendFacility(AppendTable(nil, pkg, sites), sites, Facility{}))
			again("table", sites, got, err)
			again("package", pkg, gotPkg, err)
		}
		if base, _, sites, _, err := ParseSites(b); check(err, len(sites)) {
			if base == 0 || uint64(base)+uint64(len(sites)) > FirstCode {
				t.Errorf("%d sites from %d", len(sites), base)
			}
		}
		if origins, err := ParseOrigins(b); check(err, len(origins)) {
			got, err := ParseOrigins(AppendOrigins(nil, origins))
			again("origins", origins, got, err)
		}
		if tests, err := ParseTests(b); check(err, len(tests)) {
			got, err := ParseTests(AppendTests(nil, tests))
			again("tests", tests, got, err)
		}
		if clock, list, err := ParseObjects(b); check(err, len(list)) {
			gotClock, got, err := ParseObjects(AppendObjects(nil, clock, list))
			again("objects", list, got, err)
			again("clock of objects", clock, gotClock, err)
		}
		if clock, counts, err := ParseCounts(b); check(err, len(counts)) {
			gotClock, got, err := ParseCounts(AppendCounts(nil, clock, counts))
			again("counts", counts, got, err)
			again("clock of counts", clock, gotClock, err)
		}
		if groups, err := ParseGroups(b); check(err, len(groups)) {
			got, err := ParseGroups(AppendGroups(nil, groups))
			again("groups", groups, got, err)
		}
		if pkg, facility, err := ParseFacility(b); check(err, len(facility.Functions)) && check(err, len(facility.Docs)) {
			_, sites, _ := ParseTable(b)
			gotPkg, got, err := ParseFacility(AppendFacility(AppendTable(nil, pkg, sites), sites, facility))
			again("facility", facility, got, err)
			again("package", pkg, gotPkg, err)
		}
		if trailer, err := ParseTrailer(b); check(err, 0) {
			got, err := ParseTrailer(AppendTrailer(nil, trailer))
			again("trailer", trailer, got, err)
		}
		_, _, err := ParseEventsHeader(b)
		check(err, 0)
		if h, err := ParseBlock(b); check(err, 0) && h.Length > MaxPayload {
			t.Errorf("block of %d bytes", h.Length)
		}
		CheckHeader(b)
	})
}
