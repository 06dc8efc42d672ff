package levels

import (
	"cmp"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"math/bits"
	"slices"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree"
	"github.com/waymark-go/waymark/tracefile"
)

// maxEvents is how many events a question reads of the recording, at most; a test has less.
var maxEvents = uint64(100_000)

// maxStrokes is how many strokes a Window has, at most: more than a screen shows.
const maxStrokes = 40_000

// A Query asks for a window of some lanes.
type Query struct {
	tracefile.Range
	Pixels int      // that it is wide
	Lanes  []uint64 // ids of goroutines
	Skip   uint32   // calls that are deeper than so many others,
	Rows   uint32   // and so many levels of them; 0 is all
}

// A Window is what is seen of some lanes.
type Window struct {
	Limit uint64 // ticks: calls that took as long are strokes of their own
	Exact bool   // it was read from the recording, and not from levels that may be coarser than a pixel
	Lanes []LaneWindow
}

// A LaneWindow has the strokes of a lane, by kind, depth and time. Wait strokes tell when the
// goroutine did not run while a call of it was open; else it ran.
type LaneWindow struct {
	ID           uint64
	Calls, Waits []calltree.Stroke
}

// Window answers a Query.
func (x *Index) Window(q Query) (*Window, error) {
	if q.To < q.From {
		return nil, fmt.Errorf("window: ends at %d, before it begins at %d", q.To, q.From)
	}
	pixel := max((q.To-q.From)/uint64(max(q.Pixels, 1)), 1)
	lanes := make([]*Lane, 0, len(q.Lanes))
	for _, id := range q.Lanes {
		if l := x.Lane(id); l != nil {
			lanes = append(lanes, l)
		}
	}
	lowest := x.sketch.Limit(x.Base)
	if pixel < lowest/4 {
		if r := x.around(q.Range); x.p.File.CountIn(r) <= maxEvents {
			for shift := uint(bits.Len64(pixel) - 1); ; shift += 2 {
				w, err := x.read(q, r, lanes, shift)
				if err != nil {
					return nil, err
				}
				if w.strokes() <= maxStrokes || 1<<shift >= lowest {
					return w, nil
				}
			}
		}
	}
	level := x.Base
	for level < x.Levels-1 && x.sketch.Limit(level) < pixel/2 {
		level++
	}
	for {
		w, err := x.stored(q, lanes, level)
		if err != nil {
			return nil, err
		}
		if w.strokes() <= maxStrokes || level == x.Levels-1 {
			return w, nil
		}
		level++
	}
}

func (w *Window) strokes() (n int) {
	for i := range w.Lanes {
		n += len(w.Lanes[i].Calls) + len(w.Lanes[i].Waits)
	}
	return n
}

// has reports whether a stroke is asked for.
func (q *Query) has(st *calltree.Stroke) bool {
	if st.End < q.From || st.Start > q.To {
		return false
	}
	return st.Kind > calltree.Shorts || st.Depth >= q.Skip && (q.Rows == 0 || st.Depth-q.Skip < q.Rows)
}

// stored answers a Query with the strokes of a level that the index has.
func (x *Index) stored(q Query, lanes []*Lane, level int) (*Window, error) {
	w := &Window{Limit: x.sketch.Limit(level)}
	for _, l := range lanes {
		lane := LaneWindow{ID: l.ID}
		err := x.strokes(l, q.Range, level, func(st *calltree.Stroke) {
			if !q.has(st) {
				return
			}
			if st.Kind <= calltree.Shorts {
				lane.Calls = append(lane.Calls, *st)
			} else {
				lane.Waits = append(lane.Waits, *st)
			}
		})
		if err != nil {
			return nil, err
		}
		lane.sort()
		w.Lanes = append(w.Lanes, lane)
		if w.strokes() > 2*maxStrokes {
			break // there will be another level
		}
	}
	return w, nil
}

func (l *LaneWindow) sort() {
	order := func(a, b calltree.Stroke) int {
		return cmp.Or(cmp.Compare(a.Depth, b.Depth), cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
	}
	slices.SortStableFunc(l.Calls, order)
	slices.SortStableFunc(l.Waits, order)
}

// strokes calls do with the strokes of a lane that are drawn at a level and have a part in r.
func (x *Index) strokes(l *Lane, r tracefile.Range, level int, do func(*calltree.Stroke)) error {
	var buf []byte
	for i := range x.chunks[l.chunk : l.chunk+l.chunks] {
		c := &x.chunks[l.chunk+i]
		if c.end < r.From || c.start > r.To || int(c.high) < level || int(c.low) > level {
			continue
		}
		var err error
		if buf, err = x.chunk(c, buf, func(st *calltree.Stroke) {
			if int(st.High) >= level && int(st.Low) <= level && st.End >= r.From && st.Start <= r.To {
				st.Goroutine = l.ID
				do(st)
			}
		}); err != nil {
			return err
		}
	}
	return nil
}

// chunk calls do with the strokes of a chunk, by way of buf, which it returns to be used again.
func (x *Index) chunk(c *chunk, buf []byte, do func(*calltree.Stroke)) ([]byte, error) {
	if c.length > maxChunk*maxStroke {
		return buf, x.damaged(c)
	}
	if cap(buf) < int(c.length) {
		buf = make([]byte, c.length, c.length+c.length/2)
	}
	buf = buf[:c.length]
	if _, err := x.f.ReadAt(buf, int64(c.off)); err != nil {
		return buf, fmt.Errorf("index %s: %w", x.Path, err)
	}
	if crc32.Checksum(buf, castagnoli) != c.crc {
		return buf, x.damaged(c)
	}
	var st calltree.Stroke
	rest, before := buf, c.start
	for range c.n {
		n, err := parseStroke(rest, &st, before)
		if err != nil {
			return buf, x.damaged(c)
		}
		rest, before = rest[n:], st.Start
		do(&st)
	}
	return buf, nil
}

// ErrDamaged says that an index was damaged after it was opened. A new one has to be made.
var ErrDamaged = errors.New("damaged: remove the file, and open the recording again")

func (x *Index) damaged(c *chunk) error {
	return fmt.Errorf("index %s, %d bytes at byte %d: %w", x.Path, c.length, c.off, ErrDamaged)
}

// around returns a range in which all short calls of r lie: those that take less than the limit of
// the index's lowest level. The range begins so early that short calls that are open at its
// beginning have ended before those of r begin.
func (x *Index) around(r tracefile.Range) tracefile.Range {
	limit := x.sketch.Limit(x.Base)
	from := uint64(1)
	if r.From > 2*limit+1 {
		from = r.From - 2*limit
	}
	to := r.To + limit
	if to < r.To || to > x.End {
		to = max(x.End, 1)
	}
	return tracefile.Range{From: from, To: to}
}

// open returns the calls of a lane that are open just before a clock reading. It leaves out calls
// that take less than the limit of the index's lowest level.
func (x *Index) open(l *Lane, clock uint64) ([]calltree.Stroke, error) {
	var list []calltree.Stroke
	if clock == 0 || l.Start >= clock {
		return nil, nil
	}
	err := x.strokes(l, tracefile.Range{From: clock, To: clock - 1}, x.Base, func(st *calltree.Stroke) {
		if st.Kind == calltree.OneCall && st.Flags&calltree.Long == 0 {
			list = append(list, *st)
		}
	})
	slices.SortStableFunc(list, func(a, b calltree.Stroke) int { return cmp.Compare(a.Depth, b.Depth) })
	for i := range list {
		if int(list[i].Depth) != i {
			// Several calls of a depth: one ended at the clock at which the next one began.
			list = slices.CompactFunc(list, func(a, b calltree.Stroke) bool { return a.Depth == b.Depth })
			break
		}
	}
	return list, err
}

// follow adds the events in r to a Builder that knows which calls of the lanes are open then. At
// the end it has told all of them.
func (x *Index) follow(r tracefile.Range, lanes []*Lane, o calltree.Options) error {
	wanted := make(map[uint64]bool, len(lanes))
	for _, l := range lanes {
		wanted[l.ID] = true
	}
	o.Goroutine = func(id uint64) bool { return wanted[id] }
	b := calltree.New(o)
	for _, l := range lanes {
		if l.Start >= r.From {
			continue
		}
		open, err := x.open(l, r.From)
		if err != nil {
			return err
		}
		calls := make([]calltree.OpenCall, len(open))
		for i := range open {
			calls[i] = calltree.OpenCall{Site: open[i].Site, Token: open[i].Token, Began: open[i].Start}
		}
		b.Preset(l.ID, calls)
	}
	var ev tracefile.Event
	events := x.p.File.EventsIn(r)
	for events.Next(&ev) {
		b.Add(&ev)
	}
	b.Close(r.To)
	return events.Err()
}

// read answers a Query with what the recording has in r, and the calls that take long, which the
// index has.
func (x *Index) read(q Query, r tracefile.Range, lanes []*Lane, shift uint) (*Window, error) {
	limit := x.sketch.Limit(x.Base)
	w := &Window{Limit: 1 << shift, Exact: true, Lanes: make([]LaneWindow, len(lanes))}
	index := make(map[uint64]*LaneWindow, len(lanes))
	for i, l := range lanes {
		lane := &w.Lanes[i]
		lane.ID = l.ID
		index[l.ID] = lane
		if err := x.strokes(l, q.Range, x.Base, func(st *calltree.Stroke) {
			if !q.has(st) {
				return
			}
			if st.Kind == calltree.OneCall {
				lane.Calls = append(lane.Calls, *st)
			} else if st.Kind == calltree.OneWait {
				lane.Waits = append(lane.Waits, *st)
			}
		}); err != nil {
			return nil, err
		}
	}
	sketch := quiet(shift)
	sketch.OnStroke = func(st *calltree.Stroke) {
		if !q.has(st) {
			return
		}
		lane := index[st.Goroutine]
		// Calls that took as long as that are in the index. Of them, reading may not have seen
		// beginning and end.
		switch {
		case lane == nil:
		case st.Kind == calltree.OneCall && st.End-st.Start < limit, st.Kind == calltree.Shorts:
			lane.Calls = append(lane.Calls, *st)
		case st.Kind == calltree.OneWait && st.End-st.Start < limit, st.Kind == calltree.Waits:
			lane.Waits = append(lane.Waits, *st)
		}
	}
	err := x.follow(r, lanes, calltree.Options{Sketch: sketch})
	for i := range w.Lanes {
		w.Lanes[i].sort()
	}
	return w, err
}

// quiet returns a Sketch of one level that tells nothing.
func quiet(shift uint) *calltree.Sketch {
	return &calltree.Sketch{
		Shift: shift, Levels: 1, Slot: math.MaxInt64,
		OnStroke: func(*calltree.Stroke) {}, OnGoroutine: func(*calltree.Goroutine) {},
		OnEntered: func(int, uint32) {}, OnEvents: func(int, uint64) {}, OnPanic: func(uint64, uint64) {}, Again: func() {},
	}
}
