package tracefile

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/waymark-go/waymark/internal/testing/tracetest"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// A named file is one in memory that has a name.
type named struct {
	*bytes.Reader
	name string
}

func (n named) Name() string { return n.name }

func openNamed(t *testing.T, name string, file []byte) *File {
	t.Helper()
	f, err := NewFile(named{bytes.NewReader(file), name}, int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// inParts makes a recording of n chunks on two streams, once in one file and once
// in parts of three chunks each.
func inParts(n int) (whole []byte, parts [][]byte) {
	meta := func(part string) []format.KeyValue {
		return []format.KeyValue{{Key: format.MetaNonce, Value: "abcd"}, {Key: format.MetaPart, Value: part}}
	}
	all := newTrace(meta("0")...)
	a, b := newWalker(1, testStart), newWalker(2, testStart+1)
	var w *tracetest.Writer
	clock := uint64(0)
	end := func() {
		if w != nil {
			w.End(clock, format.Trailer{Lost: 1})
			parts = append(parts, w.File)
		}
	}
	for i := 0; i < n; i++ {
		if i%3 == 0 {
			end()
			w = newTrace(meta(fmt.Sprint(i / 3))...)
			w.Seq = uint64(i)
		}
		walk := a
		if i%2 == 1 {
			walk = b
		}
		recs := walk.walk(nil, 40, 30)
		clock = max(a.clock, b.clock)
		w.Chunk(uint32(i%2), uint64(i%2+1), recs)
		all.Chunk(uint32(i%2), uint64(i%2+1), recs)
	}
	end()
	all.End(clock, format.Trailer{Lost: uint64(len(parts))})
	return all.File, parts
}

// TestParts reads a recording in parts: it is the same as in one file, in
// whichever order the parts are given.
func TestParts(t *testing.T) {
	whole, parts := inParts(12)
	one := openBytes(t, whole)
	var files []*File
	for i := range parts {
		i = (i + 2) % len(parts)
		files = append(files, openNamed(t, fmt.Sprintf("part%d", i), parts[i]))
	}
	set, err := Join(files)
	if err != nil {
		t.Fatal(err)
	}
	if len(set.Processes) != 1 || len(set.Repeated) != 0 {
		t.Fatalf("%d processes, %d repeated", len(set.Processes), len(set.Repeated))
	}
	f := set.Processes[0]
	if f.Path() != "part0" || len(f.Parts()) != 4 || f.Parts()[3].Path() != "part3" {
		t.Errorf("%s with %d parts", f.Path(), len(f.Parts()))
	}
	same(t, all(t, f), all(t, one))
	got, want := f.Info(), one.Info()
	if got.Size <= want.Size || got.Blocks <= want.Blocks {
		t.Errorf("%d bytes and %d blocks in parts, %d and %d in one", got.Size, got.Blocks, want.Size, want.Blocks)
	}
	got.Size, got.Blocks = want.Size, want.Blocks
	if got != want {
		t.Errorf("Info %+v\nwant %+v", got, want)
	}
	if got, want := f.Nanos(testStart+12345), one.Nanos(testStart+12345); got != want {
		t.Errorf("Nanos %d, want %d", got, want)
	}
}

// TestPartMissing leaves out a part in the middle, and the first.
func TestPartMissing(t *testing.T) {
	_, parts := inParts(12)
	for _, test := range []struct{ given, missing int }{{0b1001, 2}, {0b1011, 1}, {0b1110, 0}} {
		var files []*File
		events := uint64(0)
		for i, p := range parts {
			if test.given>>i&1 != 0 {
				f := openNamed(t, fmt.Sprint(i), p)
				files = append(files, f)
				events += f.Info().Events
			}
		}
		set, err := Join(files)
		if err != nil {
			t.Fatal(err)
		}
		info := set.Processes[0].Info()
		if info.Missing != test.missing || info.Events != events || uint64(len(all(t, set.Processes[0]))) != events {
			t.Errorf("parts %04b: %d missing, %d events of %d", test.given, info.Missing, info.Events, events)
		}
	}
}

// TestPartsDamaged flips a bit in one part: the damage is that part's.
func TestPartsDamaged(t *testing.T) {
	_, parts := inParts(12)
	at := eventBlocks(t, parts[1])[1]
	parts[1][at.end-1] ^= 1
	var files []*File
	for i, p := range parts {
		files = append(files, openNamed(t, fmt.Sprint(i), p))
	}
	set, err := Join(files)
	if err != nil {
		t.Fatal(err)
	}
	f := set.Processes[0]
	if n := len(all(t, f)); n != 11*40 {
		t.Errorf("%d events", n)
	}
	all(t, f) // a second reading counts the damage once
	for i, p := range f.Parts() {
		want := int64(0)
		if i == 1 {
			want = int64(at.end - at.off)
		}
		if got := p.Info().Damaged; got != want {
			t.Errorf("part %d: %d bytes damaged, want %d", i, got, want)
		}
	}
	if got, want := f.Info().Damaged, int64(at.end-at.off); got != want {
		t.Errorf("%d bytes damaged, want %d", got, want)
	}
}

// TestPartsRepeatBlock has a block in two parts, as when the program was killed
// after it had written the block and begun another part.
func TestPartsRepeatBlock(t *testing.T) {
	whole, parts := inParts(6)
	at := eventBlocks(t, parts[0])[2]
	end := blockOffsets(parts[1])[3] // behind Meta, Clock and Sites
	parts[1] = bytes.Join([][]byte{parts[1][:end], parts[0][at.off:at.end], parts[1][end:]}, nil)
	set, err := Join([]*File{openBytes(t, parts[0]), openBytes(t, parts[1])})
	if err != nil {
		t.Fatal(err)
	}
	same(t, all(t, set.Processes[0]), all(t, openBytes(t, whole)))
}

// process makes the file of a process of a program that began later than others.
func process(t *testing.T, name, nonce string, later time.Duration, meta ...format.KeyValue) *File {
	t.Helper()
	c := testClock
	c.Start *= uint64(len(name)) // clocks of processes have nothing in common
	c.Unix += int64(later)
	w := tracetest.New(c, append(meta, format.KeyValue{Key: format.MetaNonce, Value: nonce})...)
	w.Sites(1, "p", []format.Site{{Name: "p.F", File: "p.go", Line: 3}, {Name: "p.G", File: "p.go", Line: 5}})
	w.Chunk(0, 1, newWalker(int64(len(name)), c.Start).walk(nil, 50, 1000))
	w.End(c.Start+testHz, format.Trailer{})
	return openNamed(t, name, w.File)
}

func TestSetEvents(t *testing.T) {
	files := []*File{
		process(t, "second", "2", 10*time.Microsecond),
		process(t, "the third", "3", 15*time.Microsecond),
		process(t, "first", "1", 0),
	}
	set, err := Join(files)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range set.Processes {
		names = append(names, p.Path())
	}
	if got := strings.Join(names, ","); got != "first,second,the third" {
		t.Errorf("processes %s", got)
	}
	if d := set.Duration(); d != time.Second+15*time.Microsecond {
		t.Errorf("Duration %v", d)
	}
	var got [3][]Event
	last, turns, before := int64(0), 0, -1
	var ev Event
	e := set.Events()
	for e.Next(&ev) {
		i := e.Process()
		p := set.Processes[i]
		if e.Ended(i) {
			t.Fatal("ended, and has an event")
		}
		if want := p.Nanos(ev.Clock) + int64(set.Since(p)); e.Nanos() != want {
			t.Fatalf("event at %d, want %d", e.Nanos(), want)
		}
		if e.Nanos() < last {
			t.Fatalf("event at %d after one at %d", e.Nanos(), last)
		}
		last = e.Nanos()
		if i != before {
			turns, before = turns+1, i
		}
		got[i] = append(got[i], ev)
	}
	if e.Err() != nil || turns < 10 {
		t.Errorf("%d turns, %v", turns, e.Err())
	}
	for i, p := range set.Processes {
		same(t, got[i], all(t, p))
		if !e.Ended(i) {
			t.Errorf("process %d has not ended", i)
		}
	}
}

// TestSetWithoutTime joins a file that has lost its Clock blocks.
func TestSetWithoutTime(t *testing.T) {
	w := &tracetest.Writer{File: format.AppendHeader(nil), Clock: testClock}
	w.Chunk(0, 1, []format.Record{{Clock: testStart + 5, Word: 1 << format.SiteShift}})
	lost := openBytes(t, w.File)
	set, err := Join([]*File{process(t, "a", "1", time.Hour), lost})
	if err != nil {
		t.Fatal(err)
	}
	if set.Since(lost) != 0 || set.Duration() != time.Second {
		t.Errorf("since %v, duration %v", set.Since(lost), set.Duration())
	}
	n := 0
	var ev Event
	for e := set.Events(); e.Next(&ev); {
		n++
	}
	if n != 51 {
		t.Errorf("%d events", n)
	}
}

func TestRepeated(t *testing.T) {
	_, parts := inParts(6)
	blocks := eventBlocks(t, parts[0])
	short := openNamed(t, "short", parts[0][:blocks[2].off]) // a copy from before the program's end
	long := openNamed(t, "long", parts[0])
	for _, files := range [][]*File{{short, long}, {long, short}} {
		set, err := Join(files)
		if err != nil {
			t.Fatal(err)
		}
		if len(set.Processes) != 1 || set.Processes[0] != long || len(set.Repeated) != 1 || set.Repeated[0] != short {
			t.Errorf("%d processes, of %s, %d repeated", len(set.Processes), set.Processes[0].Path(), len(set.Repeated))
		}
	}
}

func TestDifferentPrograms(t *testing.T) {
	file := func(name, program string, tables ...[]format.Site) *File {
		w := tracetest.New(testClock, format.KeyValue{Key: format.MetaProgram, Value: program})
		base := uint32(1)
		for i, sites := range tables {
			w.Sites(base, fmt.Sprintf("m/p%d", i), sites)
			base += uint32(len(sites))
		}
		return openNamed(t, name, w.File)
	}
	p := []format.Site{{Name: "p.F", File: "/p.go", Line: 3}, {Name: "p.G", File: "/p.go", Line: 5}}
	moved := []format.Site{{Name: "p.F", File: "/p.go", Line: 4}, {Name: "p.G", File: "/p.go", Line: 6}}
	more := append([]format.Site{{Name: "p.A", File: "/p.go", Line: 1}}, p...)
	q := []format.Site{{Name: "q.F", File: "/q.go", Line: 7}}

	for _, test := range []struct {
		a, b *File
		want string // "" if they may be joined
	}{
		{file("a", "/tmp/1/shop", p, q), file("b", "/tmp/2/shop", p, q), ""},
		{file("a", "shop", p, q), file("b", `C:\bin\shop.exe`, p, q), ""},
		{file("a", "shop", p), file("b", "shop", p, q), ""}, // ended before q was initialised
		{file("a", "shop", p, q), file("b", "shop"), ""},    // cut off
		{file("a", "shop", p), file("b", "", p), ""},        // damaged
		{file("a", "shop", p, q), file("b", "load", p, q), "a is of the program shop, b of load: give files of one program"},
		{file("a", "shop", p), file("b", "shop", moved), "a and b are of different builds of shop: 2 functions differ, such as p.F, at /p.go:3 in the one and at /p.go:4 in the other; give files of one build"},
		{file("a", "shop", p), file("b", "shop", more), "a and b are of different builds of shop: 1 function differs, such as p.A, which only b has; give files of one build"},
		{file("a", "shop", more), file("b", "shop", p), "a and b are of different builds of shop: 1 function differs, such as p.A, which only a has; give files of one build"},
	} {
		_, err := Join([]*File{test.a, test.b})
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
	}
	if _, err := Join(nil); err == nil {
		t.Error("no files were joined")
	}
}

// FuzzJoin joins whatever two files hold: times never go back, the processes' events
// are those that they have by themselves, and nothing panics.
func FuzzJoin(f *testing.F) {
	_, parts := inParts(6)
	f.Add(parts[0], parts[1])
	f.Add(parts[1], parts[1])
	other := tracetest.New(testClock, format.KeyValue{Key: format.MetaNonce, Value: "ef"})
	other.Chunk(0, 1, newWalker(3, testStart).walk(nil, 20, 30))
	f.Add(parts[0], other.File)
	f.Fuzz(func(t *testing.T, a, b []byte) {
		var files []*File
		for _, file := range [][]byte{a, b} {
			f, err := NewFile(bytes.NewReader(file), int64(len(file)))
			if err != nil {
				return
			}
			files = append(files, f)
		}
		set, err := Join(files)
		if err != nil {
			return
		}
		set.Duration()
		counts := make([]int, len(set.Processes))
		last := int64(-1 << 63)
		var ev Event
		e := set.Events()
		for e.Next(&ev) {
			if e.Nanos() < last {
				t.Fatalf("event at %d after one at %d", e.Nanos(), last)
			}
			last = e.Nanos()
			counts[e.Process()]++
		}
		if e.Err() != nil {
			t.Fatal(e.Err())
		}
		for i, p := range set.Processes {
			if n := len(all(t, p)); n != counts[i] {
				t.Errorf("process %d: %d events, %d by itself", i, counts[i], n)
			}
			p.Info()
			for _, part := range p.Parts() {
				part.Info()
			}
		}
	})
}
