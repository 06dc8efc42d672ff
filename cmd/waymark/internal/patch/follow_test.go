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
	f.Tell(10)
	newSource(target).append(make([]byte, format.ChunkSize), part(0, 1, 3, format.ChunkActive, runs(3, 7), stack(1<<40), stack(80)))
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
