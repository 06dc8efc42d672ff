package recorder

import (
	"encoding/binary"
	"sync"
	"testing"
	"time"

	"github.com/waymark-go/waymark/internal/estimate"
	"github.com/waymark-go/waymark/internal/program/clock"
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// A fake is a program without instrumented functions: its tests make its calls. It hands out chunks
// as the hooks do, one to each stream.
type fake struct {
	t       *testing.T
	began   time.Time
	program *program
	group   sync.WaitGroup // goroutines of the recorder

	mu       sync.Mutex
	changed  sync.Cond
	arena    []byte
	overflow rt.Overflow
	number   uint32
	open     bool
	broken   bool
	dying    bool
	endless  bool // whenever a chunk is taken another one is full
	seq      uint64
	tick     uint64
	free     []int
	full     []int
	streams  map[uint32]*stream

	pace   uint64
	reads  time.Duration     // of two reads of the clock
	counts map[uint32]uint64 // of calls that are counted, by site

	makes   bool // objects are counted
	objects []rt.Object

	muted     int
	retired   int
	captured  Values
	hidden    bool
	stringer  func(any) (string, bool)
	register  func(*rt.Package) // of the latest recording
	packages  []*rt.Package
	nextSite  uint32
	binary    func(string)
	test      func(uint8, string, string, uint64, uint64)
	alarm     func(int64) int64
	exitHooks []func()
}

// A stream is one of the scheduler's Ps.
type stream struct {
	chunk int // 0: it has none
	at    int // where its next record goes
	lost  uint64
	last  uint64 // goroutine
}

func newFake(t *testing.T) *fake {
	f := &fake{t: t, began: time.Now(), nextSite: 1}
	f.changed.L = &f.mu
	f.program = &program{rt: f}
	t.Cleanup(func() {
		if r := f.program.latest.Load(); r != nil && r.Close() != nil {
			t.Errorf("the last Close failed")
		}
		f.group.Wait()
		if f.muted != 0 {
			t.Errorf("goroutines are muted %d times more often than they are unmuted", f.muted)
		}
	})
	return f
}

// start begins a recording in a new folder, or at the path of c.
func (f *fake) start(c Config) *Recorder {
	f.t.Helper()
	if c.Path == "" {
		c.Path = f.t.TempDir() + "/a.wmt"
	}
	if c.Buffers == 0 {
		c.Buffers = 2 << 20
	}
	r, err := f.try(c)
	if err != nil {
		f.t.Fatal(err)
	}
	return r
}

// try begins a recording of all packages, also those that register later.
func (f *fake) try(c Config) (*Recorder, error) {
	c.Packages = func(register func(*rt.Package)) {
		f.register = register
		for _, p := range f.packages {
			register(p)
		}
	}
	return f.program.start(c)
}

// pkg registers a package with so many functions.
func (f *fake) pkg(path string, functions int) *rt.Package {
	sites := make([]format.Site, functions)
	for i := range sites {
		sites[i] = format.Site{Name: path + ".F" + string(rune('a'+i)), File: path + ".go", Line: i + 1}
	}
	p := &rt.Package{Table: string(format.AppendTable(nil, path, sites)), Base: f.nextSite}
	for range sites {
		p.Sites = append(p.Sites, 0)
	}
	f.nextSite += uint32(functions)
	f.add(p)
	return p
}

// add registers a package.
func (f *fake) add(p *rt.Package) {
	if f.packages = append(f.packages, p); f.register != nil {
		f.register(p)
	}
}

// call records so many calls of a site, each an enter and an exit.
func (f *fake) call(s uint32, goroutine uint64, site uint32, n int) {
	for ; n > 0; n-- {
		f.event(s, goroutine, uint64(site)<<format.SiteShift|100)
		f.event(s, goroutine, uint64(site)<<format.SiteShift|100|format.ExitBit)
	}
}

// event writes a record on a stream, as wmEmit does.
func (f *fake) event(number uint32, goroutine, word uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.open {
		return
	}
	s := f.streams[number]
	if s == nil {
		s = new(stream)
		f.streams[number] = s
	}
	for recording := f.number; s.chunk == 0 || s.at > format.ChunkSize-2*format.RecordSize; {
		if !f.open || f.number != recording { // it has ended while this waited
			return
		}
		f.fill(s)
		if !f.handOut(number, s) {
			if f.overflow == rt.Block && f.open {
				f.changed.Broadcast()
				f.changed.Wait()
				continue
			}
			if f.open {
				s.lost++
			}
			return
		}
	}
	if s.last != goroutine {
		s.last = goroutine
		f.put(s, code(format.CodeGo)|goroutine)
	}
	f.put(s, word)
}

func code(c uint64) uint64 { return format.FirstCode<<format.SiteShift | c<<format.CodeShift }

func (f *fake) put(s *stream, word uint64) {
	b := f.chunk(s.chunk)[s.at:]
	binary.NativeEndian.PutUint64(b[8:], word)
	binary.NativeEndian.PutUint64(b, f.now())
	s.at += format.RecordSize
}

func (f *fake) chunk(i int) []byte { return f.arena[i*format.ChunkSize:][:format.ChunkSize] }

// now returns a clock that no event has had yet. f.mu is held.
func (f *fake) now() uint64 {
	f.tick = max(f.tick+1, uint64(time.Since(f.began)))
	return f.tick
}

// Offsets in a chunk's header.
const (
	chunkStream = 4
	chunkSeq    = 8
	chunkClock  = 16
	chunkEnd    = 32
	chunkLost   = 40
	chunkFilled = 48
)

// fill queues the chunk of a stream.
func (f *fake) fill(s *stream) {
	if s.chunk == 0 {
		return
	}
	b := f.chunk(s.chunk)
	binary.NativeEndian.PutUint32(b, format.ChunkFull)
	binary.NativeEndian.PutUint32(b[chunkEnd:], uint32(s.at))
	binary.NativeEndian.PutUint64(b[chunkFilled:], f.now())
	f.full = append(f.full, s.chunk)
	s.chunk = 0
	f.changed.Broadcast()
}

func (f *fake) handOut(number uint32, s *stream) bool {
	n := len(f.free)
	switch {
	case n > 0:
		s.chunk, f.free = f.free[n-1], f.free[:n-1]
	case f.overflow == rt.Ring && len(f.full) > 0:
		s.chunk, f.full = f.full[0], f.full[1:]
		before := binary.NativeEndian.Uint64(f.chunk(s.chunk)[chunkFilled:])
		binary.NativeEndian.PutUint64(f.arena[64:], before)
	default:
		return false
	}
	f.seq++
	b := f.chunk(s.chunk)
	clear(b)
	binary.NativeEndian.PutUint32(b[chunkStream:], number)
	binary.NativeEndian.PutUint64(b[chunkSeq:], f.seq)
	binary.NativeEndian.PutUint64(b[chunkClock:], f.now())
	binary.NativeEndian.PutUint64(b[chunkLost:], s.lost)
	binary.NativeEndian.PutUint32(b, format.ChunkActive)
	s.at, s.lost, s.last = format.ChunkHeader, 0, 0
	return true
}

// setBroken says that memory of the arena could not be reached.
func (f *fake) setBroken() {
	f.mu.Lock()
	f.broken = true
	f.changed.Broadcast()
	f.mu.Unlock()
}

// wait waits until something is so, for which the recorder works in the background.
func (f *fake) wait(what string, is func() bool) {
	f.t.Helper()
	for i := 0; !is(); i++ {
		if i == 10_000 {
			f.t.Fatalf("%s: it has not come about", what)
		}
		time.Sleep(time.Millisecond)
	}
}

// exit ends the program.
func (f *fake) exit() {
	for i := len(f.exitHooks) - 1; i >= 0; i-- {
		f.exitHooks[i]()
	}
}

func (f *fake) Start(arena []byte, o rt.Overflow) uint32 {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.arena != nil {
		f.t.Error("the arena of the recording before has not been retired")
	}
	f.arena, f.overflow, f.open, f.broken = arena, o, true, false
	f.seq, f.free, f.full, f.streams = 0, nil, nil, make(map[uint32]*stream)
	f.number++
	return f.number
}

func (f *fake) Waits(bool) {}

func (f *fake) Objects(on bool) { f.makes = on }
func (f *fake) ObjectCounts(do func(rt.Object)) {
	for _, o := range f.objects {
		do(o)
	}
}

func (f *fake) Stop() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.open = false
	f.changed.Broadcast()
}

func (f *fake) Retire() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.open {
		f.t.Error("the arena of a recording that goes on is retired")
	}
	f.arena, f.streams = nil, nil
	f.retired++
	return !f.dying
}

func (f *fake) Take() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.endless && f.open && len(f.free) > 0 {
		s := new(stream)
		f.handOut(0, s)
		for s.at < format.ChunkSize {
			f.put(s, code(format.CodeGo)|uint64(s.at))
		}
		f.fill(s)
	}
	if len(f.full) == 0 {
		return -1
	}
	i := f.full[0]
	f.full = f.full[1:]
	return i
}

func (f *fake) Wait(recording uint32) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for f.open && f.number == recording && len(f.full) == 0 && !f.broken && !f.endless {
		f.changed.Wait()
	}
	return f.open && f.number == recording
}

func (f *fake) Free(i int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	binary.NativeEndian.PutUint32(f.chunk(i), format.ChunkFree)
	f.free = append(f.free, i)
	f.changed.Broadcast()
}

func (f *fake) Queue() (free, full int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.free), len(f.full)
}

func (f *fake) Held() uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := uint64(len(f.full)) * (format.ChunkSize - format.ChunkHeader) / format.RecordSize
	for _, s := range f.streams {
		if s.chunk > 0 {
			n += uint64(s.at-format.ChunkHeader) / format.RecordSize
		}
	}
	return n
}

func (f *fake) Lost() (n uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range f.streams {
		n += s.lost
	}
	return n
}

func (f *fake) Broken() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.broken
}

func (f *fake) OnTests(binary func(string), test func(uint8, string, string, uint64, uint64), alarm func(int64) int64) {
	f.binary, f.test, f.alarm = binary, test, alarm
}

func (f *fake) Capture(args, results, panics bool, depth, bytes int, redact []string) {
	f.captured = Values{Args: args, Results: results, Depth: depth, Bytes: bytes, Redact: redact}
}

func (f *fake) Hide(values bool) {
	if f.hidden = true; values {
		f.captured.Args, f.captured.Results = false, false
	}
}

func (f *fake) Stringer(s func(any) (string, bool)) { f.stringer = s }

func (f *fake) Pace(ticks uint64) { f.pace = ticks }

func (f *fake) Sample(ticks uint64) {}

func (f *fake) Estimate(uint32, estimate.Guess)       {}
func (f *fake) GuessOf(uint32) (estimate.Guess, bool) { return estimate.Guess{}, false }
func (f *fake) Reserve(int)                           {}

func (f *fake) SampleWaits() bool  { return false }
func (f *fake) CPU() (int64, bool) { _, mono := f.Clock(); return mono, true }

func (f *fake) Pause(ns int64) bool {
	time.Sleep(time.Duration(ns))
	return true
}

func (f *fake) Sites() uint32 { return f.nextSite }

func (f *fake) Counts(counted, timed []uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for site, n := range f.counts {
		counted[site] += n
	}
}

// ValueTimes has nothing: the calls have no values.
func (f *fake) ValueTimes() (events, bytes, ticks uint64) { return 0, 0, 0 }

// Floor takes as long as the reads of a slow clock.
func (f *fake) Floor(n int) uint64 {
	for began := time.Now(); time.Since(began) < time.Duration(n)*f.reads; {
	}
	return 0
}

func (f *fake) Clock() (clock uint64, mono int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.now()
	return now, int64(now)
}

func (f *fake) Chosen() clock.Clock { return clock.Clock{Name: "nanotime", Hz: 1e9} }

func (f *fake) Mute(on bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.muted++; !on {
		f.muted -= 2
	}
}

func (f *fake) Go(do func()) {
	f.group.Add(1)
	go func() {
		defer f.group.Done()
		do()
	}()
}

func (f *fake) AtExit(hook func()) { f.exitHooks = append(f.exitHooks, hook) }
