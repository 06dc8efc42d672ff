package timing

import (
	"io"
	"strconv"
	"sync"

	"github.com/waymark-go/waymark/internal/units"
)

// A Log is a Handler that prints events as they happen, and keeps the newest. It is made by NewLog.
type Log struct {
	mu     sync.Mutex
	w      io.Writer
	line   []byte
	kept   []Entry // a ring
	next   int     // in kept, when it is full
	keep   int
	depths map[uint64]int // number of enters without an end, by goroutine
}

// An Entry is an event in a Log.
type Entry struct {
	Event
	Depth int // number of measurements around it on its goroutine
}

// NewLog makes a Log that writes a line for each event to w, and keeps the newest so many; with a nil w or 0 it doesn't.
//
//	0.000125 [17] > example.com/m/store.Stream.WriteLong
//	0.000127 [17]   > example.com/m/store.flush
//	0.000190 [17]   < example.com/m/store.flush 63.412 us
//	0.000192 [17] < example.com/m/store.Stream.WriteLong 67.001 us
//	0.000195 [18] ? example.com/m/store.flush: exit without enter
//
// These are the seconds since the set was made, the goroutine, what happens, indented by how many measurements are around it on that goroutine,
// and at the end how long it took. A measurement that another goroutine began has that one's id behind it. Lines are written
// whole, one at a time. What w says about writing is ignored.
func NewLog(w io.Writer, keep int) *Log {
	return &Log{w: w, keep: max(keep, 0), depths: make(map[uint64]int)}
}

// Handle implements Handler.
func (l *Log) Handle(e Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	entry := Entry{Event: e, Depth: l.depths[e.Goroutine]}
	switch e.Kind {
	case Enter:
		l.depths[e.Goroutine]++
	case Exit, Dropped:
		l.leave(e.Entered)
		entry.Depth = l.depths[e.Goroutine]
	}
	switch {
	case l.keep == 0:
	case len(l.kept) < l.keep:
		l.kept = append(l.kept, entry)
	default:
		l.kept[l.next] = entry
		l.next = (l.next + 1) % l.keep
	}
	if l.w != nil {
		l.line = append(entry.append(l.line[:0]), '\n')
		l.w.Write(l.line)
	}
}

func (l *Log) leave(goroutine uint64) {
	if l.depths[goroutine]--; l.depths[goroutine] <= 0 {
		delete(l.depths, goroutine)
	}
}

// Entries gives the events that are kept, the oldest first.
func (l *Log) Entries() []Entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append(append([]Entry(nil), l.kept[l.next:]...), l.kept[:l.next]...)
}

// Clear forgets the events that are kept.
func (l *Log) Clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kept, l.next = nil, 0
}

// String gives the line that a Log prints of the event.
func (e Entry) String() string { return string(e.append(nil)) }

func (e Entry) append(b []byte) []byte {
	var digits [32]byte
	seconds := strconv.AppendFloat(digits[:0], e.Time.Seconds(), 'f', 6, 64)
	for n := 10 - len(seconds); n > 0; n-- {
		b = append(b, ' ')
	}
	b = append(b, seconds...)
	b = append(strconv.AppendUint(append(b, " ["...), e.Goroutine, 10), "] "...)
	for n := e.Depth; n > 0; n-- {
		b = append(b, "  "...)
	}
	b = append(append(b, marks[e.Kind]...), e.Timer.name...)
	switch e.Kind {
	case Exit:
		b = append(append(b, ' '), units.Duration(e.Duration)...)
	case Stray:
		b = append(b, ": exit without enter"...)
	case Dropped:
		b = append(b, ": switched off before its exit"...)
	}
	if e.Entered != e.Goroutine && e.Kind != Enter && e.Kind != Stray {
		b = append(strconv.AppendUint(append(b, " (entered on "...), e.Entered, 10), ')')
	}
	return b
}

var marks = [...]string{Enter: "> ", Exit: "< ", Stray: "? ", Dropped: "x "}
