package calltree

import (
	"cmp"
	"maps"
	"slices"

	"github.com/waymark-go/waymark/tracefile"
)

// Options say what a Builder counts. The zero value counts everything. Goroutine, Keep
// and Key are called by one goroutine at a time, and may be asked the same more than once.
type Options struct {
	From, To  uint64                   // clock; calls are cut to this window; To 0 is no end
	Goroutine func(id uint64) bool     // leave other goroutines out
	Keep      func(site uint32) bool   // leave other functions out
	Min       uint64                   // ticks; leave out shorter calls, and so all that they made
	Key       func(site uint32) uint32 // calls with equal keys make a row; nil: one row per site

	// Whole, unless nil, says of calls that take Long ticks or more which site to count them for instead of
	// their own; 0: their own. It is for samples: see package recording.
	Whole func(site uint32) uint32
	Long  uint64

	Goroutines bool // fill Result.Goroutines
	Tree       bool // fill Result.Tree
	// OnEnter is called with each call as it begins, or when the window does. The call's End, Self
	// and Flags are not known yet.
	OnEnter func(*Call)
	// OnCall is called with each call as it ends, callees first. The Call is valid until OnCall
	// returns.
	OnCall func(*Call)
	// OnWait is called when a goroutine runs again that did not while it had a call open. The Call is as
	// one that the innermost call has made, from when the goroutine stopped running: it has that one's
	// Site, and Wait. It is also called of a new goroutine, which has waited since it was made: Site is 0.
	OnWait func(*Call)
	// OnStart is called when a goroutine says which one has started it, and the id of the go
	// statement, before its calls. OnEnd is called when all its calls have ended, or the
	// recording has.
	OnStart func(goroutine, parent uint64, origin uint32)
	OnEnd   func(*Goroutine)
	// OnSpawn is called when a goroutine starts another one, which may have no calls yet, or ever.
	OnSpawn func(goroutine, child, clock uint64)
	Sketch  *Sketch // unless nil
	// Until, unless nil, returns the clock from which on a goroutine is left out, or 0 if it never is.
	// The goroutine's calls end there as those do that the recording's end cuts.
	Until func(goroutine uint64) uint64
	// Stop, unless nil, is asked by ReadFile now and then; its error ends the reading, and is returned.
	Stop func() error
}

// A Source returns the events of a recording: those of a goroutine in order, and
// all in the order of time.
type Source interface {
	Next(*tracefile.Event) bool
	Err() error
}

// Read makes the result of all events of src. On an error it is the result of
// those before. end is the clock when the recording ended, see Builder.Close.
func Read(src Source, o Options, end uint64) (*Result, error) {
	b := New(o)
	var ev tracefile.Event
	for ev.Clock <= b.opt.To && src.Next(&ev) {
		b.Add(&ev)
	}
	return b.Close(end), src.Err()
}

// A Builder follows goroutines through the events that it is given. Its memory
// grows with the functions that were called, the goroutines alive and the depth
// of their stacks, not with the number of events.
type Builder struct {
	opt Options

	table   *rowTable
	sites   []uint32 // its answers
	rows    []Row
	alive   map[uint64]*goroutine
	streams []*goroutine // that ran last on a stream, so that alive is asked at switches only
	spare   []*goroutine // of ended goroutines, for their slices

	paths    *paths // nil unless asked for
	ended    []Goroutine
	last     uint64 // clock of the latest event
	ahead    bool   // OnEnter is to be told of the calls that are open when the window begins
	past     bool   // there are events after the window
	events   uint64
	seen     uint64 // goroutines, see Result.Seen
	mixed    uint64
	problems Problems
	call     Call // what OnCall is given
	pen      pen  // of a Sketch
}

// maxStreams bounds a table that is indexed with numbers from a file.
const maxStreams = 1 << 12

// New returns a Builder.
func New(o Options) *Builder {
	if o.To == 0 {
		o.To = 1<<64 - 1
	}
	b := &Builder{opt: o, alive: make(map[uint64]*goroutine)}
	b.ahead = o.From > 0 && o.OnEnter != nil
	b.table = newRowTable(&b.opt)
	b.pen.Sketch = o.Sketch
	if o.Tree {
		b.paths = new(paths)
	}
	return b
}

// Add takes the next event.
func (b *Builder) Add(ev *tracefile.Event) {
	if ev.Clock > b.opt.To {
		b.last, b.past = b.opt.To, true
		return
	}
	if b.ahead && ev.Clock >= b.opt.From {
		b.tellOpen()
	}
	switch ev.Kind {
	case tracefile.Go:
		return
	case tracefile.Spawn: // the goroutine may have no calls
		if b.opt.OnSpawn != nil {
			b.opt.OnSpawn(ev.Goroutine, ev.Value, ev.Clock)
		}
		return
	}
	g := b.goroutine(ev.Goroutine, ev.Stream, ev.Clock)
	if g == nil {
		b.problems.Unknown++
		return
	}
	b.last = max(b.last, ev.Clock)
	if g.skip && ev.Kind != tracefile.End {
		return
	}
	if g.until != 0 && ev.Clock > g.until {
		b.cut(g, ev)
		return
	}
	clock := ev.Clock
	if clock < g.last {
		clock = g.last
		b.problems.Backward++
	}
	g.last = clock
	if clock >= b.opt.From && counts(ev.Kind) && ev.Kind != tracefile.End {
		b.events++
	}
	if b.opt.Sketch != nil {
		b.sketchEvent(ev)
	}
	b.event(g, ev, clock)
	if ev.Kind != tracefile.Waited {
		g.floor = clock
	}
}

// cut ends the calls of a goroutine, of which an event comes that is to be left out.
func (b *Builder) cut(g *goroutine, ev *tracefile.Event) {
	if w := ev.Wait(); ev.Kind == tracefile.Waited && ev.Clock-w.Ago > g.until {
		over := ev.Clock - w.Ago - g.until
		w.Total, w.Runnable, w.Ago = w.Total-min(w.Total, over), w.Runnable-min(w.Runnable, over), 0
		if w.Total > 0 {
			b.waited(g, &pause{Wait: w, flags: Open}, g.until)
			g.parked = 0
		}
	}
	b.endOpen(g, g.until, Open)
	g.skip = true
	if ev.Kind == tracefile.End {
		g.Ended = true
		b.forget(g, ev.Clock)
	}
}

// endOpen ends the open calls of a goroutine, which go on.
func (b *Builder) endOpen(g *goroutine, clock uint64, open Flags) {
	b.parked(g, clock, open)
	for n := len(g.stack); n > 0; n-- {
		flags := open
		if u := g.left(n - 1); u != nil {
			flags |= u.flag
		}
		b.end(g, clock, flags, nil)
	}
}

// counts reports whether events of that kind are counted: those that say when goroutines ran, and what
// they made, are not.
func counts(k tracefile.Kind) bool {
	return k != tracefile.Parked && k != tracefile.Waited && k != tracefile.Made
}

// event follows what g did at the given clock.
func (b *Builder) event(g *goroutine, ev *tracefile.Event, clock uint64) {
	b.unparked(g, ev.Kind, clock)
	switch ev.Kind {
	case tracefile.Enter:
		row, ok := b.table.row(ev.Site, &b.sites)
		if !ok {
			b.problems.Unknown++
			return
		}
		b.enter(g, ev.Site, row, ev.Token, clock, ev.Data)
		if ev.Value == unfolded {
			g.stack[len(g.stack)-1].flags |= Unfolded
		}
	case tracefile.Exit:
		b.exit(g, ev.Site, ev.Token, clock, ev.Data)
	case tracefile.Start:
		if g.Parent != 0 || g.Origin != 0 { // recordings of patched programs may say it again
			break
		}
		g.Parent, g.Origin = ev.Value, ev.Origin
		if b.opt.OnStart != nil {
			b.opt.OnStart(g.ID, g.Parent, g.Origin)
		}
	case tracefile.Panic:
		g.Panics++
		if b.opt.Sketch != nil {
			b.opt.Sketch.OnPanic(g.ID, clock)
		}
		b.begin(g, Panicked, ev.Token, clock, ev.Data)
	case tracefile.Goexit:
		b.begin(g, Exited, ev.Token, clock, nil)
	case tracefile.Recover:
		b.recovered(g, ev.Token, clock)
	case tracefile.Error:
		g.fails(ev.Site)
	case tracefile.Long:
		b.long(g, ev, clock)
	case tracefile.Marker:
		b.info(g, ev.Site, clock, ev.Data)
	case tracefile.Parked:
		g.parked, g.reason = clock, tracefile.ReasonOf(ev.Value)
	case tracefile.Waited:
		b.waited(g, &pause{Wait: ev.Wait()}, clock)
	case tracefile.Made:
		b.made(g, Made{ev.Value, ev.Bytes()}, clock)
	case tracefile.End:
		for len(g.stack) > 0 {
			b.endUnseen(g, clock)
		}
		g.Ended = true
		b.forget(g, clock)
	}
}

// goroutine finds the state of the goroutine that runs on a stream from the given
// clock on, or makes it. It is nil for 0, which is no goroutine's id.
func (b *Builder) goroutine(id uint64, stream uint32, clock uint64) *goroutine {
	if uint64(stream) < uint64(len(b.streams)) {
		if g := b.streams[stream]; g != nil && g.ID == id && id != 0 {
			return g
		}
	}
	if id == 0 {
		return nil
	}
	g := b.alive[id]
	if g == nil {
		g = b.start(id, clock)
	}
	if stream < maxStreams {
		for int(stream) >= len(b.streams) {
			b.streams = append(b.streams, nil)
		}
		b.streams[stream] = g
	}
	return g
}

// start makes the state of a goroutine.
func (b *Builder) start(id, clock uint64) *goroutine {
	var g *goroutine
	if n := len(b.spare); n > 0 {
		g = b.spare[n-1]
		b.spare = b.spare[:n-1]
	} else {
		g = new(goroutine)
	}
	g.Goroutine = Goroutine{ID: id, Start: clock}
	g.last = clock
	g.skip = !b.table.wanted(id)
	if b.opt.Until != nil {
		g.until = b.opt.Until(id)
	}
	b.alive[id] = g
	return g
}

// forget notes what a goroutine did, all its calls being over.
func (b *Builder) forget(g *goroutine, clock uint64) {
	g.End = clock
	if b.opt.OnEnd != nil {
		b.opt.OnEnd(&g.Goroutine)
	}
	if b.opt.Sketch != nil {
		b.sketchForget(g)
	}
	if !g.skip && clock >= b.opt.From {
		b.seen++
		if b.opt.Goroutines {
			b.ended = append(b.ended, g.Goroutine)
		}
	}
	delete(b.alive, g.ID)
	// A stream may still point to g. Until it serves another goroutine it has an
	// id that no event has, and then it is the right one for its events.
	*g = goroutine{stack: g.stack, open: g.open, unwinding: g.unwinding[:0], longs: g.longs[:0], offs: g.offs[:0], mades: g.mades[:0], nears: g.nears[:0]}
	b.spare = append(b.spare, g)
}

// Close ends what is still open and returns the result. end is the clock when the
// recording ended, or 0 if that is unknown. If end is smaller than the clock of
// the last event, the last event is taken as the end. The Builder can't be used
// afterwards.
func (b *Builder) Close(end uint64) *Result {
	if b.ahead {
		b.tellOpen()
	}
	open := Open
	if b.past = b.past || end > b.opt.To; b.past {
		open |= Past
	}
	end = min(max(end, b.last), b.opt.To)
	for _, id := range slices.Sorted(maps.Keys(b.alive)) {
		g := b.alive[id]
		at := end
		if g.until != 0 {
			at = min(at, g.until)
		}
		b.endOpen(g, at, open)
		b.forget(g, at)
	}
	r := &Result{Goroutines: b.ended, Events: b.events, Seen: b.seen, Past: b.past, Mixed: b.mixed, Problems: b.problems}
	if b.paths != nil {
		r.Tree = b.paths.list(b.rows)
	}
	for _, row := range b.rows {
		if row.Calls > 0 {
			r.Rows = append(r.Rows, row)
			r.Calls += row.Calls
		}
	}
	slices.SortFunc(r.Rows, func(x, y Row) int { return cmp.Compare(x.Key, y.Key) })
	slices.SortStableFunc(r.Goroutines, func(x, y Goroutine) int { return cmp.Compare(x.ID, y.ID) })
	return r
}
