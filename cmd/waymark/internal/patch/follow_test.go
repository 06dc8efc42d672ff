//go:build linux && amd64

package patch

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/image"
	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/trampoline"
	"github.com/waymark-go/waymark/internal/program/recorder"
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/wire/format"
	"github.com/waymark-go/waymark/tracefile"
)

// part returns a chunk of a P with these records.
func part(stream uint32, goroutine, clock uint64, state uint32, records ...format.Record) *Part {
	b := make([]byte, format.ChunkSize)
	le := binary.LittleEndian
	le.PutUint32(b, state)
	le.PutUint32(b[4:], stream)
	le.PutUint64(b[16:], clock)
	le.PutUint64(b[24:], goroutine)
	end := format.ChunkHeader
	for _, r := range records {
		le.PutUint64(b[end:], r.Clock)
		le.PutUint64(b[end+8:], r.Word)
		end += format.RecordSize
	}
	le.PutUint32(b[32:], uint32(end))
	return &Part{Head: format.ParseChunk(b), Bytes: b, From: format.ChunkHeader, End: end}
}

func begins(clock, site, token uint64) format.Record {
	return format.Record{Clock: clock, Word: site<<format.SiteShift | token}
}

func ends(clock, site, token uint64) format.Record {
	r := begins(clock, site, token)
	r.Word |= format.ExitBit
	return r
}

func runs(clock, goroutine uint64) format.Record {
	return format.Record{Clock: clock, Word: format.FirstCode<<format.SiteShift | format.CodeGo<<format.CodeShift | goroutine}
}

// A goroutine's calls are put together from the Ps that it ran on, in the order of time. Who is left by a panic ends when
// the next event shows it.
func TestFollow(t *testing.T) {
	target := &Target{sites: []*Site{nil}}
	for i, name := range []string{"f", "g", "h"} {
		target.sites = append(target.sites, &Site{Number: uint32(i + 1), Func: &image.Func{Name: name}, on: true})
	}
	f := target.Follow()
	var got []string
	f.Begin = func(c *Call) { got = append(got, fmt.Sprintf("%d+%s", c.Goroutine, c.Site.Name())) }
	f.End = func(c *Call) {
		got = append(got, fmt.Sprintf("%d-%s %d %v %d", c.Goroutine, c.Site.Name(), c.Ended-c.Began, c.End == Returned, c.Callees))
	}
	// Goroutine 7 calls f on P 0, is moved to P 1 and calls g there, which panics: h is called by f again.
	f.Add(part(0, 7, 10, format.ChunkActive, begins(10, 1, 16), runs(20, 8), begins(21, 3, 16), ends(50, 3, 16)))
	f.Add(part(1, 9, 5, format.ChunkActive, runs(29, 7), begins(30, 2, 48), begins(40, 3, 32), ends(60, 3, 32), ends(70, 1, 16)))
	f.Tell(65)
	want := []string{"7+f", "8+h", "7+g", "7-g 10 false 0", "7+h", "8-h 29 true 0", "7-h 20 true 0"}
	if !slices.Equal(got, want) {
		t.Errorf("told\n%s, want\n%s", strings.Join(got, ", "), strings.Join(want, ", "))
	}
	f.Tell(100)
	if want = append(want, "7-f 60 true 30"); !slices.Equal(got, want) {
		t.Errorf("told at last %s", got[len(got)-1])
	}
	// What isn't patched any more is forgotten, and what it was called by stays.
	f.Add(part(2, 5, 200, format.ChunkActive, begins(200, 1, 16), begins(210, 2, 32)))
	f.Tell(300)
	target.sites[2].on = false
	f.Drop()
	f.Add(part(2, 5, 310, format.ChunkActive, ends(320, 1, 16)))
	f.Tell(400)
	if last := got[len(got)-1]; last != "5-f 120 true 0" {
		t.Errorf("told after a function was dropped: %s", last)
	}
}

func mark(clock, code, value uint64) format.Record {
	return format.Record{Clock: clock, Word: format.FirstCode<<format.SiteShift | code<<format.CodeShift | value}
}

// Who is left by what: tokens are 16 of a, 32 of b, 48 of c. Panics begin at 64 and deeper.
func TestUnwinding(t *testing.T) {
	for _, test := range []struct {
		name   string
		events []format.Record
		want   string // function and how it ended
	}{
		{"recovered by a", []format.Record{mark(4, format.CodePanic, 64), mark(5, format.CodeRecover, 16), ends(9, 1, 16)}, "c Panicked 5, b Panicked 5, a Returned 9 recovered"},
		{"not seen to be recovered", []format.Record{mark(4, format.CodePanic, 64), ends(9, 1, 16)}, "c Panicked 9, b Panicked 9, a Returned 9"},
		{"Goexit", []format.Record{mark(4, format.CodeGoexit, 64), mark(7, format.CodeEnd, 0)}, "c Exited 7, b Exited 7, a Exited 7"},
		{"a panic in a deferred function of c, recovered there", []format.Record{mark(4, format.CodePanic, 64), begins(5, 4, 80), mark(6, format.CodePanic, 96),
			mark(7, format.CodeRecover, 80), ends(8, 4, 80), mark(9, format.CodeRecover, 32), ends(10, 2, 32), ends(11, 1, 16)},
			"d Returned 8 recovered, c Panicked 9, b Returned 10 recovered, a Returned 11"},
		{"Goexit in a function that b has deferred, as it panics", []format.Record{mark(4, format.CodePanic, 64), mark(5, format.CodeGoexit, 80), mark(7, format.CodeEnd, 0)},
			"c Exited 7, b Exited 7, a Exited 7"},
		{"a panic in a deferred function that Goexit calls, recovered by a: the Goexit goes on", []format.Record{mark(4, format.CodeGoexit, 64), mark(5, format.CodePanic, 80),
			mark(6, format.CodeRecover, 16), mark(7, format.CodeEnd, 0)}, "c Panicked 6, b Panicked 6, a Exited 7 recovered"},
		{"again and again", []format.Record{mark(4, format.CodePanic, 64), mark(5, format.CodePanic, 64), mark(6, format.CodePanic, 64), mark(7, format.CodeRecover, 48), ends(8, 3, 48), ends(9, 2, 32), ends(10, 1, 16)},
			"c Returned 8 recovered, b Returned 9, a Returned 10"},
	} {
		target := &Target{sites: []*Site{nil}}
		for i, name := range []string{"a", "b", "c", "d"} {
			target.sites = append(target.sites, &Site{Number: uint32(i + 1), Func: &image.Func{Name: name}, on: true})
		}
		f := target.Follow()
		var got []string
		f.Begin = func(*Call) {}
		f.End = func(c *Call) {
			text := fmt.Sprintf("%s %s %d", c.Site.Name(), []string{"Returned", "Panicked", "Exited"}[c.End], c.Ended)
			if c.Recovered {
				text += " recovered"
			}
			got = append(got, text)
		}
		f.Add(part(0, 7, 1, format.ChunkActive, append([]format.Record{begins(1, 1, 16), begins(2, 2, 32), begins(3, 3, 48)}, test.events...)...))
		f.Tell(100)
		if got := strings.Join(got, ", "); got != test.want {
			t.Errorf("%s:\n%s, want\n%s", test.name, got, test.want)
		}
		for id, g := range f.goroutines {
			if len(g.unwinding) > 1 {
				t.Errorf("%s: goroutine %d has %d panics", test.name, id, len(g.unwinding))
			}
		}
	}
}

// A goroutine's end that comes before all else of it is written where its other events are, in the order of time.
func TestEarlyEnd(t *testing.T) {
	s := newSource(&Target{Image: new(image.Image)})
	s.arena, s.free = make([]byte, 4*format.ChunkSize), []int{1, 2, 3}
	start := func(clock uint64) []format.Record {
		return []format.Record{runs(clock, 7), mark(clock, format.CodeStart, 1), mark(clock, format.CodeOrigin, 0x1234)}
	}
	last := append(start(30), mark(30, format.CodeEnd, 0))
	s.append(part(2, 0, 30, format.ChunkActive, last...))
	first := append(start(10), begins(10, 1, 16), ends(20, 1, 16), runs(25, 8), begins(25, 1, 16), ends(40, 1, 16))
	s.append(part(1, 0, 10, format.ChunkActive, first...))
	b := s.chunk(s.open[1])
	p := Part{Bytes: b, From: format.ChunkHeader, End: int(binary.LittleEndian.Uint32(b[32:]))}
	want := []format.Record{ends(20, 1, 16), runs(25, 8), begins(25, 1, 16), runs(30, 7), mark(30, format.CodeEnd, 0), runs(30, 8), ends(40, 1, 16)}
	if got := p.Records(); len(got) < 4 || !slices.Equal(got[4:], want) {
		t.Errorf("the stream has %+v, want %+v at the end", got, want)
	}
}

// Of a goroutine that went from one P to another, the beginning is in the recording, in whatever order its chunks come;
// and not again at each switch.
func TestBeginnings(t *testing.T) {
	start := func(clock, goroutine uint64) []format.Record {
		return []format.Record{runs(clock, goroutine), mark(clock, format.CodeStart, 1), mark(clock, format.CodeOrigin, 0x1234)}
	}
	first := append(start(10, 7), append(append([]format.Record{begins(10, 1, 16)}, start(11, 8)...), mark(12, format.CodeEnd, 0))...)
	first = append(append(first, start(15, 7)...), begins(15, 1, 32))
	later := append(start(20, 7), ends(20, 1, 32))
	s := newSource(&Target{Image: new(image.Image)})
	s.arena, s.free = make([]byte, 4*format.ChunkSize), []int{1, 2, 3}
	count := func(stream uint32, list []format.Record) (starts, others int) {
		s.begin(stream, list[0].Clock, 0, 0)
		b := s.chunk(s.open[stream])
		s.append(part(stream, 0, list[0].Clock, format.ChunkActive, list...))
		p := Part{Bytes: b, From: format.ChunkHeader, End: int(binary.LittleEndian.Uint32(b[32:]))}
		for _, r := range p.Records() {
			if code, _, ok := codeOf(r); ok && code == format.CodeStart {
				starts++
			} else if !ok {
				others++
			}
		}
		return starts, others
	}
	for _, c := range []struct {
		list           []format.Record
		starts, others int
	}{{later, 1, 1}, {first, 1, 2}, {later, 0, 1}} {
		if starts, others := count(1, c.list); starts != c.starts || others != c.others {
			t.Errorf("%d beginnings of goroutines and %d events of calls, want %d and %d", starts, others, c.starts, c.others)
		}
	}
}

// A recording takes events of more Ps than it has chunks at first, and all of them.
func TestManyStreams(t *testing.T) {
	const streams, each = 100, 10
	s := newSource(new(Target))
	path := t.TempDir() + "/many.wmt"
	r, err := recorder.StartOf(s, recorder.Config{Path: path, Overflow: rt.Drop, Facts: []format.KeyValue{{Key: format.MetaProgram, Value: "many"}},
		Packages: func(register func(*rt.Package)) {
			register(&rt.Package{Base: 1, Table: string(format.AppendTable(nil, "m", []format.Site{{Name: "m.f", File: "m.go", Line: 1}})), Sites: make([]uint32, 1)})
		}})
	if err != nil {
		t.Fatal(err)
	}
	clock, _ := Clock()
	for stream := range uint32(streams) {
		var list []format.Record
		for range each {
			list = append(list, begins(clock, 1, 16), ends(clock+1, 1, 16))
			clock += 2
		}
		s.add(part(stream, uint64(stream+1), list[0].Clock, format.ChunkActive, list...))
	}
	if err := (&Recording{r, s}).Close(); err != nil {
		t.Fatal(err)
	}
	f, err := tracefile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	calls, events := 0, f.Events()
	for ev := (tracefile.Event{}); events.Next(&ev); {
		if ev.Kind == tracefile.Enter {
			calls++
		}
	}
	if info := f.Info(); calls != streams*each || info.Lost != 0 || !info.Complete || events.Err() != nil {
		t.Errorf("%d calls, %d lost, complete %v, %v; want %d calls", calls, info.Lost, info.Complete, events.Err(), streams*each)
	}
}

// What a program writes to the memory that it shares leads nobody beyond it.
func TestHostileMemory(t *testing.T) {
	target := &Target{memory: make([]byte, size), at: 1 << 30}
	d := &target.drain
	d.t, d.of = target, make([]stream, trampoline.MostPs)
	chunk := trampoline.Chunks
	d.give(3, chunk)
	b := target.memory[chunk:]
	le := binary.LittleEndian
	le.PutUint32(b[4:], 1<<31) // the stream
	for _, end := range []uint64{0, 1, format.ChunkHeader - 1, format.ChunkSize + 16, 1 << 40, ^uint64(0)} {
		le.PutUint32(b, format.ChunkFull)
		le.PutUint32(b[32:], uint32(end))
		if p := d.next(3, true); p == nil || p.Head.Stream != 3 || p.End < p.From || p.End > format.ChunkSize {
			t.Errorf("full to %d: %+v", end, p)
		}
		le.PutUint32(b, format.ChunkActive)
		cell := trampoline.Cells + 3*trampoline.CellSize
		*d.word(cell + trampoline.Chunk) = target.address(chunk)
		*d.word(cell + trampoline.Cursor) = target.address(chunk) + end
		if p := d.next(3, true); p == nil || p.Head.Stream != 3 || p.End < p.From || p.End > format.ChunkSize {
			t.Errorf("a cursor at %d: %+v", end, p)
		}
	}
	f := (&Target{sites: []*Site{nil}}).Follow()
	f.Add(part(0, 1, 1, format.ChunkActive, begins(1, 1<<30, 1), ends(2, 7, 1))) // sites that aren't there
	stack := func(size uint64) format.Record {
		return format.Record{Clock: 3, Word: format.FirstCode<<format.SiteShift | trampoline.CodeStack<<format.CodeShift | size}
	}
	f.Add(part(0, 1, 3, format.ChunkActive, stack(8), stack(1<<40), stack(80))) // of no call, and longer than the chunk
	f.Add(part(0, 1, 4, format.ChunkActive, stack(8)))
	f.target.sites = append(f.target.sites, &Site{Number: 1, Func: new(image.Func), on: true})
	f.Begin, f.End = func(*Call) {}, func(*Call) {}
	f.Add(part(1, 1<<63|5, 4, format.ChunkActive, begins(4, 1, 16)))                                                 // no goroutine has that id
	f.Add(part(2, 5, 4, format.ChunkActive, begins(4, 1, 16), stack(8), begins(5, 1, 8), stack(8), begins(6, 1, 8))) // each second one is an address
	f.Tell(10)
	f.Add(part(3, 5, 14, format.ChunkActive, begins(14, 1, 16), stack(8), mark(0, 0, 0), stack(8), mark(0, 0, 0))) // two of one call
	if f.Tell(20); len(f.queues[3].stacks) != 0 {
		t.Error("addresses are left that are of no call")
	}
	s := newSource(target)
	s.arena, s.free = make([]byte, 2*format.ChunkSize), []int{1}
	s.add(part(0, 1, 3, format.ChunkActive, runs(3, 7), stack(1<<40), stack(80)))
}

// Memory is told from other files by what it is, and by whose.
func TestIsMemory(t *testing.T) {
	fd, err := unix.MemfdCreate(memoryName, unix.MFD_CLOEXEC)
	if err != nil {
		t.Skip(err)
	}
	memory := os.NewFile(uintptr(fd), "memory")
	defer memory.Close()
	other, err := os.Create(filepath.Join(t.TempDir(), "memfd:"+memoryName))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	for _, f := range []*os.File{memory, other} {
		if err := f.Truncate(size); err != nil {
			t.Skip(err)
		}
	}
	if !isMemory(memory, os.Getpid()) || isMemory(other, os.Getpid()) {
		t.Errorf("memory: %v, another file: %v", isMemory(memory, os.Getpid()), isMemory(other, os.Getpid()))
	}
	if os.Geteuid() == 0 {
		if memory.Chown(4711, 4711); isMemory(memory, os.Getpid()) {
			t.Error("another user's is taken for the process's")
		}
	}
}
