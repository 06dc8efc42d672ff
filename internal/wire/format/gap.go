package format

import "encoding/binary"

// A Gap says what has been given back of a recording of tests. These are events that nobody will
// look at, as the tests passed which ran meanwhile. Or they are of the middle of a test that ran
// long.
//
// A Gap with a Skip is where the events were. One with a Test says what that test lacks; of several
// with the same Test and From the last counts.
type Gap struct {
	Skip     uint64 // bytes behind the block that hold nothing
	Test     uint64 // clock at which the test began; 0: of no test
	From, To uint64 // clocks of the first and the last event
	Events   uint64
	Lows     []Low // of goroutines that events were of
}

// A Low is how far a goroutine unwound its stack in a Gap. Calls with greater tokens that were open
// before are over, and those of Site with this token.
type Low struct {
	Goroutine uint64
	Clock     uint64 // of the goroutine's last event in the Gap
	Token     uint32
	Site      uint32 // 0: none
}

// GapSize is the size of a block for a Gap that has a Skip and nothing else, bytes.
const GapSize = BlockHeader + 8 + 5

// AppendGap appends the payload of a Gap block. Skip has a fixed size: it changes in place.
func AppendGap(dst []byte, g Gap) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, g.Skip)
	for _, v := range [...]uint64{g.Test, g.From, g.To, g.Events, uint64(len(g.Lows))} {
		dst = binary.AppendUvarint(dst, v)
	}
	for _, l := range g.Lows {
		dst = binary.AppendUvarint(dst, l.Goroutine)
		dst = binary.AppendUvarint(dst, l.Clock)
		dst = binary.AppendUvarint(dst, uint64(l.Token))
		dst = binary.AppendUvarint(dst, uint64(l.Site))
	}
	return dst
}

// ParseGap reads the payload of a Gap block.
func ParseGap(payload []byte) (Gap, error) {
	c := cursor{b: payload}
	g := Gap{Skip: c.u64(), Test: c.uvarint(), From: c.uvarint(), To: c.uvarint(), Events: c.uvarint()}
	if n := c.count(4); n > 0 {
		g.Lows = make([]Low, 0, n)
	}
	for i := cap(g.Lows); i > 0 && c.err == nil; i-- {
		g.Lows = append(g.Lows, Low{c.uvarint(), c.uvarint(), uint32(c.uvarint()), uint32(c.uvarint())})
	}
	return g, c.err
}

// A Started is the start of a goroutine whose event was given back.
type Started struct {
	Goroutine, Parent, Clock uint64
	Origin                   uint32
}

// AppendStarts appends the payload of a Starts block.
func AppendStarts(dst []byte, list []Started) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(list)))
	for _, s := range list {
		for _, v := range [...]uint64{s.Clock, s.Goroutine, s.Parent, uint64(s.Origin)} {
			dst = binary.AppendUvarint(dst, v)
		}
	}
	return dst
}

// ParseStarts reads the payload of a Starts block.
func ParseStarts(payload []byte) ([]Started, error) {
	c := cursor{b: payload}
	list := make([]Started, 0, c.count(4))
	for i := cap(list); i > 0 && c.err == nil; i-- {
		s := Started{Clock: c.uvarint(), Goroutine: c.uvarint(), Parent: c.uvarint()}
		s.Origin = uint32(c.uvarint())
		list = append(list, s)
	}
	return list, c.err
}

// A Summary is what is worth knowing of a chunk whose events are given back.
type Summary struct {
	From, To uint64 // clocks of the first and the last event; 0 without events
	Starts   []Started
	Ended    []uint64 // goroutines
	Lows     []Low
}

// recentLows is how many entries of Summary.Lows are looked at for one of the same goroutine.
const recentLows = 8

// Take makes s the summary of chunk h with its records. It uses the slices of s again.
func (s *Summary) Take(h Chunk, recs []Record) {
	*s = Summary{Starts: s.Starts[:0], Ended: s.Ended[:0], Lows: s.Lows[:0]}
	goroutine, low := h.Goroutine, Low{Token: ^uint32(0)}
	last := uint64(0)
	settle := func() {
		if low.Token != ^uint32(0) && goroutine != 0 {
			low.Goroutine, low.Clock = goroutine, last
			s.low(low)
		}
		low = Low{Token: ^uint32(0)}
	}
	s.From = ^uint64(0)
	for i := 0; i < len(recs); i++ {
		r := recs[i]
		if r.isCall() {
			last = r.Clock
			s.From, s.To = min(s.From, last), max(s.To, last)
			if token := uint32(r.Word); token < low.Token || token == low.Token && low.Site == 0 {
				low.Token, low.Site = token, uint32(r.Word>>SiteShift)&SiteMask
			}
			continue
		}
		value := r.Word & ValueMask
		switch r.code() {
		case codeNone, CodeOrigin:
			continue
		case CodeValues, CodeInts:
			i += r.valueRecords()
			continue
		case CodeGo:
			settle()
			goroutine = value
		case CodeStart:
			one := Started{Goroutine: goroutine, Parent: value, Clock: r.Clock}
			if i+1 < len(recs) && recs[i+1].code() == CodeOrigin {
				one.Origin = uint32(recs[i+1].Word & ValueMask)
			}
			s.Starts = append(s.Starts, one)
		case CodeEnd:
			s.Ended = append(s.Ended, goroutine)
		case CodePanic, CodeRecover, CodeGoexit:
			if token := uint32(value); token < low.Token {
				low.Token, low.Site, last = token, 0, r.Clock
			}
		case CodeLong, CodeWaited, CodeLate, CodeMade:
			i += r.valueRecords()
		}
		s.From, s.To = min(s.From, r.Clock), max(s.To, r.Clock)
	}
	settle()
	if s.To == 0 {
		s.From = 0
	}
}

// low notes how far a goroutine has unwound.
func (s *Summary) low(low Low) {
	for i := len(s.Lows) - 1; i >= max(len(s.Lows)-recentLows, 0); i-- {
		if s.Lows[i].Goroutine == low.Goroutine {
			s.Lows[i] = s.Lows[i].Lower(low)
			return
		}
	}
	s.Lows = append(s.Lows, low)
}

// Lower returns how far l and o, which are of one goroutine, have unwound together.
func (l Low) Lower(o Low) Low {
	clock := max(l.Clock, o.Clock)
	if o.Token < l.Token || o.Token == l.Token && l.Site == 0 {
		l = o
	}
	l.Clock = clock
	return l
}
