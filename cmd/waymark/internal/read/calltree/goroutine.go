package calltree

import (
	"bytes"
	"maps"
	"slices"

	"github.com/waymark-go/waymark/tracefile"
)

// goroutine is the state of a goroutine that is alive.
type goroutine struct {
	Goroutine
	last      uint64 // clock of the latest event
	segment   *place // that a joiner is in; nil if none
	stack     []frame
	kept      int // frames on the stack that are counted
	open      openRows
	unwinding []unwinding // in the order in which they began, so by token too
	skip      bool        // not asked for
	until     uint64      // clock, see Options.Until

	recovered map[int][]byte // by frame: the value of the panic that it recovered
	longs     []longCall
	offs      []openOff  // outer calls first
	mades     []openMade // outer calls first
	floor     uint64     // clock: no wait that is still to come began earlier
	parked    uint64     // clock since when it does not run, for reason; 0 if it does, or nobody knows
	reason    tracefile.WaitReason
	early     map[int][]byte // by frame: the arguments of a call that began before the window

	nears []near // of a Sketch: of root calls, and by frame of the calls that its call made
	waits near

	began []tracefile.BlockRef // by frame: the block in which the call began, while a NewAt reads
}

// A frame is an open call.
type frame struct {
	enter    uint64 // clock
	children uint64 // ticks of the calls that it made, as far as they are counted
	frameKey
	row   uint32 // or leftOut
	slot  int32  // of the row in the goroutine's openRows, or notOutermost
	node  uint32 // of the call tree: of the call, or of its nearest caller that is counted
	flags Flags
}

// leftOut stands for the row of a frame that a filter has taken out. It stays on
// the stack, as tokens refer to it.
const leftOut = 1<<32 - 1

// An unwinding is a panic or a Goexit that is going on.
type unwinding struct {
	token uint32 // of the frame in which it began
	flag  Flags  // Panicked or Exited
	base  int    // frames below were open when it began; those above are of deferred calls
	value []byte // of the panic, if it was recorded
}

// endUnseen ends the innermost call for which there is no exit event.
func (b *Builder) endUnseen(g *goroutine, clock uint64) {
	flags := Cut
	if u := g.left(len(g.stack) - 1); u != nil {
		flags = u.flag
	}
	b.end(g, clock, flags, nil)
}

// left returns the unwinding that has left the call of frame i: the first one that began above it.
// The call had no exit, and so no deferred calls in which another unwinding could have begun. left
// returns nil if there is no such unwinding. Bases never decrease along g.unwinding.
func (g *goroutine) left(i int) *unwinding {
	for j := range g.unwinding {
		if g.unwinding[j].base > i {
			return &g.unwinding[j]
		}
	}
	return nil
}

// fate reports how the call of frame i ends if it has run its deferred calls: by the latest unwinding
// that began above it. Those before have been overtaken: they leave no call further out.
func (g *goroutine) fate(i int) Flags {
	n := len(g.unwinding)
	if n == 0 || g.unwinding[n-1].base <= i {
		return 0
	}
	latest := g.unwinding[n-1]
	for n > 0 && g.unwinding[n-1].base > i {
		n--
	}
	g.unwinding = append(g.unwinding[:n], latest)
	return latest.flag
}

// settle ends the unwindings that began in a frame of this token or further in. Code runs in this
// frame, or further out, that can't run before those unwindings are over.
func (g *goroutine) settle(token uint32) {
	n := len(g.unwinding)
	for n > 0 && g.unwinding[n-1].token >= token {
		n--
	}
	g.unwinding = g.unwinding[:n]
}

// whole has a call that took long counted for another site if that is wanted.
func (b *Builder) whole(f *frame) {
	site := b.opt.Whole(f.site)
	if site == 0 {
		return
	}
	row, ok := b.table.row(site, &b.sites)
	if !ok || row == leftOut {
		return
	}
	b.rows = b.table.grow(b.rows, row)
	f.row = row
	if b.paths != nil {
		f.node = b.paths.Child(b.paths.Nodes[f.node].Parent, row)
	}
}

// enter opens a call.
func (b *Builder) enter(g *goroutine, site, row, token uint32, clock uint64, args []byte) {
	b.reach(g, site, token, clock)
	b.push(g, frame{enter: clock, frameKey: frameKey{site, token}, row: row})
	if b.opt.OnEnter == nil || row == leftOut {
		return
	}
	if b.ahead {
		if args != nil {
			if g.early == nil {
				g.early = make(map[int][]byte)
			}
			g.early[len(g.stack)-1] = bytes.Clone(args)
		}
		return
	}
	b.call = Call{Goroutine: g.ID, Site: site, Depth: g.kept - 1, Start: max(clock, b.opt.From), Began: clock, Args: args}
	b.opt.OnEnter(&b.call)
}

// tellOpen tells of the calls that are open when the window begins.
func (b *Builder) tellOpen() {
	b.ahead = false
	for _, id := range slices.Sorted(maps.Keys(b.alive)) {
		g := b.alive[id]
		depth := 0
		for i := range g.stack {
			if f := &g.stack[i]; f.row != leftOut {
				b.call = Call{Goroutine: id, Site: f.site, Depth: depth, Start: b.opt.From, Began: f.enter, Args: g.early[i]}
				b.opt.OnEnter(&b.call)
				depth++
			}
		}
		g.early = nil
	}
}

// info tells of a call of an info function, which takes no time.
func (b *Builder) info(g *goroutine, site uint32, clock uint64, args []byte) {
	row, ok := b.table.row(site, &b.sites)
	if !ok {
		b.problems.Unknown++
		return
	}
	if b.opt.OnCall == nil || row == leftOut || clock < b.opt.From || b.opt.Min > 0 {
		return
	}
	b.call = Call{Goroutine: g.ID, Site: site, Depth: g.kept, Start: clock, End: clock, Began: clock, Flags: Info, Args: args}
	b.opt.OnCall(&b.call)
}

// push puts an open call on the stack. Its slot and node are still to be found.
func (b *Builder) push(g *goroutine, f frame) {
	f.slot = notOutermost
	if f.row != leftOut {
		if g.open.full() {
			g.growOpen()
		}
		f.slot = g.open.add(f.row)
		g.kept++
		if int(f.row) >= len(b.rows) {
			b.rows = b.table.grow(b.rows, f.row)
		}
	}
	if b.paths != nil {
		f.node = g.node()
		if f.row != leftOut {
			f.node = b.paths.Child(f.node, f.row)
		}
	}
	g.stack = append(g.stack, f)
}

// node returns the node of the call tree that g is in.
func (g *goroutine) node() uint32 {
	if n := len(g.stack); n > 0 {
		return g.stack[n-1].node
	}
	return 0
}

// fails notes that the innermost call of site returns an error.
func (g *goroutine) fails(site uint32) {
	for i := len(g.stack) - 1; i >= 0; i-- {
		if g.stack[i].site == site {
			g.stack[i].flags |= Failed
			return
		}
	}
}

// begin starts an unwinding.
func (b *Builder) begin(g *goroutine, flag Flags, token uint32, clock uint64, value []byte) {
	b.unwind(g, token, clock)
	g.settle(token)
	g.unwinding = append(g.unwinding, unwinding{token, flag, len(g.stack), bytes.Clone(value)})
}

// recovered ends the panics that a recovery in the frame of the given token stops.
func (b *Builder) recovered(g *goroutine, token uint32, clock uint64) {
	b.unwind(g, token, clock)
	n := len(g.stack)
	for n > 1 && g.stack[n-1].token == token && g.stack[n-2].token == token {
		b.endUnseen(g, clock)
		n--
	}
	if n > 0 && g.stack[n-1].token == token {
		g.stack[n-1].flags |= Panicked | Recovered
		if value := g.panicFrom(token); value != nil {
			if g.recovered == nil {
				g.recovered = make(map[int][]byte)
			}
			g.recovered[n-1] = value
		}
	}
	g.settle(token)
}

// panicFrom returns the value of the panic that a recovery in the frame of the given
// token stops: of those that it ends, the latest.
func (g *goroutine) panicFrom(token uint32) []byte {
	if n := len(g.unwinding); n > 0 && g.unwinding[n-1].token >= token {
		return g.unwinding[n-1].value
	}
	return nil
}

// panicOf returns the value of the panic that frame i ends with or recovered.
func (g *goroutine) panicOf(i int, flags Flags) []byte {
	if flags&Recovered != 0 {
		return g.recovered[i]
	}
	if n := len(g.unwinding); n > 0 && flags&Panicked != 0 && g.unwinding[n-1].base > i {
		return g.unwinding[n-1].value
	}
	return nil
}

// end takes the innermost call off the stack and counts it.
func (b *Builder) end(g *goroutine, clock uint64, flags Flags, results []byte) {
	n := len(g.stack) - 1
	f := g.stack[n]
	g.stack = g.stack[:n]
	var value []byte
	if all := flags | f.flags; all&Panicked != 0 && b.opt.OnCall != nil {
		value = g.panicOf(n, all)
	}
	if g.recovered != nil {
		delete(g.recovered, n)
	}
	if g.early != nil {
		delete(g.early, n)
	}
	for i := len(g.unwinding) - 1; i >= 0 && g.unwinding[i].base > n; i-- {
		g.unwinding[i].base = n
	}
	if b.opt.Sketch != nil {
		b.sketchEnd(g, &f, n, clock, flags|f.flags)
	}
	upward, counted := f.children, false
	off := g.innermostOff(n)
	made := g.takeMade(n)
	if f.row != leftOut {
		g.kept--
		if f.slot != notOutermost {
			g.open.remove(f.slot)
		}
		start := max(f.enter, b.opt.From)
		if clock >= start && clock-start >= b.opt.Min {
			upward, counted = clock-start, true
			flags |= f.flags
			self := upward - f.children
			if b.opt.Whole != nil && upward >= b.opt.Long {
				b.whole(&f)
			}
			b.rows[f.row].add(upward, self, f.slot != notOutermost, flags)
			var offs *Offs
			if off != nil {
				offs = b.addOff(g, &f, off)
			}
			if b.paths != nil {
				b.paths.add(f.node, upward, self, flags)
			}
			if made.Objects > 0 {
				b.addMade(g, &f, made)
			}
			if flags&Cut != 0 {
				b.problems.Cut++
			}
			if flags&Failed != 0 {
				g.Errors++
			}
			g.Calls++
			g.Self += self
			if g.kept == 0 {
				g.addRoot(upward)
			}
			if b.opt.OnCall != nil {
				b.call = Call{
					Goroutine: g.ID, Site: f.site, Depth: g.kept, Start: start, End: clock, Began: f.enter, Self: self, Flags: flags,
					Recursive: f.slot == notOutermost, Results: results, Panic: value, Off: offs, Made: made,
				}
				b.opt.OnCall(&b.call)
			}
		}
	}
	if n > 0 {
		g.stack[n-1].children += upward
	}
	if off != nil {
		g.passOff(n, counted)
	}
	if made.Objects > 0 && !counted && n > 0 {
		g.madeOf(n - 1).add(made)
	}
}
