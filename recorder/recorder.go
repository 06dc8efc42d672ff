package recorder

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"time"
	"unsafe"

	"github.com/waymark-go/waymark/format"
	"github.com/waymark-go/waymark/rt"
)

// Config says what to record and where to.
type Config struct {
	Path    string // of the trace file; an existing one is replaced
	Drop    bool   // when buffers are full, drop events and count them; default is to wait
	Buffers int    // memory for buffers, bytes; default DefaultBuffers
	Clock   string // one of Clocks; default the first
}

// DefaultBuffers is the memory for buffers, in bytes. It is taken as needed.
const DefaultBuffers = 64 << 20

// batchSize is how much is encoded before it is written, bytes: enough to
// make the system call cheap, little enough that chunks come back soon.
const batchSize = 256 << 10

// A Recorder writes a trace file.
type Recorder struct {
	path  string
	pid   int // of the process that records; a copy of it (fork) must touch neither file
	arena *arena

	mu      sync.Mutex // guards what follows: the background goroutine, registration and Close take turns
	file    *file
	size    int64 // of the file's whole blocks, bytes
	enc     format.Encoder
	buf     []byte
	taken   []int  // chunks encoded in buf
	usable  int    // chunks of the arena that have been handed out, with the control chunk
	written tally  // what the file's blocks hold
	pending tally  // what buf holds besides
	origins int    // offset of the first origin not yet written
	norigin uint32 // origins written
	synced  time.Time
	closed  bool
}

// A tally counts events.
type tally struct{ events, lost uint64 }

// Start begins recording all registered sites, and those that register later.
func Start(c Config) (*Recorder, error) {
	path, err := filepath.Abs(c.Path)
	if err != nil {
		return nil, err
	}
	if c.Buffers <= 0 {
		c.Buffers = DefaultBuffers
	}
	if c.Clock == "" {
		c.Clock = Clocks()[0]
	}
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		return nil, errors.New("recording needs a little-endian machine: the arena is written in its byte order")
	}
	r := &Recorder{path: path, pid: os.Getpid()}
	chunks := c.Buffers/format.ChunkSize + 1
	// Every P holds a chunk, also when it is idle: there must be enough for all.
	if least := 4*max(runtime.GOMAXPROCS(0), runtime.NumCPU()) + 2*firstChunks; chunks < least {
		chunks = least
	}
	r.arena, err = newArena(r.path+arenaSuffix, chunks)
	for n := 1; errors.Is(err, errBusy) && n <= mostBeside; n++ {
		// A parent, or another run, is recording to it, or this process did before it
		// replaced its program: this one gets a file of its own beside it.
		r.path = format.Beside(path, os.Getpid(), n)
		r.arena, err = newArena(r.path+arenaSuffix, chunks)
	}
	if err != nil {
		return nil, fmt.Errorf("buffers: %w", err)
	}
	if err = replaceable(r.path); err == nil {
		os.Remove(r.path)
		r.file, err = create(r.path)
	}
	if err == nil {
		if err = r.begin(c); err != nil {
			r.file.close()
			os.Remove(r.path)
		}
	}
	if err != nil {
		r.arena.remove()
		return nil, err
	}
	return r, nil
}

// mostBeside is how many recordings a process may have beside the one that it was
// told to write.
const mostBeside = 99

// replaceable tells whether the trace file may take the place of what is at path:
// nothing, an empty file or an older trace file, but not the user's own.
func replaceable(path string) error {
	fi, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !fi.Mode().IsRegular() {
		return fmt.Errorf("%s is there and is not a regular file: record to another one", path)
	}
	b := make([]byte, format.HeaderSize)
	n, err := head(path, b)
	if err != nil {
		return err
	}
	if n > 0 && errors.Is(format.CheckHeader(b[:n]), format.ErrNotTrace) {
		return fmt.Errorf("%s is there and is not a trace file: remove it, or record to another one", path)
	}
	return nil
}

func (r *Recorder) begin(c Config) error {
	control := format.Control{PID: os.Getpid()}
	// The nonce only tells arenas apart. crypto/rand would start a timer, for which
	// the runtime waits before it finds a program deadlocked.
	clock, _ := rt.Clock()
	binary.LittleEndian.PutUint64(control.Nonce[:], clock)
	binary.LittleEndian.PutUint64(control.Nonce[8:], uint64(time.Now().UnixNano())^uint64(os.Getpid())<<32)
	format.PutControl(r.arena.mem, control)
	r.usable = 1
	clk := chooseClock(c.Clock)
	rt.Start(r.arena.mem, !c.Drop, clk.counter())
	r.grow()
	if r.usable == 1 {
		return fmt.Errorf("buffers: no space for %s", r.arena.path)
	}

	start := pair()
	meta := facts(clk, start)
	meta = append(meta,
		format.KeyValue{Key: format.MetaOverflow, Value: map[bool]string{false: "block", true: "drop"}[c.Drop]},
		format.KeyValue{Key: format.MetaArena, Value: r.arena.name()},
		format.KeyValue{Key: format.MetaNonce, Value: hex.EncodeToString(control.Nonce[:])})
	r.buf = format.AppendHeader(r.buf)
	r.buf = format.AppendBlock(r.buf, format.BlockMeta, format.AppendMeta(nil, meta))
	r.buf = format.AppendBlock(r.buf, format.BlockClock, format.AppendClock(nil, start))
	if err := r.write(); err != nil {
		return err
	}
	rt.Packages(r.register)
	rt.Writer(r.loop)
	return nil
}

// register writes a package's sites before it switches them on: events whose
// sites are unknown would be worthless after a kill.
func (r *Recorder) register(p *rt.Package) {
	if os.Getpid() != r.pid {
		return
	}
	rt.Mute(true)
	defer rt.Mute(false)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	r.buf = format.AppendBlock(r.buf, format.BlockSites, format.AppendSites(nil, p.Base, p.Table))
	if err := r.write(); err != nil {
		r.fail(err)
		return
	}
	for i := range p.Sites {
		rt.Switch(p, i, true)
	}
}

// loop is the background goroutine.
func (r *Recorder) loop() {
	for rt.Wait() {
		r.mu.Lock()
		for !r.closed {
			i := rt.Take()
			if i < 0 {
				break
			}
			r.encode(i)
			if len(r.buf) >= batchSize {
				r.flush()
			}
		}
		r.flush()
		if free, _ := rt.Queue(); free < r.usable/2 && !r.closed {
			r.grow()
		}
		r.mu.Unlock()
	}
}

// encode appends the full chunk i to the batch.
func (r *Recorder) encode(i int) {
	chunk := r.arena.chunk(i)
	h := format.ParseChunk(chunk)
	n := (int(h.End) - format.ChunkHeader) / format.RecordSize
	recs := unsafe.Slice((*format.Record)(unsafe.Pointer(&chunk[format.ChunkHeader])), n)
	r.append(h, recs)
	r.taken = append(r.taken, i)
}

func (r *Recorder) append(h format.Chunk, recs []format.Record) {
	start := len(r.buf)
	buf, n := r.enc.Append(format.BeginBlock(r.buf, format.BlockEvents), h, recs)
	r.buf = format.EndBlock(buf, start)
	r.pending.events += uint64(n)
	r.pending.lost += h.Lost
}

// flush writes the batch and gives its chunks back.
func (r *Recorder) flush() {
	if len(r.buf) == 0 {
		return
	}
	r.appendOrigins()
	if now := time.Now(); now.Sub(r.synced) > time.Second {
		r.synced = now
		r.buf = format.AppendBlock(r.buf, format.BlockClock, format.AppendClock(nil, pair()))
	}
	if err := r.write(); err != nil {
		r.fail(err)
		return
	}
	for _, i := range r.taken {
		rt.Free(i)
	}
	r.taken = r.taken[:0]
}

// grow makes twice as many chunks usable, as memory allows: a short run should
// not pay for 64 MB. Pages are allocated and touched here, because a full disk
// would otherwise be a fatal signal in the program, and a page fault on the hot path.
func (r *Recorder) grow() {
	want := 2*r.usable - 1
	if want < firstChunks {
		want = firstChunks
	}
	if max := len(r.arena.mem)/format.ChunkSize - r.usable; want > max {
		want = max
	}
	if want > 0 && r.arena.populate(r.usable, want) == nil {
		//lint:ignore SA4008 without the hooks Free panics, and the loop never gets round
		for i := r.usable + want - 1; i >= r.usable; i-- {
			rt.Free(i)
		}
		r.usable += want
	}
}

// firstChunks is how many chunks are usable at the start: 2 MB.
const firstChunks = 32

func (r *Recorder) appendOrigins() {
	origins, next := format.ControlOrigins(r.arena.mem[:format.ChunkSize], r.origins, r.norigin)
	if len(origins) > 0 {
		r.buf = format.AppendBlock(r.buf, format.BlockOrigins, format.AppendOrigins(nil, origins))
		r.origins, r.norigin = next, r.norigin+uint32(len(origins))
	}
}

// write writes buf to the file. A block written in part is taken back.
func (r *Recorder) write() error {
	if err := r.file.write(r.buf, r.size); err != nil {
		r.file.truncate(r.size)
		return err
	}
	r.size += int64(len(r.buf))
	r.buf = r.buf[:0]
	r.written.events += r.pending.events
	r.written.lost += r.pending.lost
	r.pending = tally{}
	return nil
}

// fail ends recording: the program goes on, the file holds what was written.
func (r *Recorder) fail(err error) {
	fmt.Fprintf(os.Stderr, "waymark: %v; recording has stopped, %s holds what was written before\n", err, r.path)
	r.closed = true
	rt.Stop()
	r.buf, r.pending = r.buf[:0], tally{}
	lost := rt.Lost()
	for i := 1; i < r.usable; i++ {
		if format.ParseChunk(r.arena.chunk(i)).State != format.ChunkFree {
			h, recs := format.Records(r.arena.settled(i))
			_, n := r.enc.Append(nil, h, recs)
			lost += h.Lost + uint64(n)
		}
	}
	r.written.lost += lost
	r.end()
}

// Close writes what is left and completes the file. Events that happen
// meanwhile, on goroutines that still run, are not recorded.
func (r *Recorder) Close() error {
	if os.Getpid() != r.pid {
		return nil
	}
	rt.Mute(true)
	defer rt.Mute(false)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil
	}
	rt.Stop()
	for i := rt.Take(); i >= 0; i = rt.Take() {
		r.encode(i)
		if len(r.buf) >= batchSize {
			r.flush()
		}
	}
	for i := 1; i < r.usable; i++ {
		if format.ParseChunk(r.arena.chunk(i)).State == format.ChunkActive {
			if h, recs := format.Records(r.arena.settled(i)); len(recs) > 0 {
				r.append(h, recs)
			}
		}
	}
	r.appendOrigins()
	r.pending.lost += rt.Lost()
	if r.closed {
		return nil // failed meanwhile
	}
	r.closed = true
	return r.end()
}

// end writes the trailer and removes the arena.
func (r *Recorder) end() error {
	last := pair()
	r.buf = format.AppendBlock(r.buf, format.BlockClock, format.AppendClock(nil, last))
	r.buf = format.AppendBlock(r.buf, format.BlockEnd, format.AppendTrailer(nil,
		format.Trailer{Clock: last.Clock, Events: r.written.events + r.pending.events, Lost: r.written.lost + r.pending.lost}))
	err := r.write()
	if err1 := r.file.close(); err == nil {
		err = err1
	}
	if err == nil {
		r.arena.remove()
	}
	return err
}

// pair reads the clocks together: of a few tries the one that took the least time.
func pair() format.ClockPair {
	awaitStep()
	var best format.ClockPair
	least := ^uint64(0)
	for i := 0; i < 5; i++ {
		before, _ := rt.Clock()
		wall := time.Now().UnixNano()
		after, mono := rt.Clock()
		if d := after - before; d < least {
			least = d
			best = format.ClockPair{Clock: before + d/2, UnixNano: wall, MonoNano: mono}
		}
	}
	return best
}

// facts describes the program and its host.
func facts(clk clock, start format.ClockPair) []format.KeyValue {
	program, _ := os.Executable()
	host, _ := os.Hostname()
	return []format.KeyValue{
		{Key: format.MetaProgram, Value: program},
		{Key: format.MetaGo, Value: runtime.Version()},
		{Key: format.MetaGOOS, Value: runtime.GOOS},
		{Key: format.MetaGOARCH, Value: runtime.GOARCH},
		{Key: format.MetaHost, Value: host},
		{Key: format.MetaCPUs, Value: strconv.Itoa(runtime.NumCPU())},
		{Key: format.MetaPID, Value: strconv.Itoa(os.Getpid())},
		{Key: format.MetaParent, Value: strconv.Itoa(os.Getppid())},
		{Key: format.MetaClock, Value: clk.name},
		{Key: format.MetaHz, Value: strconv.FormatUint(clk.rate(start), 10)},
		{Key: format.MetaStart, Value: strconv.FormatInt(start.UnixNano, 10)},
	}
}
