package format

// A Tally says what an Encoder has seen of a site's calls, samples too.
type Tally struct {
	Calls      uint64 // enters
	Closed     uint64 // exits whose enters are in the same chunk, with no other goroutine in between
	Ticks      uint64 // how long the Closed calls took, together
	Valued     uint64 // enters and exits with values, if these aren't integers alone
	ValueBytes uint64 // of their values, in the arena without padding
	Ints       uint64 // integers that are the values of others
}

// Bounds of Encoder.Tallies: damaged memory may hold any id.
const (
	minTallies = 64
	maxTallies = 1 << SampleShift
)

// openCalls holds the enters in a chunk that have no exit yet: the one at depth d is at d modulo
// the length. So an enter takes the place of one far out, whose exit then finds another enter than
// its own.
type openCalls [256]Record

// unwind returns the depth up to which the calls have tokens no greater than token: others are
// gone.
func (o *openCalls) unwind(depth uint, token uint32) uint {
	for depth > 0 && uint32(o[(depth-1)%uint(len(o))].Word) > token {
		depth--
	}
	return depth
}

// exit returns the depth without the enter of the exit r and those above it, and that enter; nil if
// there is none.
func (o *openCalls) exit(depth uint, r Record) (uint, *Record) {
	depth = o.unwind(depth, uint32(r.Word))
	for d := depth; d > 0; d-- {
		enter := &o[(d-1)%uint(len(o))]
		if enter.Word == r.Word&^ExitBit {
			return d - 1, enter
		}
		if uint32(enter.Word) != uint32(r.Word) {
			break
		}
	}
	return depth, nil
}

// calls adds the first of recs to the tallies, which have site 1 at first: enters, and the exits of
// innermost calls. It returns their number, and the depth after them. It calls no function, so that
// all it needs stays in registers.
func (o *openCalls) calls(recs []Record, tallies []Tally, depth uint) (int, uint) {
	for i := range recs {
		r := &recs[i]
		word := r.Word
		site := uint(word>>SiteShift)&SiteMask - 1
		if site >= uint(len(tallies)) {
			return i, depth
		}
		t := &tallies[site]
		if word&ExitBit == 0 {
			o[depth%uint(len(o))] = *r
			depth++
			t.Calls++
			continue
		}
		enter := &o[(depth-1)%uint(len(o))]
		if depth == 0 || enter.Word != word&^ExitBit {
			return i, depth
		}
		depth--
		t.close(r.Clock - enter.Clock)
	}
	return len(recs), depth
}

// close counts the end of a call.
func (t *Tally) close(ticks uint64) {
	t.Closed++
	t.Ticks += ticks &^ uint64(int64(ticks)>>63) // the counters of CPUs may disagree: not below 0
}

// values counts the values that r, with the records behind it, holds.
func (t *Tally) values(r Record, rest []Record) {
	if r.code() == CodeInts {
		t.Ints += min(r.Word&(1<<intsBits-1), 2*uint64(len(rest)))
		return
	}
	t.Valued++
	t.ValueBytes += min(r.Word&ValueMask, uint64(len(rest))*RecordSize)
}

// tally adds what recs say of calls to the tallies. It is a loop of its own because the one that
// encodes has no register to spare.
func (e *Encoder) tally(recs []Record) {
	if len(e.Tallies) == 0 {
		e.grow(0)
	}
	depth := uint(0)
	free := 0 // the first record that isn't part of values
	for i := 0; ; i++ {
		n, d := e.open.calls(recs[i:], e.Tallies[1:], depth)
		depth = d
		if i += n; i == len(recs) {
			return
		}
		switch r := recs[i]; r.code() {
		case codeCall:
			site := uint32(r.Word>>SiteShift) & SiteMask
			sample := site >= 1<<SampleShift && site>>SampleShift <= SampleGroups
			if sample {
				site &= 1<<SampleShift - 1
			}
			if int(site) >= len(e.Tallies) && site < maxTallies {
				e.grow(int(site))
				i-- // once more
				continue
			}
			if r.Word&ExitBit != 0 {
				var enter *Record
				if depth, enter = e.open.exit(depth, r); enter != nil {
					e.Tallies[site].close(r.Clock - enter.Clock)
				}
			} else if sample && int(site) < len(e.Tallies) {
				e.open[depth%uint(len(e.open))] = r
				depth++
				e.Tallies[site].Calls++
			}
			continue
		case CodeGo, CodeEnd:
			depth = 0
		case CodeRecover:
			depth = e.open.unwind(depth, uint32(r.Word))
		case CodeValues, CodeInts:
			if i > free && recs[i-1].isCall() {
				if site := uint(recs[i-1].Word>>SiteShift) & SiteMask; site < uint(len(e.Tallies)) {
					e.Tallies[site].values(r, recs[i+1:])
				}
			}
			i += r.valueRecords()
			free = i + 1
		case CodeLong, CodeWaited, CodeLate, CodeMade:
			i += r.valueRecords()
			free = i + 1
		}
		if i >= len(recs) {
			return // what belongs to it was cut off
		}
	}
}

// grow makes room for the tally of site.
//
//go:noinline
func (e *Encoder) grow(site int) {
	more := make([]Tally, min(max(2*len(e.Tallies), site+1, minTallies), maxTallies))
	copy(more, e.Tallies)
	e.Tallies = more
}
