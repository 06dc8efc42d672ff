package calltree

import (
	"github.com/waymark-go/waymark/format"
	"github.com/waymark-go/waymark/tracefile"
)

// A digester makes digests of blocks. It follows the calls that begin in a block as a
// Builder does, on a stack of its own. An event for which that stack isn't enough,
// the exit of a call that began before or a panic, becomes a step of the digest, and
// the calls that are open then are handed over to whoever knows the stack below: that
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
	goroutine uint64
	running   bool // there is a segment without its end
	skip      bool
	stack     []localFrame
	kept      int     // of them, counted
	segment   segment // without its end
	number    int     // of the next event in the block
	pause     uint64  // ticks that make a pause

	inSpan   bool
	first    uint32   // site of the span's first call
	token    uint32   // of the span's first call
	spanRows []uint32 // with a total
	touched  []uint32 // rows with calls in the block
	s        span
	tree     spanTree
}

// rowState is what a digester knows of a row.
type rowState struct {
	open      uint32 // calls on the stack
	calls     uint64 // what follows is of the block
	self, sum uint64
	min, max  uint64
	total     uint64 // in the span, of outermost calls
}

// A localFrame is an open call that began in the span.
type localFrame struct {
	enter    uint64
	children uint64
	site     uint32
	token    uint32
	row      uint32
	node     uint32 // of the call, or its nearest caller that is counted; in the span's nodes, counting from 1
}

// newDigester returns a digester to which that many ticks are a pause, see cuts.
func newDigester(o Options, table *rowTable, pause uint64) *digester {
	return &digester{opt: o, table: table, pause: pause}
}

// digest makes d that of a block.
func (x *digester) digest(block *tracefile.Block, d *digest, c cuts) {
	d.reset()
	d.ref, d.stream, d.begin, d.cuts = block.Ref(), block.Stream(), block.Begin(), c
	x.d, x.running, x.number = d, false, 0
	for events := block.Next(); len(events) > 0 && x.add(events); {
		events = block.Next()
	}
	x.end()
}

// add takes the next events of the block. It tells whether it wants more.
func (x *digester) add(events []format.Event) bool {
	d := x.d
	number := x.number
	x.number += len(events)
	fine := x.number > d.cuts.pauses
	for i := range events {
		ev := &events[i]
		clock := ev.Clock
		if clock > x.opt.To {
			d.past = true
			return false
		}
		if ev.Kind == format.Go {
			continue
		}
		if !x.running || ev.Goroutine != x.goroutine || fine && x.cut(number+i, clock) {
			x.endSegment()
			x.beginSegment(ev, number+i)
		}
		if ev.Goroutine == 0 {
			d.unknown++
			continue
		}
		d.last = clock
		if x.skip && ev.Kind != format.End {
			continue
		}
		if clock >= x.opt.From && ev.Kind != format.End {
			d.events++
		}
		switch n := len(x.stack); {
		case ev.Kind == format.Enter:
			row, ok := x.table.row(ev.Site, &x.sites)
			if !ok {
				d.unknown++
				continue
			}
			x.enter(ev.Site, ev.Token, row, clock)
		case ev.Kind == format.Exit && n > 0 && x.stack[n-1].token == ev.Token && x.stack[n-1].site == ev.Site:
			x.exit(clock)
		default:
			x.endSpan()
			d.steps = append(d.steps, step{event: ev.Kind, site: ev.Site, token: ev.Token, clock: clock, value: ev.Value, origin: ev.Origin})
			if ev.Kind == format.End {
				x.endSegment()
			}
		}
	}
	return true
}

// cut tells whether a segment ends before the event with the given number.
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
		d.rows = append(d.rows, digestRow{row: row, calls: r.calls, self: r.self, sum: r.sum, min: r.min, max: r.max})
		r.calls, r.self, r.sum, r.min, r.max = 0, 0, 0, 0, 0
	}
	x.touched = x.touched[:0]
	d.all = x.number
	x.d = nil
}

func (x *digester) beginSegment(ev *format.Event, number int) {
	x.running, x.goroutine = true, ev.Goroutine
	x.segment = segment{goroutine: ev.Goroutine, start: ev.Clock, first: number}
	x.skip = !x.table.wanted(ev.Goroutine)
}

func (x *digester) endSegment() {
	if !x.running {
		return
	}
	x.endSpan()
	x.running = false
	d := x.d
	steps := 0
	if n := len(d.segments); n > 0 {
		steps = d.segments[n-1].steps
	}
	if len(d.steps) > steps || !x.skip && x.goroutine != 0 {
		x.segment.end, x.segment.steps = d.last, len(d.steps)
		d.segments = append(d.segments, x.segment)
	}
}

// enter opens a call.
func (x *digester) enter(site, token, row uint32, clock uint64) {
	n := len(x.stack)
	if n == 0 {
		if !x.inSpan || token < x.token || token == x.token && site != x.first {
			x.endSpan()
			x.beginSpan(site, token, clock)
		}
	} else if x.stack[n-1].token >= token {
		x.endSpan()
		x.beginSpan(site, token, clock)
		n = 0
	}
	node := uint32(0)
	if x.opt.Tree && n > 0 {
		node = x.stack[n-1].node
	}
	if row != leftOut {
		for int(row) >= len(x.rows) {
			x.rows = append(x.rows, rowState{})
		}
		x.rows[row].open++
		x.kept++
		if x.opt.Tree {
			node = x.tree.child(node, row)
		}
	}
	x.stack = append(x.stack, localFrame{enter: clock, site: site, token: token, row: row, node: node})
}

// exit ends the innermost call.
func (x *digester) exit(clock uint64) {
	n := len(x.stack) - 1
	f := &x.stack[n]
	x.stack = x.stack[:n]
	upward := f.children
	if f.row != leftOut {
		x.kept--
		r := &x.rows[f.row]
		r.open--
		start := max(f.enter, x.opt.From)
		if clock >= start && clock-start >= x.opt.Min {
			upward = clock - start
			self := upward - f.children
			if r.calls == 0 {
				x.touched = append(x.touched, f.row)
				r.min = upward
			}
			r.calls++
			r.min, r.max = min(r.min, upward), max(r.max, upward)
			r.sum += upward
			r.self += self
			if r.open == 0 && upward > 0 {
				if r.total == 0 {
					x.spanRows = append(x.spanRows, f.row)
				}
				r.total += upward
			}
			x.s.calls++
			x.s.self += self
			if x.kept == 0 {
				x.s.roots.add(upward)
			}
			if x.opt.Tree {
				x.tree.add(f.node, upward, self)
			}
		}
	}
	if n > 0 {
		x.stack[n-1].children += upward
	} else {
		x.s.upward += upward
	}
}

func (x *digester) beginSpan(site, token uint32, clock uint64) {
	x.inSpan, x.first, x.token = true, site, token
	x.s = span{}
	x.d.steps = append(x.d.steps, step{event: isSpan, site: site, token: token, clock: clock})
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
		d.opened = append(d.opened, opened{enter: f.enter, children: f.children, site: f.site, token: f.token, row: f.row})
		if f.row != leftOut {
			x.rows[f.row].open--
		}
	}
	x.stack, x.kept = x.stack[:0], 0
	if x.opt.Tree {
		d.nodes = x.tree.appendTo(d.nodes)
	}
	x.s.totals, x.s.opened, x.s.nodes = len(d.totals), len(d.opened), len(d.nodes)
	d.spans = append(d.spans, x.s)
}
