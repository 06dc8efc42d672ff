package recorder

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"time"

	"github.com/waymark-go/waymark/internal/program/cputime"
	"github.com/waymark-go/waymark/internal/program/fork"
	"github.com/waymark-go/waymark/internal/program/objects"
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/wire/format"
	"github.com/waymark-go/waymark/internal/wire/setting"
)

// batchSize is the number of bytes encoded before they are written. They are enough to make the
// system call cheap, and so few that chunks are free again soon.
const batchSize = 256 << 10

// A Recorder writes a trace file.
type Recorder struct {
	rt        Hooks
	config    Config
	path      string
	pid       fork.Process // of the process that records; a copy of the process (fork) must touch neither file
	arena     *arena
	nonce     [16]byte // of the arena; recordings differ by it
	start     format.ClockPair
	recording uint32 // number in the life of the program

	facts    []format.KeyValue // Meta of every file
	identity []format.KeyValue // Meta of the files that the arena belongs to

	mu       sync.Mutex // guards the fields below, for the background goroutine, registration and Close
	out      output
	enc      format.Encoder
	outliner format.Outliner // of enc, if the file gets an index
	governor *governor       // nil: there is no budget
	advisor  *advisor        // nil: there is one
	taken    []int           // chunks encoded in out.buf
	encoded  uint64          // events, of all files
	encoding cputime.Meter   // of chunks, by their events
	writing  cputime.Meter   // of batches, by their bytes
	usable   int             // chunks of the arena that have been handed out, with the control chunk
	journal  *format.Journal // nil: no test has been noted in it
	packages []*rt.Package   // registered
	groups   []format.Group
	origins  int     // offset of the first origin not yet written
	norigin  uint32  // origins written
	part     int     // that is being written, see part.go
	filling  filling // see limit.go
	giver    *giver  // nil: nothing is given back, see giveback.go
	took     took    // see timeout.go
	types    types   // descriptions written
	settings string  // of the packages registered so far
	dumps    int     // written, see ring.go
	synced   time.Time
	made     objects.Counts // before the recording
	counting bool           // objects
	closed   bool
	closing  bool // Close has ended the recording, or the end of the program
}

// kept is how much a recording keeps in the heap, most of it what is written next. What it keeps of each function is in
// budget.Sampling.
const kept = 400 << 10

// record begins a recording. The one before has ended, and p.mu is held.
func (p *program) record(c Config) (*Recorder, error) {
	path, err := filepath.Abs(c.Path)
	if err != nil {
		return nil, err
	}
	if c.Buffers <= 0 {
		buffers := setting.Find("buffers")
		v, _ := buffers.Parse(buffers.Key, buffers.Default)
		c.Set(buffers.Key, v)
	}
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		return nil, errors.New("recording needs a little-endian machine: the arena is written in its byte order")
	}
	r := &Recorder{rt: p.rt, config: c, path: path, pid: fork.This(), groups: c.Groups}
	if c.Disk > 0 {
		r.giver = newGiver(c.Disk)
	}
	if before := p.latest.Load(); before != nil {
		r.settings = before.settings // calls in progress may write values before packages register
	} else {
		r.settings = c.Built
	}
	// crypto/rand would start a timer, for which the runtime waits before it finds a
	// program deadlocked.
	now, _ := r.rt.Clock()
	binary.LittleEndian.PutUint64(r.nonce[:], now)
	binary.LittleEndian.PutUint64(r.nonce[8:], uint64(time.Now().UnixNano())^uint64(r.pid)<<32)
	control := format.Control{PID: int(r.pid), Nonce: r.nonce}
	chunks := c.Buffers/format.ChunkSize + 1
	// Every P holds a chunk, also when it is idle: there must be enough for all.
	if least := 4*max(runtime.GOMAXPROCS(0), runtime.NumCPU()) + 2*firstChunks; chunks < least {
		chunks = least
	}
	r.arena, err = newArena(r.path+arenaSuffix, chunks, control)
	for n := 1; errors.Is(err, errBusy) && n <= mostBeside; n++ {
		// A parent, or another run, is recording to it, or this process did before it replaced its
		// program. This one gets a file of its own beside it.
		r.path = format.OfProcess(path, os.Getpid(), n)
		r.arena, err = newArena(r.path+arenaSuffix, chunks, control)
	}
	if err != nil {
		return nil, fmt.Errorf("buffers: %w", err)
	}
	r.rt.Reserve(kept)
	r.arena.spare = make([]byte, format.ChunkSize)
	if err = Replaceable(r.path); err == nil {
		os.Remove(r.path)
		removeParts(r.path)
		r.out.file, err = create(r.path)
	}
	if err != nil {
		r.arena.remove()
		r.arena.unmap()
		r.rt.Reserve(-kept)
		return nil, err
	}
	if err = r.begin(); err != nil {
		r.closed = true
		r.rt.Stop()
		r.out.file.remove()
		r.arena.remove()
		r.release()
		return nil, err
	}
	r.govern()
	if c.Facts == nil { // a budget is kept by programs that waymark has built
		r.advise()
	}
	p.latest.Store(r)
	c.Packages(r.register)
	if p.tests != "" {
		r.binary(p.tests)
	}
	if c.Overflow != rt.Ring {
		r.rt.Go(r.loop)
	}
	return r, nil
}

// Path returns the absolute path of the trace file, of the newest part if the recording is rotated.
// It is not the path of Config if another process records to that.
func (r *Recorder) Path() string { return r.path }

// mostBeside is the number of names tried beside the path, where other recordings are in progress.
const mostBeside = 99

// begin has events recorded, and writes what every file begins with.
func (r *Recorder) begin() error {
	r.usable = 1
	// Settings of the recording before.
	r.rt.Stringer(func(any) (string, bool) { return "", false })
	r.capture(r.settings)
	clk := r.rt.Chosen()
	r.rt.Waits(r.config.Waiting)
	r.recording = r.rt.Start(r.arena.mem, r.config.Overflow)
	r.countObjects()
	if r.config.Hidden || r.config.HidePanics {
		r.rt.Hide(r.config.Hidden)
	}
	want := firstChunks
	if r.config.Overflow == rt.Ring {
		// All of it, as a ring that grew would overwrite events while there is room.
		want = r.arena.chunks() - 1
	}
	r.survey()
	err := r.affordable(int64(want) * format.ChunkSize)
	if err == nil {
		err = r.grow(want)
	}
	if err != nil {
		return fmt.Errorf("buffers: %d bytes of %s: %w", want*format.ChunkSize, r.arena.path, err)
	}

	r.start = pair(r.rt)
	if r.config.Timeout > 0 {
		r.took.calibrate(r.rt)
	}
	r.facts = append(r.programFacts(clk), format.KeyValue{Key: format.MetaOverflow, Value: setting.Find("overflow").Choices[r.config.Overflow]})
	if r.config.Window > 0 {
		r.facts = append(r.facts, format.KeyValue{Key: format.MetaWindow, Value: strconv.FormatInt(int64(r.config.Window), 10)})
	}
	if r.config.Waiting {
		r.facts = append(r.facts, format.KeyValue{Key: format.MetaWaiting, Value: "1"})
	}
	if r.config.Objects {
		r.facts = append(r.facts, format.KeyValue{Key: format.MetaObjects, Value: "1"})
	}
	if r.config.Budget.Given() {
		r.facts = append(r.facts, format.KeyValue{Key: format.MetaBudget, Value: r.config.Budget.Text})
	}
	r.identity = []format.KeyValue{
		{Key: format.MetaArena, Value: r.arena.name()},
		{Key: format.MetaNonce, Value: hex.EncodeToString(r.nonce[:])}}
	if r.config.Overflow != rt.Ring && r.giver == nil {
		// With give-back, blocks move; a ring has few blocks.
		r.enc.Outliner = &r.outliner
		r.out.indexer.Begin()
	}
	r.preamble(&r.out, r.partMeta()...)
	return r.out.write()
}

// preamble appends what every file begins with, and all sites and origins that are
// known already. meta is what this file has besides facts.
func (r *Recorder) preamble(o *output, meta ...format.KeyValue) (origins int, norigin uint32, at types) {
	o.buf = format.AppendHeader(o.buf)
	o.block(format.BlockMeta, format.AppendMeta(nil, append(r.facts[:len(r.facts):len(r.facts)], meta...)))
	o.block(format.BlockClock, format.AppendClock(nil, r.start))
	for _, p := range r.packages {
		o.block(format.BlockSites, format.AppendSites(nil, p.Base, p.Table))
	}
	if len(r.groups) > 0 {
		o.block(format.BlockGroups, format.AppendGroups(nil, r.groups))
	}
	list, next := format.ControlOrigins(r.arena.mem[:format.ChunkSize], 0, 0)
	if len(list) > 0 {
		o.block(format.BlockOrigins, format.AppendOrigins(nil, list))
	}
	at.append(r.arena, o)
	return next, uint32(len(list)), at
}
