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

	"github.com/waymark-go/waymark/internal/clock"
	"github.com/waymark-go/waymark/internal/format"
	"github.com/waymark-go/waymark/internal/rt"
)

// batchSize is how much is encoded before it is written, bytes: enough to
// make the system call cheap, little enough that chunks come back soon.
const batchSize = 256 << 10

// A Recorder writes a trace file.
type Recorder struct {
	config Config
	path   string
	pid    int // of the process that records; a copy of it (fork) must touch neither file
	arena  *arena
	nonce  [16]byte // of the arena; it only tells recordings apart
	start  format.ClockPair

	facts    []format.KeyValue // Meta of every file
	identity []format.KeyValue // Meta of those that the arena belongs to

	mu       sync.Mutex // guards what follows: the background goroutine, registration and Close take turns
	out      output
	enc      format.Encoder
	taken    []int         // chunks encoded in out.buf
	usable   int           // chunks of the arena that have been handed out, with the control chunk
	packages []*rt.Package // registered
	groups   []format.Group
	origins  int     // offset of the first origin not yet written
	norigin  uint32  // origins written
	part     int     // that is being written, see part.go
	filling  filling // see limit.go
	types    types   // descriptions written
	settings string  // of the packages registered so far
	dumps    int     // written, see ring.go
	synced   time.Time
	closed   bool
}

// Start begins recording all registered sites, and those that register later.
func Start(c Config) (*Recorder, error) {
	path, err := filepath.Abs(c.Path)
	if err != nil {
		return nil, err
	}
	if c.Buffers <= 0 {
		c.Buffers = DefaultBuffers
	}
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		return nil, errors.New("recording needs a little-endian machine: the arena is written in its byte order")
	}
	r := &Recorder{config: c, path: path, pid: os.Getpid(), groups: c.Groups}
	// crypto/rand would start a timer, for which the runtime waits before it finds a
	// program deadlocked.
	now, _ := rt.Clock()
	binary.LittleEndian.PutUint64(r.nonce[:], now)
	binary.LittleEndian.PutUint64(r.nonce[8:], uint64(time.Now().UnixNano())^uint64(r.pid)<<32)
	control := format.Control{PID: r.pid, Nonce: r.nonce}
	chunks := c.Buffers/format.ChunkSize + 1
	// Every P holds a chunk, also when it is idle: there must be enough for all.
	if least := 4*max(runtime.GOMAXPROCS(0), runtime.NumCPU()) + 2*firstChunks; chunks < least {
		chunks = least
	}
	r.arena, err = newArena(r.path+arenaSuffix, chunks, control)
	for n := 1; errors.Is(err, errBusy) && n <= mostBeside; n++ {
		// A parent, or another run, is recording to it, or this process did before it
		// replaced its program: this one gets a file of its own beside it.
		r.path = format.OfProcess(path, os.Getpid(), n)
		r.arena, err = newArena(r.path+arenaSuffix, chunks, control)
	}
	if err != nil {
		return nil, fmt.Errorf("buffers: %w", err)
	}
	r.arena.spare = make([]byte, format.ChunkSize)
	if err = Replaceable(r.path); err == nil {
		os.Remove(r.path)
		removeParts(r.path)
		r.out.file, err = create(r.path)
	}
	if err == nil {
		if err = r.begin(); err != nil {
			rt.Stop() // another try may follow
			r.out.file.remove()
			r.out.file.close()
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

// Replaceable tells whether a trace file may take the place of what is at path:
// nothing, an empty file or an older trace file, but not the user's own.
func Replaceable(path string) error {
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

func (r *Recorder) begin() error {
	r.usable = 1
	r.capture("")
	clk, _ := clock.Chosen() // package agent has said what is wrong
	rt.Start(r.arena.mem, r.config.Overflow)
	want := firstChunks
	if r.config.Overflow == rt.Ring {
		// All of it, as a ring that grew would overwrite events while there is room.
		want = r.arena.chunks() - 1
	}
	if err := r.grow(want); err != nil {
		return fmt.Errorf("buffers: %d bytes of %s: %w", want*format.ChunkSize, r.arena.path, err)
	}

	r.start = pair()
	r.facts = append(facts(clk, r.start), format.KeyValue{Key: format.MetaOverflow, Value: overflows[r.config.Overflow]})
	if r.config.Window > 0 {
		r.facts = append(r.facts, format.KeyValue{Key: format.MetaWindow, Value: strconv.FormatInt(int64(r.config.Window), 10)})
	}
	r.identity = []format.KeyValue{
		{Key: format.MetaArena, Value: r.arena.name()},
		{Key: format.MetaNonce, Value: hex.EncodeToString(r.nonce[:])}}
	r.preamble(&r.out, r.partMeta()...)
	if err := r.out.write(); err != nil {
		return err
	}
	packages := r.config.Packages
	if packages == nil {
		packages = rt.Packages
	}
	packages(r.register)
	rt.OnTests(r.binary, r.test)
	if r.config.Overflow != rt.Ring {
		rt.Go(r.loop)
	}
	return nil
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
	table := format.AppendSites(nil, p.Base, p.Table)
	if !r.room(format.BlockHeader + len(table)) {
		r.turn()
	}
	if r.closed {
		return
	}
	r.packages = append(r.packages, p)
	r.out.block(format.BlockSites, table)
	if err := r.write(); err != nil {
		r.fail(err)
		return
	}
	if p.Settings != r.settings {
		r.capture(p.Settings)
	}
	for i := range p.Sites {
		if !r.config.Chosen {
			rt.Switch(p, i, true)
		}
	}
}

// locked calls f with the lock, on a goroutine that is muted, and returns true. In a copy of the process
// (fork) it calls nothing: the lock may be held for ever there, and nothing is recorded.
func (r *Recorder) locked(f func()) bool {
	if os.Getpid() != r.pid {
		return false
	}
	rt.Mute(true)
	defer rt.Mute(false)
	r.mu.Lock()
	defer r.mu.Unlock()
	f()
	return true
}

// Chosen tells whether somebody else chooses the sites that are recorded. In a copy of the process
// (fork) it does.
func (r *Recorder) Chosen() (chosen bool) {
	return !r.locked(func() { chosen = r.config.Chosen }) || chosen
}

// Choose ends the recording of all sites: somebody else chooses those that are recorded from now
// on, and has done so with the sites in chosen. Values of panics are hidden, as they may come from
// any function.
func (r *Recorder) Choose(chosen map[uint32]bool) {
	r.locked(func() {
		r.config.Chosen = true
		rt.Hide(false)
		for _, p := range r.packages {
			for i := range p.Sites {
				if !chosen[p.Base+uint32(i)] {
					rt.Switch(p, i, false)
				}
			}
		}
	})
}

// AddGroups notes groups of the program, or what else is known of some.
func (r *Recorder) AddGroups(list ...format.Group) {
	r.note(format.BlockGroups, format.AppendGroups(nil, list), func() {
		r.groups = append(r.groups[:len(r.groups):len(r.groups)], list...)
	})
}

// note writes a block at once: what it tells must be in the file when the
// program dies. remember is called for what later parts need.
func (r *Recorder) note(kind format.BlockKind, payload []byte, remember func()) {
	r.locked(func() {
		if r.closed {
			return
		}
		remember()
		r.out.block(kind, payload)
		if err := r.write(); err != nil {
			r.fail(err)
		}
	})
}

// Ended tells whether recording has ended: it was closed, has failed, or the file has its size. In a
// copy of the process (fork) it has.
func (r *Recorder) Ended() (ended bool) {
	return !r.locked(func() { ended = r.closed }) || ended
}

// loop is the background goroutine.
func (r *Recorder) loop() {
	for rt.Wait() {
		r.mu.Lock()
		if rt.Broken() && !r.closed {
			r.fail(r.arena.check(r.nonce))
		}
		for !r.closed {
			i := rt.Take()
			if i < 0 {
				break
			}
			r.put(i, r.full(i))
			if r.nearlyFull() {
				r.stop()
			}
		}
		r.flush()
		if free, _ := rt.Queue(); free < r.usable/2 && !r.closed {
			r.grow(2*r.usable - 1)
		}
		r.mu.Unlock()
	}
}

// A content is a chunk, taken apart.
type content struct {
	format.Chunk
	recs []format.Record
}

// full gives the content of the full chunk i, where it lies.
func (r *Recorder) full(i int) content {
	chunk := r.arena.chunk(i)
	h := format.ParseChunk(chunk)
	n := 0
	if h.End > format.ChunkHeader && h.End <= format.ChunkSize { // else it is broken, see arena.check
		n = int(h.End-format.ChunkHeader) / format.RecordSize
	}
	return content{h, unsafe.Slice((*format.Record)(unsafe.Pointer(&chunk[format.ChunkHeader])), n)}
}

// put appends chunk i to the batch, in the next part if this one has no room for it.
func (r *Recorder) put(i int, c content) {
	n, ok := r.append(c)
	if !ok {
		r.turn()
		if r.closed {
			return
		}
		n, _ = r.append(c)
	}
	r.out.pending.events += uint64(n)
	r.out.pending.lost += c.Lost
	r.taken = append(r.taken, i)
	if len(r.out.buf) >= batchSize {
		r.flush()
	}
}

// flush writes the batch and gives its chunks back.
func (r *Recorder) flush() {
	if len(r.out.buf) == 0 || r.closed {
		return
	}
	r.appendOrigins()
	r.types.append(r.arena, &r.out)
	if now := time.Now(); now.Sub(r.synced) > time.Second {
		r.synced = now
		r.out.block(format.BlockClock, format.AppendClock(nil, pair()))
	}
	err := r.arena.check(r.nonce)
	if err == nil {
		err = r.write()
	}
	if err != nil {
		r.fail(err)
		return
	}
	for _, i := range r.taken {
		rt.Free(i)
	}
	r.taken = r.taken[:0]
}

// grow makes as many more chunks usable, as memory allows. It starts with few and
// goes on by doubling, except for a ring: a short run should not pay for 64 MB.
// Pages are allocated and touched here, because a full disk would otherwise be a
// fatal signal in the program, and a page fault on the hot path.
func (r *Recorder) grow(want int) error {
	if max := r.arena.chunks() - r.usable; want > max {
		want = max
	}
	if want <= 0 {
		return nil
	}
	if err := r.arena.populate(r.usable, want); err != nil {
		return err
	}
	//lint:ignore SA4008 without the hooks Free panics, and the loop never gets round
	for i := r.usable + want - 1; i >= r.usable; i-- {
		rt.Free(i)
	}
	r.usable += want
	return nil
}

// firstChunks is how many chunks are usable at the start: 2 MB.
const firstChunks = 32

func (r *Recorder) appendOrigins() {
	origins, next := format.ControlOrigins(r.arena.mem[:format.ChunkSize], r.origins, r.norigin)
	if len(origins) > 0 {
		r.out.block(format.BlockOrigins, format.AppendOrigins(nil, origins))
		r.origins, r.norigin = next, r.norigin+uint32(len(origins))
	}
}

// fail ends recording: the program goes on, the file holds what was written.
func (r *Recorder) fail(err error) {
	r.closed = true
	rt.Stop()
	broken := errors.Is(err, errBroken)
	lost := rt.Lost()
	if broken {
		// What the chunks say is not to be trusted.
		const most = (format.ChunkSize - format.ChunkHeader) / format.RecordSize
		lost += rt.Held() + uint64(len(r.taken))*most
	} else {
		lost += r.unwritten()
	}
	r.out.buf, r.out.pending = r.out.buf[:0], tally{}
	r.out.written.lost += lost
	if !broken {
		format.PutStopped(r.arena.mem, format.Failed) // if the trailer can't say it
	}
	end := r.end(pair(), format.Failed)
	switch {
	case errors.Is(err, errRemoved):
		lost = r.out.written.events + r.out.written.lost
		Say("%v; recording has stopped, %d events are lost", err, lost)
	case end == nil || broken:
		Say("%v; recording has stopped, %s holds what was written before, %d events are lost", err, r.path, lost)
	default:
		// The arena is left, as if the program had been killed.
		Say("%v; recording has stopped, %s and %s hold what was recorded before", err, r.path, r.arena.path)
	}
	if end != nil && (broken || errors.Is(err, errRemoved)) {
		r.arena.remove()
	}
}

// unwritten counts the events in the arena that have not been written.
func (r *Recorder) unwritten() (events uint64) {
	var block []byte
	for i := 1; i < r.usable; i++ {
		if format.ParseChunk(r.arena.chunk(i)).InUse() {
			h, recs := format.Records(r.arena.settled(i))
			var n int
			block, n = r.enc.Append(block[:0], h, recs)
			events += h.Lost + uint64(n)
		}
	}
	return events
}

// write writes what is in r.out. If others have cut the file it begins anew, with all
// that readers need: what is gone counts as lost.
func (r *Recorder) write() error {
	err := r.out.write()
	var cut *cutError
	if !errors.As(err, &cut) {
		return err
	}
	lost := r.out.written.events + r.out.written.lost
	o := output{file: r.out.file, pending: r.out.pending}
	o.pending.lost += lost
	r.origins, r.norigin, r.types = r.preamble(&o, r.partMeta()...)
	o.buf = append(o.buf, r.out.buf...) // what both have readers take once
	r.out, r.filling.blocks = o, 0
	if err := o.file.truncate(0); err != nil {
		return err
	}
	if err := r.out.write(); err != nil {
		return err
	}
	Say("%v; %d events that were in it are lost, recording goes on", cut, lost)
	return nil
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
	if r.config.Overflow == rt.Ring {
		return r.closeRing()
	}
	rt.Stop()
	return r.finish(pair(), 0)
}

// finish writes what the arena holds after recording has ended, which was at end,
// and completes the file, whose trailer gets the given flags.
func (r *Recorder) finish(end format.ClockPair, flags uint64) error {
	for i := rt.Take(); i >= 0 && !r.closed; i = rt.Take() {
		r.put(i, r.full(i))
	}
	for i := 1; i < r.usable && !r.closed; i++ {
		if format.ParseChunk(r.arena.chunk(i)).State == format.ChunkActive {
			if h, recs := format.Records(r.arena.settled(i)); len(recs) > 0 {
				r.put(i, content{h, recs})
			}
		}
	}
	if r.closed {
		return nil // failed meanwhile
	}
	if err := r.arena.check(r.nonce); err != nil {
		r.fail(err)
		return nil
	}
	r.appendOrigins()
	r.types.append(r.arena, &r.out)
	r.out.pending.lost += rt.Lost()
	r.closed = true
	if err := r.write(); errors.Is(err, errRemoved) {
		r.fail(err)
		return nil
	} else if err != nil {
		return err // the arena is left, as if the program had been killed
	}
	return r.end(end, flags)
}

// end completes the file, recording having ended at last, and removes the arena.
func (r *Recorder) end(last format.ClockPair, flags uint64) error {
	err := r.out.end(last, flags)
	if err == nil {
		r.arena.remove()
	}
	return err
}
