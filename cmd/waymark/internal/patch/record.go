//go:build linux && amd64

package patch

import (
	"encoding/binary"
	"math"
	"os"
	"path"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/patch/trampoline"
	"github.com/waymark-go/waymark/internal/estimate"
	"github.com/waymark-go/waymark/internal/program/clock"
	"github.com/waymark-go/waymark/internal/program/recorder"
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// A Recording records a target's events in a trace file. It gives the recorder chunks as if they were its own program's.
type Recording struct {
	*recorder.Recorder
	source *source
}

// Record begins a recording, with the arguments and results of v that are wanted, as far as they are copied; v may be nil.
// Settings of c that concern what the program itself would do mean nothing here.
func (t *Target) Record(c recorder.Config, v *Values, args, results bool) (*Recording, error) {
	s := newSource(t)
	s.copied, s.args, s.results = v, args, results
	c.Facts = t.facts()
	c.Packages = func(register func(*rt.Package)) { s.register = register }
	c.Values, c.Waiting, c.Objects = nil, false, false
	r, err := recorder.StartOf(s, c)
	if err != nil {
		return nil, err
	}
	if v != nil {
		v.Tell(s, s.describe)
	}
	return &Recording{r, s}, nil
}

// facts describes the program for its recordings.
func (t *Target) facts() []format.KeyValue {
	host, _ := os.Hostname()
	errors := "1"
	if !t.HasDWARF() {
		errors = "0"
	}
	return []format.KeyValue{
		{Key: format.MetaProgram, Value: t.Program},
		{Key: format.MetaGo, Value: t.Image.Release},
		{Key: format.MetaGOOS, Value: "linux"},
		{Key: format.MetaGOARCH, Value: "amd64"},
		{Key: format.MetaHost, Value: host},
		{Key: format.MetaCPUs, Value: strconv.Itoa(runtime.NumCPU())},
		{Key: format.MetaPID, Value: strconv.Itoa(t.process.PID)},
		{Key: format.MetaParent, Value: "0"},
		{Key: format.MetaPatched, Value: "1"},
		{Key: format.MetaErrors, Value: errors},
		{Key: format.MetaSpawns, Value: "1"},
	}
}

// Add adds a part to the recording. Sites must be known to it, see Know.
func (r *Recording) Add(p *Part) { r.source.add(p) }

// Know has the recording know all sites that there are.
func (r *Recording) Know() {
	s := r.source
	sites := s.t.sites
	for s.known+1 < len(sites) {
		first := s.known + 1
		pkg := sites[first].Func.Package()
		var list []format.Site
		for s.known+1 < len(sites) && sites[s.known+1].Func.Package() == pkg {
			s.known++
			list = append(list, s.siteOf(sites[s.known]))
		}
		s.register(&rt.Package{Base: uint32(first), Table: string(format.AppendTable(nil, pkg, list)), Sites: make([]uint32, len(list))})
	}
}

func (s *source) siteOf(of *Site) format.Site {
	site := format.Site{Name: of.Name(), File: of.Func.File(), Line: of.Func.Line()}
	if l := of.Line; l != nil {
		site.Name, site.File, site.Line = l.String(), l.File, l.Line
	}
	if s.copied != nil {
		if signature := s.copied.OfSite(of); signature != nil && (s.args || s.results || of.Line != nil) {
			site.Args, site.Results = signature.Names()
		}
	}
	if base := path.Base(site.Name); literal.MatchString(base) {
		site.Flags = format.Closure
	}
	return site
}

// An ending is a goroutine's end that a stream is to have when its clock is there.
type ending struct{ goroutine, clock uint64 }

// A source is what the recorder has instead of the hooks of its own program.
type source struct {
	noHooks
	t        *Target
	copied   *Values // nil: none
	args     bool    // are wanted of it
	results  bool
	register func(*rt.Package)
	known    int // sites

	mu      sync.Mutex
	changed sync.Cond
	arena   []byte
	free    []int          // chunks of the arena
	full    []int          // in the order in which they were filled
	open    map[uint32]int // by stream: the chunk that its events go to
	types   int            // the chunk that describes types; 0: there is none yet

	typesMu     sync.Mutex
	undescribed []format.Type

	sequence map[uint32]uint64 // of the latest chunk, by stream
	started  map[uint64]uint64 // clocks of the earliest beginnings of goroutines
	early    map[uint64]uint64 // clocks of ends of goroutines that the recording doesn't know yet
	due      map[uint32][]ending
	origins  map[uint64]uint64 // ids by program counter
	placed   uint64            // origins that there are

	ended  bool
	before uint64 // events that were lost before the recording began
}

func newSource(t *Target) *source {
	s := &source{t: t, open: make(map[uint32]int), sequence: make(map[uint32]uint64), started: make(map[uint64]uint64), early: make(map[uint64]uint64), due: make(map[uint32][]ending), origins: make(map[uint64]uint64), before: t.lost()}
	s.changed.L = &s.mu
	return s
}

// Start implements recorder.Hooks.
func (s *source) Start(arena []byte, _ rt.Overflow) uint32 {
	s.arena = arena
	return 1
}

// Free implements recorder.Hooks.
func (s *source) Free(i int) {
	s.mu.Lock()
	s.free = append(s.free, i)
	s.mu.Unlock()
	s.changed.Broadcast()
}

// Take implements recorder.Hooks.
func (s *source) Take() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.full) == 0 {
		return -1
	}
	i := s.full[0]
	s.full = slices.Delete(s.full, 0, 1)
	return i
}

// Queue implements recorder.Hooks.
func (s *source) Queue() (free, full int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.free), len(s.full)
}

// Wait implements recorder.Hooks.
func (s *source) Wait(uint32) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.full) == 0 && !s.ended {
		s.changed.Wait()
	}
	return !s.ended
}

// Stop implements recorder.Hooks.
func (s *source) Stop() {
	s.mu.Lock()
	s.ended = true
	s.mu.Unlock()
	s.changed.Broadcast()
}

// Lost implements recorder.Hooks.
func (s *source) Lost() uint64 { return s.t.lost() - min(s.before, s.t.lost()) }

// add copies a part to the arena. It waits for the writer where there is no room: the program drops events then, and
// counts them.
func (s *source) add(p *Part) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return
	}
	if _, ok := s.open[p.Head.Stream]; !ok {
		if len(p.Records()) == 0 {
			return
		}
		clock, goroutine, lost := p.Head.Clock, p.Head.Goroutine, p.Head.Lost
		if p.From > format.ChunkHeader { // the beginning is in no chunk of the recording, or in an earlier one
			clock, goroutine, lost = p.Records()[0].Clock, p.Goroutine(), 0
		}
		if !s.begin(p.Head.Stream, clock, goroutine, lost) {
			return
		}
	}
	s.append(p)
	if p.Head.State == format.ChunkFull {
		s.close(p.Head.Stream, p.Head.Filled)
	}
}

// begin opens a chunk for a stream. It waits until one is free, and reports false where the recording ends meanwhile.
func (s *source) begin(stream uint32, clock, goroutine, lost uint64) bool {
	i, ok := s.take()
	if !ok {
		return false
	}
	s.sequence[stream]++
	chunk := s.chunk(i)
	if binary.LittleEndian.Uint32(chunk[chunkFlags:])&format.HeldValues != 0 { // who reads it after a kill would take them for records
		clear(chunk)
	}
	clear(chunk[:format.ChunkHeader])
	binary.LittleEndian.PutUint32(chunk, format.ChunkActive)
	binary.LittleEndian.PutUint32(chunk[4:], stream)
	binary.LittleEndian.PutUint64(chunk[8:], s.sequence[stream])
	binary.LittleEndian.PutUint64(chunk[16:], clock)
	binary.LittleEndian.PutUint64(chunk[24:], goroutine)
	binary.LittleEndian.PutUint32(chunk[32:], format.ChunkHeader)
	binary.LittleEndian.PutUint64(chunk[40:], lost)
	s.open[stream] = i
	return true
}

// chunkFlags is where a chunk's flags are, bytes.
const chunkFlags = 36

// take waits for a free chunk; ok is false where the recording ends meanwhile.
func (s *source) take() (i int, ok bool) {
	for len(s.free) == 0 && !s.ended {
		if len(s.full) == 0 {
			s.closeFullest()
		}
		s.changed.Wait()
	}
	if s.ended {
		return 0, false
	}
	i = s.free[len(s.free)-1]
	s.free = s.free[:len(s.free)-1]
	return i, true
}

// describe notes a type that is to be described in the recording before values have it.
func (s *source) describe(t format.Type) {
	s.typesMu.Lock()
	s.undescribed = append(s.undescribed, t)
	s.typesMu.Unlock()
}

// describeTypes adds the descriptions of types that were noted.
func (s *source) describeTypes() {
	s.typesMu.Lock()
	list := s.undescribed
	s.undescribed = nil
	s.typesMu.Unlock()
	end := func(chunk []byte) int { return int(binary.LittleEndian.Uint32(chunk[32:])) }
	for i := range list {
		b := format.AppendType(nil, &list[i])
		if s.types == 0 || end(s.chunk(s.types))+len(b) > format.ChunkSize {
			next, ok := s.take()
			if !ok {
				return
			}
			chunk := s.chunk(next)
			clear(chunk)
			binary.LittleEndian.PutUint32(chunk[32:], format.ChunkHeader)
			binary.LittleEndian.PutUint32(chunk, format.ChunkTypes)
			format.LinkTypes(s.arena, s.types, next)
			s.types = next
		}
		chunk := s.chunk(s.types)
		at := end(chunk)
		copy(chunk[at:], b)
		binary.LittleEndian.PutUint32(chunk[32:], uint32(at+len(b)))
	}
}

// note notes a clock of a goroutine: when it has begun, or ended.
func note(clocks map[uint64]uint64, goroutine, clock uint64) {
	const most = 1 << 20 // then those that still run say again when they began
	if len(clocks) == most {
		clear(clocks)
	}
	clocks[goroutine] = clock
}

// origin returns the id of a go statement, known by the address behind its call; 0 if there is no room for it.
func (s *source) origin(pc uint64) uint64 {
	id, ok := s.origins[pc]
	if !ok {
		o := format.Origin{}
		if frames := s.t.Image.Frames(pc - s.t.bias - 1); len(frames) > 0 {
			o = format.Origin{Func: frames[0].Function, File: frames[0].File, Line: frames[0].Line}
		}
		if format.PutOrigin(s.arena[:format.ChunkSize], pc, o) {
			s.placed++
			id = s.placed
		}
		s.origins[pc] = id
	}
	return id
}

// closeFullest hands the fullest chunk that is open to the writer: there are more streams than chunks.
func (s *source) closeFullest() {
	most, of := 0, uint32(0)
	for stream, i := range s.open {
		if end := int(binary.LittleEndian.Uint32(s.chunk(i)[32:])); end > most {
			most, of = end, stream
		}
	}
	if most > 0 {
		s.close(of, 0)
	}
}

// close hands the chunk of a stream to the writer.
func (s *source) close(stream uint32, filled uint64) {
	i := s.open[stream]
	chunk := s.chunk(i)
	binary.LittleEndian.PutUint64(chunk[48:], filled)
	binary.LittleEndian.PutUint32(chunk, format.ChunkFull)
	delete(s.open, stream)
	s.full = append(s.full, i)
	s.changed.Broadcast()
}

func (s *source) chunk(i int) []byte { return s.arena[i*format.ChunkSize : (i+1)*format.ChunkSize] }

// Close completes the file.
func (r *Recording) Close() error {
	s := r.source
	if s.copied != nil {
		s.copied.Untell(s)
	}
	s.mu.Lock()
	for stream := range s.due {
		c := copying{source: s, p: &Part{Head: format.Chunk{Stream: stream}}}
		c.ends(0, math.MaxUint64)
	}
	for stream := range s.open {
		s.close(stream, 0)
	}
	s.mu.Unlock()
	return r.Recorder.Close()
}

// lost returns how many events were dropped since the last chunk of each P began.
func (t *Target) lost() (n uint64) {
	if t.memory == nil {
		return 0
	}
	for p := range t.drain.of {
		n += *t.drain.word(trampoline.Cells + p*trampoline.CellSize + trampoline.Lost)
	}
	return n
}

// noHooks are recorder.Hooks of a program that has none.
type noHooks struct{}

func (noHooks) Waits(bool)                                 {}
func (noHooks) Objects(bool)                               {}
func (noHooks) ObjectCounts(func(rt.Object))               {}
func (noHooks) Retire() bool                               { return true }
func (noHooks) Held() uint64                               { return 0 }
func (noHooks) Broken() bool                               { return false }
func (noHooks) Capture(_, _, _ bool, _, _ int, _ []string) {}
func (noHooks) Hide(bool)                                  {}
func (noHooks) Stringer(func(any) (string, bool))          {}
func (noHooks) Pace(uint64)                                {}
func (noHooks) Pause(ns int64) bool                        { time.Sleep(time.Duration(ns)); return true }
func (noHooks) Sites() uint32                              { return 0 }
func (noHooks) Counts(_, _ []uint64)                       {}
func (noHooks) Estimate(uint32, estimate.Guess)            {}
func (noHooks) GuessOf(uint32) (estimate.Guess, bool)      { return estimate.Guess{}, false }
func (noHooks) Reserve(int)                                {}
func (noHooks) Sample(uint64)                              {}
func (noHooks) SampleWaits() bool                          { return false }
func (noHooks) CPU() (int64, bool)                         { return 0, false }
func (noHooks) Floor(int) uint64                           { return 0 }
func (noHooks) ValueTimes() (_, _, _ uint64)               { return 0, 0, 0 }
func (noHooks) Clock() (uint64, int64)                     { return Clock() }
func (noHooks) Chosen() clock.Clock                        { return clock.Clock{Name: "tsc"} }
func (noHooks) Mute(bool)                                  {}
func (noHooks) Go(f func())                                { go f() }
func (noHooks) AtExit(func())                              {}
func (noHooks) OnTests(func(string), func(uint8, string, string, uint64, uint64), func(int64) int64) {
}
