package calltree

import (
	"errors"
	"math"

	"github.com/waymark-go/waymark/tracefile"
)

// errOrder says that events of a goroutine, or whole blocks, are not in the order in which digests
// can be joined. The events have to be read one by one.
var errOrder = errors.New("clocks of streams disagree")

// A joiner passes digests to a Builder. What matters is the order of each goroutine's
// segments. The beginnings and ends of all segments are gone through in the order of time,
// and a segment is taken at its end. Where another segment of the same goroutine begins before
// that, on another stream, the goroutine moved there, and perhaps back. Then the block of the
// first segment is digested anew, with cuts. Where even single events don't follow each other,
// the joiner gives up with errOrder.
type joiner struct {
	b       *Builder
	x       *digester
	done    func(*digest) // may use the digest again
	strict  bool          // take no block that begins before the end of its stream's last one
	past    bool          // there are events after the digesters' window
	streams []*place      // by stream
	heap    []head        // of the streams that have segments left
	now     uint64        // how far the joiner has come
	nodes   []uint32      // of the current span, in the Builder's paths
	block   tracefile.Block
}

// A place is where a stream is in its latest digest.
type place struct {
	d                    *digest
	in                   bool // the next segment has begun
	segment, step        int  // the next ones
	span                 int
	totals, opened, node int    // of the next span
	last                 uint64 // clock of the latest event
	panics, pauses       int    // the next ones
	stroke               int    // the next one
}

// A head is the next beginning or end of a segment of a stream.
type head struct {
	clock  uint64
	stream uint32
	end    bool
}

func newJoiner(b *Builder, x *digester, done func(*digest)) *joiner {
	return &joiner{b: b, x: x, done: done}
}

// take takes the next digest, in the order in which blocks begin, and those of a
// stream one after the other.
func (j *joiner) take(d *digest) error {
	for int(d.stream) >= len(j.streams) {
		j.streams = append(j.streams, new(place))
	}
	p := j.streams[d.stream]
	if d.begin < j.now || j.strict && d.begin < p.last {
		return errOrder
	}
	// The digest of the stream's block before is done after this, as no event of d is
	// earlier than its last one.
	for len(j.heap) > 0 && (j.heap[0].clock < d.begin || p.d != nil) {
		if err := j.next(max(d.begin, j.heap[0].clock+1)); err != nil {
			return err
		}
	}
	b := j.b
	b.last = max(b.last, d.last)
	j.past = j.past || d.past
	b.events += d.events
	b.problems.Unknown += d.unknown
	*p = place{d: d, last: max(p.last, d.last)}
	if len(d.segments) == 0 {
		j.finish(p)
		return nil
	}
	j.push(head{clock: d.segments[0].start, stream: d.stream})
	return nil
}

// close takes what is left.
func (j *joiner) close() error {
	for len(j.heap) > 0 {
		if err := j.next(math.MaxUint64); err != nil {
			return err
		}
	}
	return nil
}

// next goes on with the stream whose turn it is, until it is another one's, or the
// given clock is reached.
func (j *joiner) next(until uint64) error {
	limit := j.second()
	limit.clock = min(limit.clock, until)
	for h := &j.heap[0]; ; {
		p := j.streams[h.stream]
		j.now = max(j.now, h.clock)
		if h.end {
			j.segment(p)
		} else if again, err := j.enter(p); again || err != nil {
			return err
		}
		if p.segment == len(p.d.segments) {
			j.finish(p)
			n := len(j.heap) - 1
			j.heap[0] = j.heap[n]
			j.heap = j.heap[:n]
			break
		}
		*h = p.head()
		if h.clock >= until || !h.before(limit) {
			break
		}
	}
	j.down()
	return nil
}

// head returns the next beginning or end of a segment.
func (p *place) head() head {
	s := &p.d.segments[p.segment]
	if p.in {
		return head{s.end, p.d.stream, true}
	}
	return head{s.start, p.d.stream, false}
}

// enter begins the next segment of p. If its goroutine is in one of another stream,
// enter cuts that one, and has to be called again when its turn comes.
func (j *joiner) enter(p *place) (again bool, err error) {
	s := &p.d.segments[p.segment]
	g := j.b.alive[s.goroutine]
	if g == nil {
		g = j.b.start(s.goroutine, s.start)
	} else if g.segment != nil {
		return true, j.cut(g.segment)
	}
	g.segment, p.in = p, true
	return false, nil
}

// cut digests the block of p anew, so that the segment which p is in gets shorter.
func (j *joiner) cut(p *place) error {
	if p.d.outline {
		if err := j.whole(p); err != nil {
			return err
		}
	}
	first := p.d.segments[p.segment].first
	c := p.d.cuts
	switch {
	case first < c.pauses:
		c.pauses = first
	case first < c.all:
		c.all = first
	default:
		return errOrder
	}
	if err := j.block.Open(p.d.ref); err != nil {
		return err
	}
	j.x.digest(&j.block, p.d, c)
	for i := range j.heap {
		if j.heap[i].stream == p.d.stream {
			j.heap[i] = p.head()
			j.up(i)
			break
		}
	}
	return nil
}

// whole replaces the digest of p, of an outline, by that of the block. Both have the same segments.
func (j *joiner) whole(p *place) error {
	s := p.d.segments[p.segment]
	if err := j.block.Open(p.d.ref); err != nil {
		return err
	}
	j.x.digest(&j.block, p.d, noCuts)
	d := p.d
	if p.segment >= len(d.segments) || d.segments[p.segment].goroutine != s.goroutine || d.segments[p.segment].start != s.start {
		return errOrder // damaged
	}
	p.step, p.span, p.totals, p.opened, p.node, p.panics, p.pauses = 0, 0, 0, 0, 0, 0, 0
	if p.segment > 0 {
		p.step = d.segments[p.segment-1].steps
	}
	for i := range d.steps[:p.step] {
		switch d.steps[i].event {
		case isSpan:
			span := &d.spans[p.span]
			p.totals, p.opened, p.node = span.totals, span.opened, span.nodes
			p.span++
		case tracefile.Panic:
			p.panics++
		case tracefile.Waited:
			p.pauses++
		}
	}
	return nil
}

// finish ends the digest of p.
func (j *joiner) finish(p *place) {
	for i := range p.d.rows {
		r := &p.d.rows[i]
		j.row(r.row).merge(r)
	}
	if j.b.opt.Sketch != nil {
		j.b.sketchDigest(p.d)
	}
	j.done(p.d)
	p.d = nil
}

// row returns the Builder's row.
func (j *joiner) row(row uint32) *Row {
	b := j.b
	if int(row) >= len(b.rows) {
		b.rows = b.table.grow(b.rows, row)
	}
	return &b.rows[row]
}

// segment takes the segment that p is in.
func (j *joiner) segment(p *place) {
	b, d := j.b, p.d
	s := &d.segments[p.segment]
	p.segment++
	p.in = false
	g := b.alive[s.goroutine]
	g.segment, g.last = nil, s.end
	first := p.step
	for ; p.step < s.steps; p.step++ {
		b.unparked(g, d.steps[p.step].event, d.steps[p.step].clock)
		switch st := &d.steps[p.step]; st.event {
		case isSpan:
			j.span(g, p, st)
		case tracefile.Waited:
			b.waited(g, &d.pauses[p.pauses], st.clock)
			p.pauses++
		case tracefile.Made:
			b.made(g, Made{st.value, st.bytes}, st.clock)
		case tracefile.Exit:
			b.exit(g, st.site, st.token, st.clock, nil)
		case tracefile.Panic:
			var value []byte
			if b.opt.OnCall != nil {
				value = d.panics[p.panics]
				p.panics++
			}
			b.event(g, &tracefile.Event{Kind: tracefile.Panic, Token: st.token, Data: value}, st.clock)
		default:
			b.event(g, &tracefile.Event{Kind: st.event, Site: st.site, Token: st.token, Value: st.value, Origin: st.origin}, st.clock)
		}
	}
	if p.step == first || d.steps[p.step-1].event != tracefile.Waited {
		g.floor = s.end
	}
}

// span takes the next span of p.
func (j *joiner) span(g *goroutine, p *place, first *step) {
	b, d := j.b, p.d
	s := &d.spans[p.span]
	p.span++
	b.reach(g, first.site, first.token, first.clock)
	for ; p.totals < s.totals; p.totals++ {
		if t := &d.totals[p.totals]; !g.open.has(t.row) {
			j.row(t.row).Total += t.total
		}
	}
	g.Calls += s.calls
	g.Self += s.self
	g.Errors += s.errors
	if g.kept == 0 {
		g.addRoots(&s.roots)
	}
	if n := len(g.stack); n > 0 {
		g.stack[n-1].children += s.upward
	}
	if b.paths != nil {
		j.grow(p, s.nodes, g.node())
	}
	if b.opt.Sketch != nil {
		b.sketchSpan(g, p, s.strokes)
	}
	for ; p.opened < s.opened; p.opened++ {
		o := &d.opened[p.opened]
		f := frame{enter: o.enter, children: o.children, frameKey: o.frameKey, row: o.row}
		if o.failed {
			f.flags = Failed
		}
		b.push(g, f)
		if b.opt.Sketch != nil {
			*g.nearOf(len(g.stack)) = d.nears[p.opened]
		}
		if b.opt.OnEnter != nil {
			g.began = append(g.began[:min(len(g.began), len(g.stack)-1)], d.ref)
		}
	}
}

// grow adds the next nodes of p, up to the index end, to those below base.
func (j *joiner) grow(p *place, end int, base uint32) {
	j.nodes = append(j.nodes[:0], base)
	for ; p.node < end; p.node++ {
		n := &p.d.nodes[p.node]
		at := j.b.paths.Child(j.nodes[n.parent], n.row)
		j.b.paths.addAll(at, n)
		j.nodes = append(j.nodes, at)
	}
}

// push adds h to the heap.
func (j *joiner) push(h head) {
	j.heap = append(j.heap, h)
	j.up(len(j.heap) - 1)
}

// up moves element i of the heap to where it belongs above.
func (j *joiner) up(i int) {
	for ; i > 0 && j.heap[i].before(j.heap[(i-1)/2]); i = (i - 1) / 2 {
		j.heap[i], j.heap[(i-1)/2] = j.heap[(i-1)/2], j.heap[i]
	}
}

// down moves the first element of the heap to where it belongs.
func (j *joiner) down() {
	for i := 0; ; {
		least := i
		for c := 2*i + 1; c <= 2*i+2 && c < len(j.heap); c++ {
			if j.heap[c].before(j.heap[least]) {
				least = c
			}
		}
		if least == i {
			return
		}
		j.heap[i], j.heap[least] = j.heap[least], j.heap[i]
		i = least
	}
}

// second returns the earliest head but the first.
func (j *joiner) second() head {
	first := head{clock: math.MaxUint64, end: true}
	for i := 1; i <= 2 && i < len(j.heap); i++ {
		if j.heap[i].before(first) {
			first = j.heap[i]
		}
	}
	return first
}

// before reports whether h comes before o: segments that touch overlap, so
// of those at the same time beginnings come first.
func (h head) before(o head) bool {
	if h.clock != o.clock {
		return h.clock < o.clock
	}
	return !h.end && o.end
}
