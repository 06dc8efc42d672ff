// Package runtime, as waymark adds to it: what a recording, a goroutine and a P hold.

package runtime

import "internal/runtime/atomic"

// wm is the recording.
var wm struct {
	lock mutex

	on      atomic.Uint32 // events are being recorded
	open    bool          // there is an arena, and chunks of it are handed out
	block   bool          // wait for a free chunk
	ring    bool          // use the oldest full chunk again
	frozen  atomic.Bool   // the program is dying: the ring keeps what it holds
	broken  atomic.Bool   // memory of the arena could not be reached, see wmOnFault
	counter bool          // the clock is the processor's counter, which the fast path reads itself

	// The arena: the control chunk, then the others. free is a stack, so that
	// the chunk last emptied, still warm, is used next; full is a ring.
	base     uintptr
	free     []uint32
	nfree    int
	full     []uint32
	head     int
	nfull    int
	seq      uint64
	filled   uint64      // clock when a chunk was last full
	pace     uint64      // ticks, see WMPace
	woken    uint64      // clock when the writer was last woken
	starved  atomic.Bool // a chunk was wanted and there was none
	taken    int         // chunks that the writer has, neither full nor free
	writer   *g          // parked in WMWait
	waiting  wmQueue     // parked in wmWait
	looking  bool        // a goroutine sleeps in wmWait
	looks    int         // how often one has, since a chunk was handed out
	pid      int         // of the process that records
	number   uint32      // of the latest recording
	origins  []wmOriginKey
	norigins uint32
}

// A wmG is waymark's part of a g. The assembly reads it.
type wmG struct {
	flags    uintptr
	id       uint64  // its goid while the fast path may write its events: it has been seen, and the clock is the counter; else 0
	gather   uintptr // 0 if it is in no trace, else where its next record goes, see waymark_strands.go
	strand   uintptr // *wmStrand, what it does in the trace, the first of a list; 0 if it is in none
	counts   uintptr // of its P, by site, while WMDone may count; else 0: see waymark_cells.go
	watching *wmWatching
	node     uint32 // of the call that started the goroutine, see waymark_paths.go
	unwound  uint32 // 1 + the token of the frame that goes on after a recovered panic, until that has been reported; see wmOwes

	// What gathers traces needs of a g is above, what times calls is below: by go1.26 each is in one cache line.
	stack   uintptr     // *wmStack, see waymark_stack.go; 0 if there is none
	timing  uintptr     // the same while the fast path may time calls, else 0
	pathing uintptr     // the same if calls are added up by path, too; timing is 0 then
	noting  uintptr     // the end of the stack while the fast path may put calls on it that may take long, else 0
	top     uintptr     // of the stack
	stop    wmStop      // see waymark_waits.go
	above   *wmAbove    // what observers have noted for the goroutines that it starts, see waymark_above.go
	made    wmMadeSince // see waymark_objects.go
}

// A wmP is waymark's part of a p. The assembly reads it.
type wmP struct {
	pos    uintptr // where the next record goes, in its chunk; a multiple of the chunk size if there is no room
	goid   uint64  // of the goroutine whose events the fast path may write
	last   uint64  // the goroutine that wrote last
	lost   uint64  // events dropped and not yet said in a chunk
	cells  uintptr // of calls that are counted, by site, see waymark_cells.go
	counts uintptr
	ncells uintptr
	table  *wmCellTable // where others find both
	traces [WMGatherers]wmTracesOfP
	traced wmValuesOfP

	paths     uintptr // cells of paths, by node, see waymark_paths.go
	pathTable *wmPathTable

	made      uintptr // counts of objects, see waymark_objects.go
	madeMask  uintptr // what takes a hash to a place there
	madeTable *wmMadeTable

	values wmValueTimes
	steps  wmSteps

	sampled wmSampledOfP // see waymark_samples.go

	probed uintptr // memory for strings that probes pass, see waymark_probes.go

	onward uint32 // the slices of time in schedtick that wmGoesOn began
	others uint32 // schedtick when others come first, though somebody is in a hurry
}

// Bits of wmG.flags.
const (
	wmStarted = 1  // its Start record has been written
	wmOwn     = 2  // it is waymark's, see waymark_goroutines.go
	wmTimes   = 4  // it has made a timed call
	wmSpawned = 8  // a Spawn record says who started it
	wmAhead   = 16 // it is waymark's and comes before the program's, see wmGoesOn
	wmHeard   = wmStarted | wmSpawned
	wmMute1   = 1 << 8 // the rest counts who mutes it: nothing that it calls is traced, as it works for waymark itself
	wmMuted   = ^uintptr(wmMute1 - 1)
)
