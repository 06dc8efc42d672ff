package tracefile

import (
	"strconv"
	"time"

	"github.com/waymark-go/waymark/internal/wire/format"
)

// Info describes a recording. Facts that the file has lost are zero.
type Info struct {
	Version int // of the file format

	Program string // path of the executable
	Go      string // version that built it
	GOOS    string
	GOARCH  string
	Host    string
	CPUs    int
	PID     int
	Clock   string // "tsc", "cntvct" or "nanotime"
	Hz      uint64 // the clock's rate as the program knew it, ticks per second

	Start    time.Time
	Duration time.Duration // until the recording's end, or the last event of one that was cut off

	// From is the time since Start from which the file holds all events; of what
	// happened before it holds some or none. 0: it holds all. That is because a Ring
	// has overwritten them, or because they are in earlier parts than Part, which
	// counts from 0, of a Rotated recording.
	From    time.Duration
	Ring    bool
	Rotated bool
	Part    int

	Waiting bool // there are events Parked and Waited: when goroutines ran, were ready and waited

	Spawns bool // there are events Spawn: in which calls goroutines were started

	Patched bool // functions of the running program were patched: calls that the compiler inlined are missing

	NoErrors bool // nobody knows which calls returned errors: the patched program has no DWARF

	Objects bool // there are events Made: what calls made on the heap

	Funcs      int    // instrumented functions
	Goroutines uint64 // started in the recording; 0 before Verify
	Events     uint64 // that can be read
	Lost       uint64 // events that the program dropped because it had no free buffer

	// GivenBack counts events of tests that the recording has given back, as they passed.
	GivenBack uint64

	// Of a program with a budget. Budget is as the user wrote it. CPU is the CPU time of the process
	// at the end, and CPUTracing the part that tracing took, where the program could tell. Demoted is
	// the number of functions that were below level Full at some time. Counted is that of the calls
	// which were counted and not recorded, see Demotions. The program read its counters for the last
	// time at CountedUntil.
	Budget       string
	CPU          time.Duration
	CPUTracing   time.Duration
	Demoted      int
	Counted      uint64
	CountedUntil time.Duration

	// Complete tells that the recording goes on to the end of the program. If that was
	// killed, Recovered is how many of Events were taken from its buffers. If it
	// was Live, still recording when the file was opened, Recovered is the same,
	// and the File is a snapshot.
	Complete  bool
	Recovered uint64
	Live      bool

	Stopped Stop // why recording ended before the program did, if it did; it is not Complete then

	// RecoveryErr is why the buffers of a program that was killed could not be
	// read: its last events are missing. UnsavedErr is why what was read from them
	// could not be saved in the file: nothing is missing, and both files are as
	// they were. nil if all went well.
	RecoveryErr error
	UnsavedErr  error

	Size    int64 // of the file or its parts, bytes
	Blocks  int
	Missing int   // parts between the first and the last of those given to Join that were not given
	Damaged int64 // bytes that could not be read, as far as known, see Verify
}

// A Stop is a reason for which recording ended before the program did: nothing that happened after
// Info.Duration is in the file.
type Stop uint8

const (
	NotStopped    Stop = iota
	StoppedFull        // the file had reached its max-size
	StoppedFailed      // the file could not be written: the disk was full, say
	StoppedDisk        // the file system was nearly full: the rest is for others
)

// String returns "max-size", "failure" or "disk", "" for NotStopped.
func (s Stop) String() string { return [...]string{"", "max-size", "failure", "disk"}[s] }

// stopOf reads the flags of a trailer.
func stopOf(flags uint64) Stop {
	switch {
	case flags&format.Failed != 0:
		return StoppedFailed
	case flags&format.Disk != 0:
		return StoppedDisk
	case flags&format.Full != 0:
		return StoppedFull
	}
	return NotStopped
}

// Meta returns the fact about the program or its host that was recorded under a key, such as
// "ppid"; "" if there is none. Info has most of them.
func (f *File) Meta(key string) string { return f.meta[key] }

// Info describes the recording. Events are checked when they are read: Damaged,
// Events and Lost take into account what has been found until now. For a file
// without End block the first call reads the last block of each stream.
func (f *File) Info() Info {
	number := func(key string) int64 {
		n, _ := strconv.ParseInt(f.meta[key], 10, 64)
		return n
	}
	i := Info{
		Version:     f.version,
		Program:     f.meta[format.MetaProgram],
		Go:          f.meta[format.MetaGo],
		GOOS:        f.meta[format.MetaGOOS],
		GOARCH:      f.meta[format.MetaGOARCH],
		Host:        f.meta[format.MetaHost],
		CPUs:        int(number(format.MetaCPUs)),
		PID:         int(number(format.MetaPID)),
		Clock:       f.meta[format.MetaClock],
		Hz:          uint64(max(number(format.MetaHz), 0)),
		Duration:    time.Duration(max(f.Nanos(f.lastClock()), 0)),
		Funcs:       f.funcs.count(),
		Complete:    f.trailer != nil && f.trailer.Flags&(format.Recovered|format.Full|format.Failed) == 0,
		Stopped:     stopOf(f.stopped),
		Live:        f.live,
		Recovered:   f.recovered,
		RecoveryErr: f.recoveryErr,
		UnsavedErr:  f.unsavedErr,
		Size:        f.size,
		Blocks:      f.blocks,
		Missing:     f.missing,
		GivenBack:   f.given.events,
		Budget:      f.meta[format.MetaBudget],
		CPU:         time.Duration(max(number(format.MetaCPU), 0)),
		CPUTracing:  time.Duration(max(number(format.MetaTracing), 0)),
	}
	demoted := make(map[uint32]bool)
	for _, d := range f.Demotions() {
		if d.Level != Full {
			demoted[d.Func] = true
		}
		i.Counted += d.Calls
	}
	i.Demoted = len(demoted)
	if i.Demoted > 0 {
		i.CountedUntil = time.Duration(max(f.Nanos(f.CountedUntil()), 0))
	}
	if from, err := strconv.ParseUint(f.meta[format.MetaFrom], 10, 64); err == nil {
		i.From = time.Duration(max(f.Nanos(from), 0))
	}
	i.Ring = f.meta[format.MetaOverflow] == "ring"
	i.Waiting = f.meta[format.MetaWaiting] == "1"
	i.Spawns = f.meta[format.MetaSpawns] == "1"
	i.Patched = f.meta[format.MetaPatched] == "1"
	i.NoErrors = f.meta[format.MetaErrors] == "0"
	i.Objects = f.meta[format.MetaObjects] == "1"
	_, i.Rotated = f.meta[format.MetaPart]
	i.Part = f.number()
	i.Start = f.start()
	f.mu.Lock()
	defer f.mu.Unlock()
	i.Events, i.Lost, i.Damaged, i.Goroutines = f.found.events, f.found.lost, f.damaged, f.started
	if f.trailer != nil {
		i.Lost = f.trailer.Lost
		i.Recovered = f.trailer.Recovered
		i.Stopped = stopOf(f.trailer.Flags)
	}
	return i
}

// start returns the time at which the recording began, the zero Time if it is lost.
func (f *File) start() time.Time {
	if len(f.pairs) > 0 {
		return time.Unix(0, f.pairs[0].UnixNano)
	}
	if ns, err := strconv.ParseInt(f.meta[format.MetaStart], 10, 64); err == nil && ns != 0 {
		return time.Unix(0, ns)
	}
	return time.Time{}
}

// Verify reads all events, and returns the Info with what only that shows: the goroutines and all
// damage. Its error is the operating system's.
//
// Opening a file trusts the index, and the lengths of blocks of events. Verify and Events check
// checksums when they come to a block, and go on at the next one whose checksum holds. A damaged
// length may lead to the beginning of another block: the blocks in between are missing, and counted.
func (f *File) Verify() (Info, error) {
	started := uint64(0)
	count := func(*Event) { started++ }
	f.given.each(count)
	err := f.scanStarts(func(*block) bool { return true }, count)
	if err != nil {
		return Info{}, err
	}
	f.mu.Lock()
	f.started = started
	f.mu.Unlock()
	return f.Info(), nil
}

// lastClock returns the clock at which the recording ended: the trailer tells, or
// else the last event and the last Clock block.
func (f *File) lastClock() uint64 {
	if f.trailer != nil {
		return f.trailer.Clock
	}
	f.lastOnce.Do(func() {
		if len(f.pairs) > 0 {
			f.last = f.pairs[len(f.pairs)-1].Clock
		}
		r := blockReader{f: f}
		for _, s := range f.streams {
			last := uint64(0)
			for i := len(s.blocks) - 1; i >= 0 && last == 0; i-- {
				// What can't be read here is counted when its turn comes.
				r.each(&s.blocks[i], func(ev *Event) { last = max(last, ev.Clock) })
			}
			f.last = max(f.last, last)
		}
	})
	return f.last
}
