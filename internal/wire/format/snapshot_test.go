package format

import (
	"bytes"
	"encoding/binary"
	"io"
	"math/rand"
	"slices"
	"testing"

	"github.com/waymark-go/waymark/internal/testing/seed"
)

// A ringProgram fills an arena as the hooks do with overflow ring. Every event has
// a clock of its own, one more than the last. It is also the file that a reader
// reads: it goes on between and within reads.
type ringProgram struct {
	mem     []byte
	rand    *rand.Rand
	steps   int // for each read
	clock   uint64
	seq     uint64
	streams [3]struct{ chunk, pos int } // chunk 0: none yet
	free    []int
	full    []int
	events  [][2]uint64 // clock and stream of each
}

func newRingProgram(t *testing.T, chunks int) *ringProgram {
	p := &ringProgram{mem: make([]byte, (chunks+1)*ChunkSize), rand: seed.Rand(t, 1)}
	PutControl(p.mem, Control{PID: 1})
	for i := chunks; i > 0; i-- {
		p.free = append(p.free, i)
	}
	return p
}

func (p *ringProgram) chunk(i int) []byte { return p.mem[i*ChunkSize:][:ChunkSize] }

func (p *ringProgram) tick() uint64 {
	p.clock++
	return p.clock
}

// step writes an event on some stream, rarely on the last one.
func (p *ringProgram) step() {
	le := binary.LittleEndian
	i := p.rand.Intn(20) % 3 % (1 + p.rand.Intn(3))
	s := &p.streams[i]
	if s.chunk == 0 || s.pos == ChunkSize {
		if s.chunk != 0 {
			c := p.chunk(s.chunk)
			le.PutUint32(c[32:], ChunkSize)
			le.PutUint64(c[48:], p.clock) // what comes later is not in it
			le.PutUint32(c, ChunkFull)
			p.full = append(p.full, s.chunk)
		}
		if n := len(p.free); n > 0 {
			s.chunk, p.free = p.free[n-1], p.free[:n-1]
		} else {
			s.chunk, p.full = p.full[0], p.full[1:]
			copy(p.mem[64:72], p.chunk(s.chunk)[48:56])
		}
		c := p.chunk(s.chunk)
		p.seq++
		le.PutUint32(c, ChunkFree)
		le.PutUint32(c[4:], uint32(i))
		le.PutUint64(c[8:], p.seq)
		le.PutUint64(c[16:], p.clock+1)
		le.PutUint64(c[48:], 0)
		le.PutUint32(c, ChunkActive)
		s.pos = ChunkHeader
	}
	r := p.chunk(s.chunk)[s.pos:]
	clock := p.tick()
	le.PutUint64(r[8:], 1<<SiteShift|uint64(s.pos))
	le.PutUint64(r, clock)
	s.pos += RecordSize
	p.events = append(p.events, [2]uint64{clock, uint64(i)})
}

func (p *ringProgram) run(n int) {
	for ; n > 0; n-- {
		p.step()
	}
}

// ReadAt reads one half, lets the program go on, and reads the other.
func (p *ringProgram) ReadAt(b []byte, off int64) (int, error) {
	r := bytes.NewReader(p.mem)
	half := len(b) / 2 &^ 15
	r.ReadAt(b[:half], off)
	p.run(p.steps)
	n, err := r.ReadAt(b[half:], off+int64(half))
	p.run(p.steps)
	return half + n, err
}

// What is read from a ring that turns meanwhile has all events from Before on, of
// every stream, without a gap.
func TestReadTurningRing(t *testing.T) {
	const perChunk = (ChunkSize - ChunkHeader) / RecordSize
	for _, before := range []int{0, 100, 5 * perChunk, 30 * perChunk} {
		for _, steps := range []int{0, 1, 50, 700, 3 * perChunk} {
			for _, cut := range []bool{false, true} {
				p := newRingProgram(t, 9)
				p.run(before)
				p.steps = steps
				until := uint64(0)
				if cut {
					until = max(p.clock, 1)
				}
				s, err := ReadArena(p, int64(len(p.mem)), until)
				if err != nil {
					t.Fatal(err)
				}
				if before < 5*perChunk && steps == 0 && s.Before != 0 {
					t.Errorf("%d events, nothing overwritten: before %d", before, s.Before)
				}
				got := eventsOf(t, s)
				var want [3][]uint64
				for _, ev := range p.events {
					if ev[0] > s.Before && (!cut || ev[0] <= until) {
						want[ev[1]] = append(want[ev[1]], ev[0])
					}
				}
				for i := range want {
					w := want[i]
					if !cut {
						w = w[:min(len(w), len(got[i]))] // each stream to where it was read
					}
					if !slices.Equal(got[i], w) {
						t.Errorf("%d events, then %d for each read, cut %v: stream %d has %d events after %d, want %d",
							before, steps, cut, i, len(got[i]), s.Before, len(w))
					}
				}
				if steps <= 50 && before > perChunk && len(got[0]) == 0 {
					t.Errorf("%d events, then %d for each read, cut %v: nothing was read", before, steps, cut)
				}
			}
		}
	}
}

// eventsOf returns the clocks of each stream's events after s.Before.
func eventsOf(t *testing.T, s *Snapshot) (streams [3][]uint64) {
	t.Helper()
	for _, c := range s.Chunks {
		var dec Decoder
		if _, err := dec.Reset(c.Block[BlockHeader:]); err != nil {
			t.Fatal(err)
		}
		last := uint64(0)
		for ev := (Event{}); dec.Next(&ev); {
			if last = ev.Clock; ev.Clock > s.Before {
				streams[ev.Stream] = append(streams[ev.Stream], ev.Clock)
			}
		}
		if err := dec.Err(); err != nil {
			t.Fatal(err)
		}
		if last != c.Last {
			t.Errorf("chunk %d ends at %d, Last is %d", c.Seq, last, c.Last)
		}
	}
	return streams
}

func TestTrim(t *testing.T) {
	p := newRingProgram(t, 9)
	p.run(30000)
	for _, ticks := range []uint64{1, 5000, 1e9} {
		s, err := ReadArena(bytes.NewReader(p.mem), int64(len(p.mem)), 0)
		if err != nil {
			t.Fatal(err)
		}
		s.Trim(ticks)
		from := uint64(0)
		if ticks < p.clock {
			from = p.clock - ticks
		}
		if s.Before != from {
			t.Errorf("the last %d ticks of %d begin at %d", ticks, p.clock, s.Before)
		}
		n := 0
		for _, clocks := range eventsOf(t, s) {
			n += len(clocks)
		}
		if n != int(p.clock-from) {
			t.Errorf("the last %d ticks of %d have %d events", ticks, p.clock, n)
		}
		for _, c := range s.Chunks {
			if c.Last < from {
				t.Errorf("the last %d ticks: chunk %d ends at %d", ticks, c.Seq, c.Last)
			}
		}
	}
}

// A movingProgram fills two chunks while a reader looks at them, one after the other. The first one
// is given back and handed out again behind the look, then the second one before it.
type movingProgram struct {
	mem     []byte
	headers int // that were read
}

func (p *movingProgram) ReadAt(b []byte, off int64) (int, error) {
	if len(b) == ChunkHeader {
		if p.headers++; p.headers == 2 { // the first chunk's has been read
			p.put(1, 9)
			p.put(2, 10)
		}
	}
	if off >= int64(len(p.mem)) {
		return 0, io.EOF
	}
	return copy(b, p.mem[off:]), nil
}

// put hands a chunk out and fills it with one event.
func (p *movingProgram) put(i int, seq uint64) {
	c := p.mem[i*ChunkSize:][:ChunkSize]
	le := binary.LittleEndian
	le.PutUint64(c[8:], seq)
	le.PutUint64(c[16:], seq*100)
	le.PutUint32(c[32:], ChunkHeader+RecordSize)
	le.PutUint64(c[48:], seq*100+50)
	le.PutUint64(c[ChunkHeader:], seq*100+1)
	le.PutUint64(c[ChunkHeader+8:], 1<<SiteShift|64)
	le.PutUint32(c, ChunkFull)
}

// A chunk does not come without those of its stream that were handed out before it.
func TestLook(t *testing.T) {
	p := &movingProgram{mem: make([]byte, 3*ChunkSize)}
	PutControl(p.mem, Control{PID: 1})
	p.put(1, 5) // will be in the file
	p.put(2, 6) // too
	s, err := ReadArena(p, int64(len(p.mem)), 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range s.Chunks {
		t.Errorf("chunk %d is there; want none, as neither 9 was seen nor 5 and 6 stayed", c.Seq)
	}
	s, err = ReadArena(p, int64(len(p.mem)), 0)
	if err != nil || len(s.Chunks) != 2 || s.Chunks[0].Seq != 9 || s.Chunks[1].Seq != 10 {
		t.Errorf("%+v, %v; want chunks 9 and 10, of a program that does nothing meanwhile", s, err)
	}
}

// A tornJournal is read once when its header is still that of before it was cleared.
type tornJournal struct {
	mem    []byte
	header []byte
	reads  int
}

func (j *tornJournal) ReadAt(b []byte, off int64) (int, error) {
	n := copy(b, j.mem[off:])
	if j.reads++; j.reads == 1 {
		copy(b, j.header)
	}
	return n, nil
}

func TestTornJournal(t *testing.T) {
	mem := make([]byte, 2*ChunkSize)
	j := OpenJournal(mem[:ChunkSize], mem[ChunkSize:], 1)
	for clock := uint64(1); clock <= 20; clock++ {
		j.Add(&TestEvent{Clock: clock, Goroutine: 7, State: TestBegins, Name: "TestA"})
	}
	header := bytes.Clone(mem[ChunkSize:][:ChunkHeader])
	j.Clear()
	want := []TestEvent{{Clock: 30, Goroutine: 7, State: TestBegins, Name: "TestB"}, {Clock: 31, Goroutine: 7, State: TestPasses, Name: "TestB"}}
	for i := range want {
		j.Add(&want[i])
	}
	a := &arenaReader{r: &tornJournal{mem: mem, header: header}}
	if got, err := a.journal(1, int64(len(mem))); err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
}
