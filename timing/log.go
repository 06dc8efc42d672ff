package timing

import (
	"io"
	"strconv"
	"sync"

	"github.com/waymark-go/waymark/internal/text/units"
)

// A Log is a Handler that prints events as they happen, and keeps the newest. NewLog makes a Log.
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
	Depth int // number of measurements around the event on its goroutine
}

// NewLog returns a Log that writes a line for each event to w, unless w is nil, and keeps the
// newest keep events.
//
//	0.000125 [17] > example.com/m/store.Stream.WriteLong
//	0.000127 [17]   > example.com/m/store.flush
//	0.000190 [17]   < example.com/m/store.flush 63.412 us
//	0.000192 [17] < example.com/m/store.Stream.WriteLong 67.001 us
//	0.000195 [18] ? example.com/m/store.flush: exit without enter
//
// A line has the seconds since the set was made, the goroutine, what happens, and the duration. The
// lines of a goroutine are indented by the number of measurements around the event. Behind a
// measurement that another goroutine began stands that goroutine's id. The Log writes whole lines,
// one at a time, and ignores errors of w.
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

// Entries returns the events that are kept, the oldest first.
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

// String returns the line that a Log prints for the event.
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
