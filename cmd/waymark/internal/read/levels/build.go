package levels

import (
	"cmp"
	"context"
	"math/bits"
	"os"
	"runtime"
	"slices"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/tracefile"
)

const (
	// perLimit is how many events there are on average, at most, in the time that divides short calls
	// from long ones at level 0. A window that is so short that it needs finer levels has few events,
	// and is read from the recording.
	perLimit = 128
	// perStroke is how many events there are for each stroke that the index has, at least, but for
	// leastStrokes. If there are fewer, the lowest levels are left out.
	perStroke = 32
	slots     = 4096
	maxLevels = 24
)

var leastStrokes = uint64(1) << 20 // a test has less

// bytesPerStroke is how many bytes of a recording there are for each stroke of its index, at least, but for
// fewStrokes. Strokes of goroutines with few calls take some 30 bytes.
const (
	bytesPerStroke = 64
	fewStrokes     = 1 << 10
)

// A builder makes an index.
type builder struct {
	file    *tracefile.File
	end     uint64
	sketch  calltree.Sketch
	budget  uint64 // strokes
	least   uint64 // so many are kept always
	base    int    // lowest level that is kept
	byLevel [maxLevels]uint64
	read    uint64 // events until now
	all     uint64
	runs    *runs
	lanes   []Lane
	slots   []slot
	sites   map[uint32]*[slots / 64]uint64
	err     error // the first one of writing
}

// A slot is a 4096th of the recording's time.
type slot struct{ events, panics uint64 }

// build writes the strokes of an index of p to out. What is to come behind them is in the result.
func build(ctx context.Context, p *recording.Process, out *os.File, o Options) (*contents, *writer, error) {
	began := time.Now()
	b := &builder{file: p.File, end: max(p.End, 1), all: p.File.Info().Events}
	zero := p.File.ClockAt(0)
	length := max(b.end, zero+1) - zero
	b.sketch.Zero = zero
	b.sketch.Slot = length/slots + 1
	// The limit at level 0 is the greatest power of two for which perLimit holds.
	limit := uint64(1)
	if hi, lo := bits.Mul64(length, perLimit); b.all > hi {
		limit, _ = bits.Div64(hi, lo, max(b.all, 1))
	}
	b.sketch.Shift = uint(max(bits.Len64(limit)-1, 0))
	for b.sketch.Levels = 1; b.sketch.Levels < maxLevels && b.sketch.Limit(b.sketch.Levels-1) < length; {
		b.sketch.Levels++
	}
	size := uint64(0)
	for _, part := range p.File.Parts() {
		size += uint64(part.Info().Size)
	}
	b.least = min(leastStrokes, max(size/bytesPerStroke, fewStrokes))
	b.budget = max(b.all/perStroke, b.least)
	b.sketch.OnStroke = b.stroke
	b.sketch.OnGoroutine = b.goroutine
	b.sketch.OnEntered = b.entered
	b.sketch.OnEvents = func(slot int, n uint64) { b.slots[b.inside(slot)].events += n }
	b.sketch.OnPanic = func(_, clock uint64) {
		b.slots[b.inside(int((max(clock, zero)-zero)/b.sketch.Slot))].panics++
	}
	b.sketch.Again = b.again
	b.runs = newRuns(out.Name())
	defer b.runs.close()
	b.again()
	stop := func() error { return cmp.Or(b.err, ctx.Err()) }
	workers := o.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	result, err := calltree.ReadFile(p.File, calltree.Options{Sketch: &b.sketch, Stop: stop}, p.End, workers, func(n int) {
		b.read = min(b.read+uint64(n), b.all) // n is also of events that all doesn't count, such as waits
		if o.Progress != nil {
			o.Progress(b.read, b.all)
		}
	})
	if err == nil {
		err = b.err
	}
	if err != nil {
		return nil, nil, err
	}
	b.leaveOut(1)
	w := newWriter(out)
	b.mergeLanes()
	chunks, err := b.chunks(ctx, w)
	if err != nil {
		return nil, nil, err
	}
	info := p.File.Info()
	c := &contents{
		Meta: Meta{
			Version: version, Shift: b.sketch.Shift, Levels: b.sketch.Levels, Base: b.base, Slot: b.sketch.Slot, Zero: zero, End: b.end,
			Events: result.Events, Calls: result.Calls, Goroutines: result.Seen, Rows: result.Rows, Problems: result.Problems, Mixed: result.Mixed,
			Strokes: b.kept(b.base), Damaged: info.Damaged, Lost: info.Lost, Made: time.Since(began),
		},
		lanes: b.lanes, chunks: chunks, slots: b.slots, sites: b.sites,
	}
	return c, w, nil
}

// again forgets what was told.
func (b *builder) again() {
	b.lanes = b.lanes[:0]
	b.slots = make([]slot, slots)
	b.sites = make(map[uint32]*[slots / 64]uint64)
	b.byLevel = [maxLevels]uint64{}
	b.base, b.read = 0, 0
	if err := b.runs.reset(); err != nil && b.err == nil {
		b.err = err
	}
}

func (b *builder) inside(slot int) int { return min(max(slot, 0), slots-1) }

func (b *builder) entered(slot int, site uint32) {
	slot = b.inside(slot)
	bits := b.sites[site]
	if bits == nil {
		bits = new([slots / 64]uint64)
		b.sites[site] = bits
	}
	bits[slot/64] |= 1 << (slot % 64)
}

func (b *builder) goroutine(g *calltree.Goroutine) {
	l := Lane{
		ID: g.ID, Parent: g.Parent, Origin: g.Origin, Start: g.Start, End: g.End, Ended: g.Ended, Calls: g.Calls, Total: g.Total,
		Panics: uint32(g.Panics), Errors: uint32(g.Errors),
	}
	if g.Off != nil {
		l.Runnable = g.Off.Total.Runnable
		l.Waiting = g.Off.Total.Sum() - l.Runnable
	}
	b.lanes = append(b.lanes, l)
}

// stroke takes a stroke.
func (b *builder) stroke(st *calltree.Stroke) {
	if int(st.High) < b.base || b.err != nil {
		return
	}
	b.byLevel[st.High]++
	if !b.runs.add(st) {
		return
	}
	// A run is full. What is left out from now on is left out of earlier runs, too, when they are
	// merged.
	share := float64(max(b.read, 1)) / float64(max(b.all, 1))
	b.leaveOut(max(share, 0.01))
	b.err = b.runs.flush()
}

// leaveOut leaves out the lowest levels while there are more strokes than this share of the recording may have.
func (b *builder) leaveOut(share float64) {
	for b.base < b.sketch.Levels-1 && float64(b.kept(b.base)) > float64(b.budget)*share && b.kept(b.base) > b.least {
		b.base++
	}
}

// kept returns the number of strokes that are drawn at a level, or above.
func (b *builder) kept(base int) (n uint64) {
	for _, strokes := range b.byLevel[base:] {
		n += strokes
	}
	return n
}

// mergeLanes sorts the lanes by their ids. One that is there twice, because events came behind its
// end, becomes one.
func (b *builder) mergeLanes() {
	slices.SortStableFunc(b.lanes, func(x, y Lane) int { return cmp.Compare(x.ID, y.ID) })
	kept := b.lanes[:0]
	for _, l := range b.lanes {
		if n := len(kept); n > 0 && kept[n-1].ID == l.ID {
			m := &kept[n-1]
			m.Start, m.End, m.Ended = min(m.Start, l.Start), max(m.End, l.End), l.Ended
			m.Parent, m.Origin = cmp.Or(m.Parent, l.Parent), cmp.Or(m.Origin, l.Origin)
			m.Calls += l.Calls
			m.Total += l.Total
			m.Runnable += l.Runnable
			m.Waiting += l.Waiting
			m.Panics += l.Panics
			m.Errors += l.Errors
			continue
		}
		kept = append(kept, l)
	}
	b.lanes = kept
}

// chunks writes the strokes of the lanes.
func (b *builder) chunks(ctx context.Context, w *writer) ([]chunk, error) {
	var list []chunk
	lane := 0
	c := newChunker(w)
	err := b.runs.merge(func(st *calltree.Stroke) error {
		if int(st.High) < b.base {
			return nil
		}
		for lane < len(b.lanes) && b.lanes[lane].ID < st.Goroutine {
			list = c.flush(list)
			lane++
			if lane < len(b.lanes) {
				b.lanes[lane].chunk = len(list)
			}
		}
		if len(list)%1000 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if lane == len(b.lanes) || b.lanes[lane].ID != st.Goroutine {
			return nil
		}
		l := &b.lanes[lane]
		if st.Kind <= calltree.Shorts {
			l.Depth = max(l.Depth, st.Depth+st.Deep+1)
		}
		list = c.add(list, st)
		return c.err
	})
	list = c.flush(list)
	if err == nil {
		err = c.err
	}
	for i := range b.lanes {
		if i > lane {
			b.lanes[i].chunk = len(list)
		}
		if i > 0 {
			b.lanes[i-1].chunks = b.lanes[i].chunk - b.lanes[i-1].chunk
		}
	}
	if n := len(b.lanes); n > 0 {
		b.lanes[n-1].chunks = len(list) - b.lanes[n-1].chunk
	}
	return list, err
}
