package calltree

import (
	"bytes"

	"github.com/waymark-go/waymark/tracefile"
)

// A digester makes digests of blocks. It follows the calls that begin in a block as a
// Builder does, on a stack of its own. That stack isn't enough for the exit of a call
// that began before, or for a panic. Such an event becomes a step of the digest. The
// calls that are open then are handed over to whoever knows the stack below. That
// ends a span, and the next call begins another one.
//
// A span does not depend on the stack that it begins on, but for what is in it:
//
//   - Its first call may show that calls below are over. A later call of the span that could
//     show more, because its token is smaller, begins a new span.
//   - A call is the outermost one of its row if none is open below.
//   - Its calls are root calls if no call is counted below.
type digester struct {
	opt   Options
	table *rowTable
	sites []uint32 // rowTable's answers
	rows  []rowState
	d     *digest

	// The goroutine that runs, and its calls that are open and began in the current span.
	running bool    // there is a segment without its end
	segment segment // that one
	skip    bool    // it was not asked for
	plain   uint64  // its goroutine if its calls count, else 0
	stack   []localFrame
	kept    int    // of them, counted
	number  int    // of the next event in the block
	ahead   bool   // the window has not begun yet
	pause   uint64 // ticks that make a pause

	inSpan   bool
	first    frameKey // of the span's first call
	spanRows []uint32 // with a total
	touched  []uint32 // rows with calls in the block
	s        span
	tree     spanTree
	sketch   *sketching // nil unless asked for
}

// rowState is what a digester knows of a row.
type rowState struct {
	open      uint32 // calls on the stack
	calls     uint64 // what follows is of the block
	self, sum uint64
	min, max  uint64
	errors    uint64
	total     uint64 // in the span, of outermost calls
	stamp     uint32 // of a Sketch
}

// A localFrame is an open call that began in the span.
type localFrame struct {
	enter    uint64
	children uint64
	frameKey
	row  uint32 // with failedRow if it returns an error
	node uint32 // in the span's nodes, from 1: of the call or its nearest counted caller
}

// failedRow marks the row of a call that returns an error. No row is as great, and so the loop that
// takes what is frequent leaves its exit to others.
const failedRow = 1 << 31

// newDigester returns a digester to which that many ticks are a pause, see cuts.
func newDigester(o Options, table *rowTable, pause uint64) *digester {
	x := &digester{opt: o, table: table, pause: pause}
	if o.Sketch != nil {
		x.sketch = &sketching{pen: pen{Sketch: o.Sketch, kind: Shorts}}
	}
	return x
}

// digest makes d that of a block.
func (x *digester) digest(block *tracefile.Block, d *digest, c cuts) {
	d.reset()
	d.ref, d.outline, d.stream, d.begin, d.cuts = block.Ref(), block.Outline(), block.Stream(), block.Begin(), c
	x.d, x.running, x.plain, x.number = d, false, 0, 0
	x.ahead = d.begin < x.opt.From
	if x.sketch != nil {
		x.sketch.begin()
	}
	for events := block.Next(); len(events) > 0 && x.add(events); {
		events = block.Next()
	}
	x.end()
}

// add takes the next events of the block. It reports whether it wants more.
func (x *digester) add(events []tracefile.Event) bool {
	d := x.d
	number := x.number
	x.number += len(events)
	fine := x.number > d.cuts.pauses
	for i := 0; i < len(events); i++ {
		if x.ahead {
			if !fine {
				if i += x.skim(events[i:]); i == len(events) {
					break
				}
			}
			if events[i].Clock >= x.opt.From {
				x.ahead = false
				x.endSpan() // its calls have no nodes
			}
		}
		if !fine && !x.ahead {
			if i += x.calls(events[i:]); i == len(events) {
				break
			}
		}
		ev := &events[i]
		if x.plain == 0 || ev.Goroutine != x.plain || ev.Kind > tracefile.Exit || fine || ev.Clock > x.opt.To {
			if !x.begins(ev, number+i) {
				if d.past {
					return false
				}
				continue
			}
		}
		clock := ev.Clock
		if k := x.sketch; k != nil && clock >= k.slotEnd {
			k.turn(d, clock)
		}
		before := max(d.last, x.segment.start)
		d.last = clock
		if clock >= x.opt.From && counts(ev.Kind) {
			d.events++
		}
		stack := x.stack
		n := len(stack)
		if ev.Kind == tracefile.Enter {
			var row uint32
			if site := uint64(ev.Site); site < uint64(len(x.sites)) && x.sites[site] != unasked {
				row = x.sites[site]
			} else if row = x.row(ev.Site); row == unasked {
				d.unknown++
				continue
			}
			if n == 0 || !stack[n-1].below(ev.Token) {
				x.reach(ev.Site, ev.Token, clock)
				stack = x.stack
			}
			if row != leftOut {
				x.rows[row].open++
				x.kept++
			}
			x.stack = append(stack, localFrame{enter: clock, frameKey: frameKey{ev.Site, ev.Token}, row: row})
			if x.opt.Tree && !x.ahead {
				x.enterNode()
			}
			if x.sketch != nil {
				x.sketch.enter(d, &x.rows[row], ev.Site, len(x.stack))
			}
			continue
		}
		if n > 0 && ev.Kind == tracefile.Exit {
			if f := &stack[n-1]; f.exits(ev.Site, ev.Token) {
				x.stack = stack[:n-1]
				x.exit(f, clock)
				continue
			}
		}
		if n > 0 && ev.Kind == tracefile.Error {
			if f := &stack[n-1]; f.site == ev.Site {
				if f.row != leftOut {
					f.row |= failedRow
				}
				continue
			}
		}
		x.endSpan()
		if ev.Kind == tracefile.Waited {
			p := pause{Wait: ev.Wait()}
			if x.segment.first < number+i {
				p.floor = before
				if n := len(d.steps); n > 0 && d.steps[n-1].event == tracefile.Waited {
					p.floor -= min(d.pauses[len(d.pauses)-1].Ago, before)
				}
			}
			d.pauses = append(d.pauses, p)
		}
		if ev.Kind == tracefile.Panic && x.opt.OnCall != nil {
			d.panics = append(d.panics, bytes.Clone(ev.Data))
		}
		d.steps = append(d.steps, step{event: ev.Kind, site: ev.Site, token: ev.Token, clock: clock, value: ev.Value, origin: ev.Origin})
		if ev.Kind == tracefile.Made {
			d.steps[len(d.steps)-1].bytes = ev.Bytes()
		}
	}
	return true
}

// calls takes events as long as they are enters and exits like many before, and returns the number
// of those taken. It does what add does, but appends to nothing and calls no function, so that what
// it needs stays in registers.
func (x *digester) calls(events []tracefile.Event) int {
	if x.plain == 0 || x.opt.Tree || x.sketch != nil {
		return 0
	}
	goroutine, from, to, shortest := x.plain, x.opt.From, x.opt.To, x.opt.Min
	rows, sites := x.rows, x.sites
	stack, n := x.stack[:cap(x.stack)], len(x.stack)
	kept, ended, selfs := x.kept, uint64(0), uint64(0)
	i := 0
loop:
	for ; i < len(events); i++ {
		ev := &events[i]
		clock := ev.Clock
		if ev.Goroutine != goroutine || clock > to || clock < from {
			break
		}
		switch ev.Kind {
		case tracefile.Enter:
			if uint64(ev.Site) >= uint64(len(sites)) || n >= len(stack) {
				break loop
			}
			row := sites[ev.Site]
			if uint64(row) >= uint64(len(rows)) { // unasked and leftOut are
				break loop
			}
			if n > 0 {
				if !stack[n-1].below(ev.Token) {
					break loop
				}
			} else if !x.inSpan || !x.first.mayStay(ev.Site, ev.Token) {
				break loop
			}
			rows[row].open++
			stack[n] = localFrame{enter: clock, frameKey: frameKey{ev.Site, ev.Token}, row: row}
			kept++
			n++
		case tracefile.Exit:
			if n == 0 {
				break loop
			}
			f := &stack[n-1]
			if !f.exits(ev.Site, ev.Token) || uint64(f.row) >= uint64(len(rows)) {
				break loop
			}
			r := &rows[f.row]
			total := clock - max(f.enter, from)
			if r.calls == 0 || total < shortest || r.open == 1 && r.total == 0 {
				break loop
			}
			self := total - f.children
			r.calls++
			r.min, r.max = min(r.min, total), max(r.max, total)
			r.sum += total
			r.self += self
			if r.open--; r.open == 0 {
				r.total += total
			}
			selfs += self
			ended++
			kept--
			n--
			if n > 0 {
				stack[n-1].children += total
			} else {
				x.s.upward += total
			}
			if kept == 0 {
				x.s.roots.add(total)
			}
		default:
			break loop
		}
	}
	if i > 0 {
		x.d.last = events[i-1].Clock
		x.d.events += uint64(i)
	}
	x.stack, x.kept = stack[:n], kept
	x.s.calls += ended
	x.s.self += selfs
	return i
}

// skim is calls for events before the window: nothing is counted there, and only the calls that
// are still open in the end matter.
func (x *digester) skim(events []tracefile.Event) int {
	if x.plain == 0 {
		return 0
	}
	goroutine, before := x.plain, x.opt.From
	rows, sites := x.rows, x.sites
	stack, n := x.stack[:cap(x.stack)], len(x.stack)
	kept := x.kept
	i := 0
loop:
	for ; i < len(events); i++ {
		ev := &events[i]
		if ev.Goroutine != goroutine || ev.Clock >= before {
			break
		}
		switch ev.Kind {
		case tracefile.Enter:
			if uint64(ev.Site) >= uint64(len(sites)) || n >= len(stack) {
				break loop
			}
			row := sites[ev.Site]
			if uint64(row) >= uint64(len(rows)) { // unasked and leftOut are
				break loop
			}
			if n > 0 {
				if !stack[n-1].below(ev.Token) {
					break loop
				}
			} else if !x.inSpan || !x.first.mayStay(ev.Site, ev.Token) {
				break loop
			}
			rows[row].open++
			stack[n] = localFrame{enter: ev.Clock, frameKey: frameKey{ev.Site, ev.Token}, row: row}
			kept++
			n++
		case tracefile.Exit:
			if n == 0 {
				break loop
			}
			f := &stack[n-1]
			if !f.exits(ev.Site, ev.Token) || uint64(f.row) >= uint64(len(rows)) {
				break loop
			}
			rows[f.row].open--
			kept--
			n--
		default:
			break loop
		}
	}
	if i > 0 {
		x.d.last = events[i-1].Clock
	}
	x.stack, x.kept = stack[:n], kept
	return i
}

// row asks for the row of a site, and makes room for it; it is unasked if there can't be such a
// site.
func (x *digester) row(site uint32) uint32 {
	row, ok := x.table.row(site, &x.sites)
	if !ok {
		return unasked
	}
	if row != leftOut && int(row) >= len(x.rows) {
		x.rows = append(x.rows, make([]rowState, int(row)+1-len(x.rows))...)
	}
	return row
}

// begins begins a segment if there is to be one with the event of the given number. It
// tells whether the event is still to be looked at.
func (x *digester) begins(ev *tracefile.Event, number int) bool {
	d := x.d
	if ev.Clock > x.opt.To {
		d.past = true
		return false
	}
	if ev.Kind == tracefile.Go || ev.Kind == tracefile.Spawn {
		return false
	}
	if !x.running || ev.Goroutine != x.segment.goroutine || x.cut(number, ev.Clock) {
		x.endSegment()
		x.beginSegment(ev, number)
	}
	if ev.Goroutine == 0 {
		d.unknown++
		return false
	}
	if ev.Kind == tracefile.End {
		d.last = ev.Clock
		x.endSpan()
		d.steps = append(d.steps, step{event: tracefile.End, clock: ev.Clock})
		x.endSegment()
		return false
	}
	if x.skip {
		d.last = ev.Clock
	}
	return !x.skip
}

// cut reports whether a segment ends before the event with the given number.
func (x *digester) cut(number int, clock uint64) bool {
	c := &x.d.cuts
	return number >= c.all || number >= c.pauses && clock-x.d.last >= x.pause
}

// end completes the digest.
func (x *digester) end() {
	x.endSegment()
	d := x.d
	for _, row := range x.touched {
		r := &x.rows[row]
		d.rows = append(d.rows, digestRow{row: row, calls: r.calls, self: r.self, sum: r.sum, min: r.min, max: r.max, errors: r.errors})
		r.calls, r.self, r.sum, r.min, r.max, r.errors = 0, 0, 0, 0, 0, 0
	}
	x.touched = x.touched[:0]
	if x.sketch != nil {
		x.sketch.note(d)
	}
	d.all = x.number
	x.d = nil
}

func (x *digester) beginSegment(ev *tracefile.Event, number int) {
	x.running, x.plain = true, 0
	x.segment = segment{goroutine: ev.Goroutine, start: ev.Clock, first: number}
	x.skip = !x.table.wanted(ev.Goroutine)
	if !x.skip && ev.Goroutine != 0 {
		x.plain = ev.Goroutine
	}
}

func (x *digester) endSegment() {
	if !x.running {
		return
	}
	x.endSpan()
	x.running, x.plain = false, 0
	d := x.d
	steps := 0
	if n := len(d.segments); n > 0 {
		steps = d.segments[n-1].steps
	}
	if len(d.steps) > steps || !x.skip && x.segment.goroutine != 0 {
		x.segment.end, x.segment.steps = d.last, len(d.steps)
		d.segments = append(d.segments, x.segment)
	}
}

// reach begins a span with a call if the calls that are open, or those below the
// span, may be over when the call begins.
func (x *digester) reach(site, token uint32, clock uint64) {
	if len(x.stack) == 0 && x.inSpan && x.first.mayStay(site, token) {
		return
	}
	x.endSpan()
	x.inSpan, x.first = true, frameKey{site, token}
	x.s = span{}
	x.d.steps = append(x.d.steps, step{event: isSpan, site: site, token: token, clock: clock})
}

// enterNode finds the node of the innermost call.
func (x *digester) enterNode() {
	n := len(x.stack) - 1
	f := &x.stack[n]
	if n > 0 {
		f.node = x.stack[n-1].node
	}
	if f.row != leftOut {
		f.node = x.tree.child(f.node, f.row)
	}
}

// exit ends the call f, which has been the innermost.
func (x *digester) exit(f *localFrame, clock uint64) {
	if x.sketch != nil {
		x.sketch.exit(f, len(x.stack), clock)
	}
	upward := f.children
	if f.row != leftOut {
		x.kept--
		row, errors := f.row&^failedRow, uint64(f.row>>31)
		r := &x.rows[row]
		r.open--
		start := max(f.enter, x.opt.From)
		if clock >= start && clock-start >= x.opt.Min {
			upward = clock - start
			self := upward - f.children
			if x.opt.Whole != nil && upward >= x.opt.Long {
				row = x.whole(f, row)
				r = &x.rows[row]
			}
			if r.calls == 0 {
				x.touched = append(x.touched, row)
				r.min = upward
			}
			r.calls++
			r.min, r.max = min(r.min, upward), max(r.max, upward)
			r.sum += upward
			r.self += self
			r.errors += errors
			x.s.errors += errors
			if r.open == 0 && upward > 0 {
				if r.total == 0 {
					x.spanRows = append(x.spanRows, row)
				}
				r.total += upward
			}
			x.s.calls++
			x.s.self += self
			if x.kept == 0 {
				x.s.roots.add(upward)
			}
			if x.opt.Tree {
				x.tree.add(f.node, upward, self, errors)
			}
		}
	}
	if n := len(x.stack); n > 0 {
		x.stack[n-1].children += upward
	} else {
		x.s.upward += upward
	}
}

// whole has a call that took long counted for another site if that is wanted, and returns the row.
func (x *digester) whole(f *localFrame, row uint32) uint32 {
	site := x.opt.Whole(f.site)
	if site == 0 {
		return row
	}
	other := x.row(site)
	if other == unasked || other == leftOut {
		return row
	}
	if x.opt.Tree {
		f.node = x.tree.child(x.tree.nodes[f.node-1].parent, other)
	}
	return other
}

// endSpan ends the current span, if there is one, and hands its open calls over.
func (x *digester) endSpan() {
	if !x.inSpan {
		return
	}
	x.inSpan = false
	d := x.d
	for _, row := range x.spanRows {
		r := &x.rows[row]
		d.totals = append(d.totals, rowTotal{row, r.total})
		r.total = 0
	}
	x.spanRows = x.spanRows[:0]
	for i := range x.stack {
		f := &x.stack[i]
		o := opened{enter: f.enter, children: f.children, frameKey: f.frameKey, row: f.row}
		if f.row != leftOut {
			o.row, o.failed = f.row&^failedRow, f.row&failedRow != 0
			x.rows[o.row].open--
		}
		d.opened = append(d.opened, o)
	}
	if x.sketch != nil {
		x.sketch.endSpan(d, len(x.stack))
	}
	x.stack, x.kept = x.stack[:0], 0
	if x.opt.Tree {
		d.nodes = x.tree.appendTo(d.nodes)
	}
	x.s.totals, x.s.opened, x.s.nodes, x.s.strokes = len(d.totals), len(d.opened), len(d.nodes), len(d.strokes)
	d.spans = append(d.spans, x.s)
}
