package format

// An outline is what is left of a block's records without the calls that begin and end in the
// block: what a reader needs to know which calls are open behind the block. See doc.go.

// An Outliner makes outlines of chunks. The zero value is ready to use; it keeps nothing from one
// chunk to the next.
type Outliner struct {
	// Of the calls that are open: the words of their enters, and which records these are. Elements
	// behind n are of calls that have ended.
	stack []uint64
	at    []int32
	n     int

	kept   []uint64 // a set of records
	errors []failure
	alone  bool   // nothing of the goroutine is kept yet
	run    int    // the record from which on the goroutine runs that does now; -1 if it is kept
	span   bool   // there is a call in the span, see enter
	first  uint64 // the word of its first enter

	goroutine uint64 // that runs
	starts    []GoroutineStart
	recs      []Record
	out       []Record
}

// An Outline is what an Outliner makes of a chunk. Its slices are valid until the next one is made.
type Outline struct {
	Records []Record
	Last    uint64 // the greatest clock of an event, that of the chunk if there is none

	// Whole reports whether Records and Starts are all. If not, the chunk has events that only a
	// reader who knows the stack can judge: panics, say, and calls that ended without an exit.
	Whole  bool
	Starts []GoroutineStart
}

// A failure is an Error record of a call, which may have ended since. Depths increase.
type failure struct{ depth, record int }

// Outline returns the outline of the chunk h with its records.
func (o *Outliner) Outline(h Chunk, recs []Record) Outline {
	o.reset(h, recs)
	last := h.Clock
	stack, at, n := o.stack, o.at, 0
	for i := 0; i < len(recs); i++ {
		if n > 0 {
			// Whether it is an enter or an exit can't be predicted, so there is no branch for it.
			word := recs[i].Word &^ ExitBit
			exit := recs[i].Word >> ExitShift
			top := stack[n-1]
			other := word ^ top
			other = (other | -other) >> 63                               // 1 if it isn't the innermost call's
			deeper := (uint64(uint32(top)) - uint64(uint32(word))) >> 63 // 1 if the token is greater
			plain := exit&^other | deeper&^exit                          // 1 if it is as mostly
			if plain == 1 && uint32(word>>SiteShift)-1 < FirstCode-1 {
				last = max(last, recs[i].Clock)
				stack[n], at[n] = word, int32(i) // of no use if it is an exit, but not in the way
				n += 1 - 2*int(exit)
				if n == 0 && o.keeps(int(at[0])) {
					o.keep(i)
				}
				continue
			}
		}
		o.n = n
		end, ok := o.record(i)
		if !ok {
			return Outline{Last: max(last, lastClock(recs[i:]))}
		}
		last = max(last, recs[i].Clock)
		i, n = end, o.n
	}
	o.n = n
	o.leave()
	return Outline{Records: o.list(), Last: last, Whole: true, Starts: o.starts}
}

func (o *Outliner) reset(h Chunk, recs []Record) {
	if len(o.stack) <= len(recs) {
		o.stack, o.at = make([]uint64, len(recs)+1), make([]int32, len(recs)+1)
		o.kept = make([]uint64, len(recs)/64+1)
	}
	clear(o.kept)
	o.recs, o.n, o.run, o.span, o.errors = recs, 0, -1, false, o.errors[:0]
	o.goroutine, o.starts, o.alone = h.Goroutine, o.starts[:0], true
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

// leave keeps the enters of the calls that are open, and forgets the calls: another goroutine runs,
// or the chunk ends.
func (o *Outliner) leave() {
	for _, i := range o.at[:o.n] {
		o.keep(int(i))
	}
	for _, f := range o.errors {
		if f.depth <= o.n && f.record > int(o.at[f.depth-1]) { // else the call has ended
			o.keep(f.record)
		}
	}
	o.n, o.span, o.errors = 0, false, o.errors[:0]
}

// record looks at record i, and returns the last of the records that belong to it.
func (o *Outliner) record(i int) (last int, ok bool) {
	r := o.recs[i]
	switch code := r.code(); {
	case code == codeCall && r.Word&ExitBit != 0:
		if o.n > 0 {
			return i, false // calls above it are over, of which nothing else tells
		}
		o.keep(i)
		o.span = false
	case code == codeCall:
		return i, o.enter(i)
	case code == CodeGo:
		o.leave()
		o.run, o.alone, o.goroutine = i, true, r.Word&ValueMask
	case code == CodeEnd:
		o.leave()
		o.keep(i)
	case code == CodeStart:
		if o.n > 0 {
			return i, false
		}
		o.keep(i)
		o.span = false
		start := GoroutineStart{Clock: r.Clock, Goroutine: o.goroutine, Parent: r.Word & ValueMask}
		if i+1 < len(o.recs) && o.recs[i+1].code() == CodeOrigin {
			i++
			o.keep(i)
			start.Origin = uint32(o.recs[i].Word & ValueMask)
		}
		o.starts = append(o.starts, start)
	case code == CodeError:
		return i, o.fails(i)
	case code == CodeInfo:
		if o.alone {
			o.keep(i) // it shows that the goroutine is there
		}
	case code == CodeValues, code == CodeInts, code == CodeLong:
		return min(i+r.valueRecords(), len(o.recs)-1), true
	case code == codeNone, code == CodeOrigin:
	default: // panic, recover, goexit
		return i, false
	}
	return i, true
}

// enter looks at the enter i, unless it is deeper than the call that is open.
//
// Where no call is open that began in the block, the enter may show that calls from before are
// over. What the first enter of a span has not shown a later one of the span may, if its token is
// smaller; then a new span begins. The first call of a span is kept, with its exit.
func (o *Outliner) enter(i int) bool {
	word := o.recs[i].Word
	token := uint32(word)
	// The compiler has inlined the function if the frame is that of the call which is open. Another
	// call of the function that has the frame is over then.
	for j := o.n - 1; j >= 0 && token <= uint32(o.stack[j]); j-- {
		if token < uint32(o.stack[j]) || word == o.stack[j] {
			return false
		}
		if j == 0 {
			o.leave() // it may be a call from before
			break
		}
	}
	if o.n == 0 && (!o.span || token < uint32(o.first) || token == uint32(o.first) && word != o.first) {
		o.span, o.first = true, word
		o.keep(i)
	}
	o.stack[o.n], o.at[o.n] = word, int32(i)
	o.n++
	return true
}

// fails looks at the Error record i, whose call's exit follows, here or in a later block.
func (o *Outliner) fails(i int) bool {
	if o.n == 0 {
		o.keep(i)
		o.span = false
		return true
	}
	for n := len(o.errors); n > 0 && o.errors[n-1].depth >= o.n; n-- {
		o.errors = o.errors[:n-1] // of a call that has ended, or of the same one
	}
	o.errors = append(o.errors, failure{o.n, i})
	return uint32(o.stack[o.n-1]>>SiteShift) == uint32(o.recs[i].Word)&SiteMask
}

// list returns the records that are kept.
func (o *Outliner) list() []Record {
	o.out = o.out[:0]
	for i := range o.recs {
		if o.keeps(i) {
			o.out = append(o.out, o.recs[i])
		}
	}
	return o.out
}
