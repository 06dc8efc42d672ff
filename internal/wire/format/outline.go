package format

import "math/bits"

// An outline is what is left of a block's records without the calls that begin and end in the
// block. From it a reader knows which calls are open behind the block. See doc.go.

// An Outliner makes outlines of chunks while an Encoder encodes them. The zero value is ready to
// use; it keeps nothing from one chunk to the next.
type Outliner struct {
	at     []int32  // the encoder's
	kept   []uint64 // a set of records
	errors []failure
	broken bool // there is no outline

	alone bool              // nothing of the goroutine that runs is kept yet
	run   int               // the record from which on it runs; -1 if it is kept
	span  bool              // there is a call in the span, see enter
	least uint32            // the token of the span's calls that are kept
	sites []uint32          // their functions, but for those that find no room
	roots [rootsKnown]frame // of the span: outermost calls that would tell nothing new; see contextOf

	goroutine uint64 // that runs
	starts    []GoroutineStart
	recs      []Record
	out       []Record
}

// An Outline is what an Outliner makes of a chunk. Its slices are valid until the next one is made.
type Outline struct {
	Records []Record

	// Whole reports whether Records and Starts are all. If not, the chunk has events that only a
	// reader who knows the stack can judge: panics, say, and calls that ended without an exit.
	Whole  bool
	Starts []GoroutineStart
}

// A failure is an Error record of a call, which may have ended since. Depths increase.
type failure struct{ depth, record int }

// spanSites is how many functions an Outliner remembers.
const spanSites = 16

// rootsKnown is how many calls an Outliner remembers, so that the Encoder need not ask about each.
const rootsKnown = 16

var noRoots [rootsKnown]frame

// begin begins the outline of the chunk h. at tells with which record a call in the encoder's stack
// began, by depth.
func (o *Outliner) begin(h Chunk, recs []Record, at []int32) {
	if len(o.kept) <= len(recs)/64 {
		o.kept = make([]uint64, len(recs)/64+1)
		o.sites = make([]uint32, 0, spanSites)
	}
	clear(o.kept)
	*o = Outliner{
		at: at, kept: o.kept, sites: o.sites[:0], errors: o.errors[:0], starts: o.starts[:0], out: o.out[:0],
		alone: true, run: -1, goroutine: h.Goroutine, recs: recs,
	}
}

// Outline returns the outline of the chunk that was encoded last.
func (o *Outliner) Outline() Outline {
	if o.broken {
		return Outline{}
	}
	for i, set := range o.kept {
		for ; set != 0; set &= set - 1 {
			o.out = append(o.out, o.recs[64*i+bits.TrailingZeros64(set)])
		}
	}
	return Outline{Records: o.out, Whole: true, Starts: o.starts}
}

func (o *Outliner) keeps(i int) bool { return o.kept[i/64]>>(i%64)&1 != 0 }

// keep keeps record i, and the one that says which goroutine runs.
func (o *Outliner) keep(i int) {
	o.kept[i/64] |= 1 << (i % 64)
	o.alone = false
	if o.run >= 0 {
		o.kept[o.run/64] |= 1 << (o.run % 64)
		o.run = -1
	}
}

// keepAll keeps the record i, of code Long, Waited, Late or Made, and those that belong to it.
func (o *Outliner) keepAll(i int) {
	n := o.recs[i].valueRecords()
	if i+n >= len(o.recs) {
		return // a kill has cut it off
	}
	for ; n >= 0; n-- {
		o.keep(i + n)
	}
}

// leave keeps the enters of the calls that are open: another goroutine runs, or the chunk ends. It
// keeps the goroutine's last event, too: the first and the last one show whether the goroutine was
// on another stream in between.
func (o *Outliner) leave(last int, stack []frame) {
	for _, i := range o.at[1:len(stack)] {
		o.keep(int(i))
	}
	if last >= 0 && !o.keeps(last) {
		switch r := o.recs[last]; {
		case r.code() == CodeGo: // and no event of the goroutine
		case r.code() == CodeLong || r.code() == CodeWaited || r.code() == CodeLate || r.code() == CodeMade:
			o.keepAll(last)
		case r.isCall() && r.Word&ExitBit != 0:
			o.keep(last)
			o.keep(int(o.at[len(stack)]))
		default:
			o.keep(last)
		}
	}
	for _, f := range o.errors {
		if f.depth <= len(stack) && f.record > int(o.at[f.depth-1]) { // else the call has ended
			o.keep(f.record)
		}
	}
	o.span, o.errors = false, o.errors[:0]
}

// enter looks at the enter i of the call f.
//
// Where no call is open that began in the block, the enter may show that calls from before are
// over. These are those with greater tokens, and one of the same function with the same token. A
// later enter of a span may show what earlier ones have not shown. Its token is then smaller, or
// the same and that of another function. Such calls are kept, with their exits.
func (o *Outliner) enter(i int, stack []frame, f frame) {
	// A call with the same token has the same frame: the compiler has inlined one into the other.
	// Nothing is inlined into itself.
	for n := len(stack); n > 1 && f.token() <= stack[n-1].token(); n-- {
		if f.token() < stack[n-1].token() || f == stack[n-1] {
			o.broken = true // calls are over of which nothing else tells
		}
	}
	if len(stack) == 1 && o.tells(f) {
		o.keep(i)
	}
}

// tells reports whether an outermost call tells something new.
func (o *Outliner) tells(f frame) bool {
	known := &o.roots[contextOf(f.site(), 0)%rootsKnown]
	if o.span && f.token() > o.least {
		*known = f
		return false
	}
	if !o.span {
		o.roots = [rootsKnown]frame{}
	}
	if !o.span || f.token() < o.least {
		o.span, o.least, o.sites = true, f.token(), o.sites[:0]
	}
	for _, site := range o.sites {
		if site == f.site() {
			*known = f
			return false
		}
	}
	if len(o.sites) < cap(o.sites) {
		o.sites = append(o.sites, f.site())
		*known = f
	}
	return true
}

// exit looks at the exit i of the outermost call in the stack.
func (o *Outliner) exit(i int) {
	if o.keeps(int(o.at[1])) {
		o.keep(i)
	}
}

// exitOther looks at the exit i of a call that isn't the innermost one of the stack.
func (o *Outliner) exitOther(i int, stack []frame) {
	o.broken = o.broken || len(stack) > 1 // calls above it are over, of which nothing else tells
	o.keep(i)
	o.span = false
}

// other looks at the record i, which is none of a call.
func (o *Outliner) other(i, before int, stack []frame) {
	r := o.recs[i]
	switch r.code() {
	case CodeGo:
		o.leave(before, stack)
		o.run, o.alone, o.goroutine = i, true, r.Word&ValueMask
	case CodeEnd:
		o.leave(before, stack)
		o.keep(i)
	case CodeStart:
		o.broken = o.broken || len(stack) > 1
		o.keep(i)
		o.span = false
		start := GoroutineStart{Clock: r.Clock, Goroutine: o.goroutine, Parent: r.Word & ValueMask}
		if i+1 < len(o.recs) && o.recs[i+1].code() == CodeOrigin {
			o.keep(i + 1)
			start.Origin = uint32(o.recs[i+1].Word & ValueMask)
		}
		o.starts = append(o.starts, start)
	case CodeError:
		o.fails(i, stack)
	case CodeInfo, CodeParked:
		if o.alone {
			o.keep(i)
		}
	case CodeWaited, CodeLate, CodeMade:
		if o.alone {
			o.keepAll(i)
		}
	case CodeLong:
		if n := len(stack); n == 1 {
			o.keepAll(i) // it may show, too, that calls from before are over
		} else if uint32(r.Word) < stack[n-1].token() {
			o.broken = true
		}
	default: // panic, recover, goexit
		o.broken = true
	}
}

// fails looks at the Error record i, whose call's exit follows, here or in a later block.
func (o *Outliner) fails(i int, stack []frame) {
	if len(stack) == 1 {
		o.keep(i)
		o.span = false
		return
	}
	for n := len(o.errors); n > 0 && o.errors[n-1].depth >= len(stack); n-- {
		o.errors = o.errors[:n-1] // of a call that has ended, or of the same one
	}
	o.errors = append(o.errors, failure{len(stack), i})
	if stack[len(stack)-1].site() != uint32(o.recs[i].Word)&SiteMask {
		o.broken = true
	}
}
