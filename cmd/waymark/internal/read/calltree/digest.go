package calltree

import (
	"math"

	"github.com/waymark-go/waymark/tracefile"
)

// A digest is what a block of events comes to, as far as that is known without what
// came before. Calls that begin and end in the block are added up. What is left is
// what the stack below decides. Digests of blocks can be made at the same time; a
// joiner takes them in the order of time. See digester.
type digest struct {
	ref      tracefile.BlockRef
	outline  bool // of the block, was all that was read
	cuts     cuts
	stream   uint32
	begin    uint64 // no event is earlier
	last     uint64 // clock of the last event, 0 without one
	past     bool   // there are events after Options.To
	all      int    // events in the block
	events   uint64 // as in Result
	unknown  uint64 // as in Problems
	rows     []digestRow
	segments []segment

	// What segments are made of, one after the other.
	steps  []step
	spans  []span
	totals []rowTotal
	opened []opened
	nodes  []spanNode
	panics [][]byte // their values
	pauses []pause  // of the steps Waited

	// Of a Sketch.
	strokes    []Stroke // depth 0 is that of calls at the bottom of a span
	nears      []near   // of opened
	entered    []entered
	slotEvents []slotEvents
}

// A digestRow adds up the calls of a row that began and ended in the block, but for
// their Total.
type digestRow struct {
	row              uint32
	calls, self, sum uint64
	min, max         uint64
	errors           uint64
}

// A segment is what a goroutine did while no other one ran on the stream.
type segment struct {
	goroutine  uint64
	start, end uint64 // clock of the first and of the last event
	first      int    // number of its first event in the block
	steps      int    // index behind its last step
}

// cuts say where segments end although no other goroutine ran. A goroutine may have been
// on another stream in the meantime, which the block can't tell. These are numbers of
// events in the block. From event number pauses on, there is a cut where time passed in
// between. From event number all on, there is a cut between all events.
type cuts struct{ pauses, all int }

var noCuts = cuts{math.MaxInt, math.MaxInt}

// A step is an event that concerns calls that had begun before, or a span.
type step struct {
	clock  uint64
	event  tracefile.Kind // or isSpan
	site   uint32
	token  uint32
	origin uint32 // of a Start
	value  uint64 // of a Start; of a Made the objects
	bytes  uint64 // of a Made
}

// isSpan stands for the next of the digest's spans in place of an event.
const isSpan = tracefile.Kind(0xFF)

// A span adds up calls with nothing in between that concerns calls that had begun
// before. Its step has the site, token and clock of its first call.
type span struct {
	upward      uint64 // ticks of calls that count as children of the caller of the span's calls
	calls, self uint64 // counted
	errors      uint64 // calls that returned one
	roots       roots
	totals      int // index behind the last of its rows' totals
	opened      int // index behind the last of the calls that are open at its end
	nodes       int // index behind the last of its nodes
	strokes     int // index behind the last of its strokes
}

// roots adds up the calls of a span that are root calls if none is counted below.
type roots struct{ n, total, min, max uint64 }

func (r *roots) add(total uint64) {
	if r.n == 0 || total < r.min {
		r.min = total
	}
	r.max = max(r.max, total)
	r.n++
	r.total += total
}

// A rowTotal is the Total of the calls of a row in a span, if none is open below.
type rowTotal struct {
	row   uint32
	total uint64
}

// An opened call began in a span and is open at its end. Those of a span call each other.
type opened struct {
	enter    uint64
	children uint64
	frameKey
	row    uint32
	failed bool // it returns an error
}

// A spanNode is a node of the call tree below the frame that a span begins in. parent
// counts from 1 in the span's nodes; 0 is that frame.
type spanNode struct {
	parent, row uint32
	calls       uint64
	total, self uint64
	errors      uint64
}

// reset empties d, to be used again.
func (d *digest) reset() {
	*d = digest{
		rows: d.rows[:0], segments: d.segments[:0], steps: d.steps[:0], spans: d.spans[:0],
		totals: d.totals[:0], opened: d.opened[:0], nodes: d.nodes[:0], panics: d.panics[:0], pauses: d.pauses[:0],
		strokes: d.strokes[:0], nears: d.nears[:0], entered: d.entered[:0], slotEvents: d.slotEvents[:0],
	}
}
