package format

import (
	"bytes"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files")

// TestGolden fails when the bytes of a trace file change: then either the
// change is a mistake, or Version must go up.
func TestGolden(t *testing.T) {
	const golden = "testdata/small.txt"
	file := smallTrace()
	got := dump(t, file)
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the trace file is no longer as in %s; it is now\n%s", golden, got)
	}
}

// smallTrace makes a file with a block of each kind and an event of each kind.
func smallTrace() []byte {
	b := AppendHeader(nil)
	b = AppendBlock(b, BlockMeta, AppendMeta(nil, []KeyValue{{MetaProgram, "/bin/prog"}, {MetaClock, "tsc"}, {MetaHz, "2600000000"}}))
	b = AppendBlock(b, BlockClock, AppendClock(nil, ClockPair{Clock: 1000, UnixNano: 1_700_000_000_000_000_000, MonoNano: 500}))
	sites := []Site{
		{Name: "example.com/m/p.F", File: "/src/p/f.go", Line: 10},
		{Name: "example.com/m/p.F.func1", File: "/src/p/f.go", Line: 12, Flags: Closure},
		{Name: "example.com/m/p.(*T).M", File: "/src/p/t.go", Line: 300, Tiny: []string{"(*T).len", "min"}},
		{Name: "example.com/m/p.(*T).note", File: "/src/p/t.go", Line: 310, Args: []string{"t", "n"}},
	}
	b = AppendBlock(b, BlockSites, AppendSites(nil, 1, string(AppendFacility(AppendTable(nil, "example.com/m/p", sites), sites, Facility{
		Groups: []string{"example.com/m/p.Reading"}, First: 1,
		Functions: []TracedFunction{{Name: "T.M", Site: 2, Doc: "M reads."}, {Name: "T.note", Site: 3, Info: InfoExit}, {Name: "left.out", Site: -1}},
		Docs:      []GroupDoc{{"Reading", "what reads"}},
	}))))
	b = AppendBlock(b, BlockGroups, AppendGroups(nil, []Group{{Name: "Reading", Vars: []string{"example.com/m/p.Reading"}}, {Name: "IO", Subgroups: []string{"Reading"}}}))
	b = AppendBlock(b, BlockOrigins, AppendOrigins(nil, []Origin{{ID: 1, Func: "main.main", File: "/src/main.go", Line: 21}}))

	clock := uint64(1000)
	rec := func(delta int64, word uint64) Record {
		clock += uint64(delta)
		return Record{clock, word}
	}
	call := func(site, token uint64) uint64 { return site<<SiteShift | token }
	code := func(code, value uint64) uint64 { return FirstCode<<SiteShift | code<<CodeShift | value }
	var enc Encoder
	for _, chunk := range []struct {
		Chunk
		recs []Record
	}{
		{Chunk{Stream: 0, Seq: 1, Clock: 1000}, []Record{
			rec(1, code(CodeGo, 1)),
			rec(10, call(1, 200)),
			rec(20, call(2, 296)),
			rec(30, call(3, 296)), // inlined: no frame of its own
			rec(40, ExitBit|call(3, 296)),
			rec(50, ExitBit|call(2, 296)),
			rec(60, call(2, 296)),
			rec(70, call(3, 296)),                           // as before: predicted
			rec(5000, ExitBit|call(2, 296)),                 // the inner call's end was not seen
			{clock, code(CodeValues, 5)}, {0x6f6c6c6568, 0}, // of the exit
			rec(170, code(CodePanic, 200)),
			rec(100, code(CodeRecover, 200)),
			rec(20, code(CodeInfo, 4)),
			{clock, code(CodeInts, 1|uint64(KindInt)<<3)}, {7, 0}, // of the info function
			rec(10, code(CodeError, 1)),
			rec(90, code(CodeLong, 296)), {2, 260_000}, // of site 2
		}},
		{Chunk{Stream: 3, Seq: 2, Clock: 6600, Goroutine: 1, Lost: 7}, []Record{
			rec(1000, ExitBit|call(1, 200)), // entered in another block
			rec(-5, call(1, 200)),           // another CPU's counter
			rec(1, code(CodeGo, 18)),
			rec(0, code(CodeStart, 1)), rec(0, code(CodeOrigin, 1)),
			rec(2, call(3, 128)),
			rec(3_000_000_000, code(CodeGoexit, 128)),
			rec(3, ExitBit|call(3, 128)),
			rec(4, code(CodeEnd, 0)),
		}},
	} {
		payload, _ := enc.Append(nil, chunk.Chunk, chunk.recs)
		b = AppendBlock(b, BlockEvents, payload)
	}
	b = AppendBlock(b, BlockTests, AppendTests(nil, []TestEvent{{Clock: 1001, Goroutine: 9, State: TestBegins, Name: "TestParse/empty"}}))
	b = AppendBlock(b, BlockCounts, AppendCounts(nil, 4000, []Count{{Site: 4, Level: LevelUnvalued}, {Site: 2, Level: LevelCounted}}))
	b = AppendBlock(b, BlockCounts, AppendCounts(nil, clock, []Count{{Site: 2, Level: LevelCounted, Calls: 1_203_441}}))
	b = AppendBlock(b, BlockMeta, AppendMeta(nil, []KeyValue{{MetaBudget, "10%"}, {MetaCPU, "3200000000"}, {MetaTracing, "256000000"}}))
	return AppendBlock(b, BlockEnd, AppendTrailer(nil, Trailer{Clock: clock, Events: 18, Lost: 7, Flags: Recovered, Recovered: 4}))
}

// dump writes a trace file as text: the bytes of each block and what they say.
func dump(t *testing.T, file []byte) string {
	t.Helper()
	if err := CheckHeader(file); err != nil {
		t.Fatal(err)
	}
	var w strings.Builder
	bytesOf := func(b []byte) {
		for ; len(b) > 16; b = b[16:] {
			fmt.Fprintf(&w, "    % x\n", b[:16])
		}
		fmt.Fprintf(&w, "    % x\n", b)
	}
	fmt.Fprintln(&w, "header")
	bytesOf(file[:HeaderSize])
	for off := HeaderSize; off < len(file); {
		h, err := ParseBlock(file[off:])
		if err != nil {
			t.Fatal(err)
		}
		payload := file[off+BlockHeader:][:h.Length]
		if err := h.Check(payload); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&w, "\n%d: block of kind %d, %d bytes, checksum %s\n", off, h.Kind, h.Length, hex.EncodeToString(file[off+12:off+16]))
		bytesOf(payload)
		var facts []any
		switch h.Kind {
		case BlockMeta:
			var meta []KeyValue
			meta, err = ParseMeta(payload)
			for _, kv := range meta {
				facts = append(facts, kv)
			}
		case BlockClock:
			var p ClockPair
			p, err = ParseClock(payload)
			facts = append(facts, p)
		case BlockSites:
			var base uint32
			var pkg string
			var sites []Site
			var facility Facility
			base, pkg, sites, facility, err = ParseSites(payload)
			facts = append(facts, fmt.Sprintf("sites of %s from %d on", pkg, base))
			for _, s := range sites {
				facts = append(facts, s)
			}
			facts = append(facts, facility)
		case BlockGroups:
			var groups []Group
			groups, err = ParseGroups(payload)
			for _, g := range groups {
				facts = append(facts, g)
			}
		case BlockOrigins:
			var origins []Origin
			origins, err = ParseOrigins(payload)
			for _, o := range origins {
				facts = append(facts, o)
			}
		case BlockEvents:
			var dec Decoder
			var header EventsHeader
			header, err = dec.Reset(payload)
			facts = append(facts, header)
			var ev Event
			for dec.Next(&ev) {
				facts = append(facts, eventText(ev))
			}
			if err == nil {
				err = dec.Err()
			}
		case BlockTests:
			var tests []TestEvent
			tests, err = ParseTests(payload)
			for _, test := range tests {
				facts = append(facts, test)
			}
		case BlockCounts:
			var clock uint64
			var counts []Count
			clock, counts, err = ParseCounts(payload)
			facts = append(facts, fmt.Sprintf("counts at %d", clock))
			for _, c := range counts {
				facts = append(facts, c)
			}
		case BlockEnd:
			var trailer Trailer
			trailer, err = ParseTrailer(payload)
			facts = append(facts, trailer)
		}
		if err != nil {
			t.Fatalf("block at byte %d: %v", off, err)
		}
		for _, f := range facts {
			fmt.Fprintf(&w, "  %+v\n", f)
		}
		off += BlockHeader + h.Length
	}
	return w.String()
}

// eventText writes the fields of an event that are set.
func eventText(ev Event) string {
	s := fmt.Sprintf("%d g%d p%d %v", ev.Clock, ev.Goroutine, ev.Stream, ev.Kind)
	for _, f := range []struct {
		name  string
		value uint64
	}{{"site", uint64(ev.Site)}, {"token", uint64(ev.Token)}, {"value", ev.Value}, {"origin", uint64(ev.Origin)}} {
		if f.value != 0 {
			s += fmt.Sprintf(" %s %d", f.name, f.value)
		}
	}
	if len(ev.Data) > 0 {
		s += fmt.Sprintf(" %q", bytes.TrimRight(ev.Data, "\x00"))
	}
	return s
}
