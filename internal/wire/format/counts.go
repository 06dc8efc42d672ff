package format

import "encoding/binary"

// Levels of a site: how much of its calls a recording gets.
const (
	LevelFull     = 0 // enters, exits and values
	LevelUnvalued = 1 // enters and exits
	LevelCounted  = 2 // the number of calls, and an event Long for each that took long
	LevelOnly     = 3 // the number of calls
	LevelSampled  = 4 // samples: the number of calls is estimated
)

// A Count says which level a site has from some clock on. Calls is how many of its calls were
// counted instead of recorded since the site's previous Count.
type Count struct {
	Site  uint32
	Level uint8
	Calls uint64 // estimated, if the level until then was LevelSampled
	Guess Guess  // what is known of those that are estimated
}

// A Guess is what is known of calls that nobody counted, since the site's previous Count.
type Guess struct {
	Windows uint64 // in which calls were counted
	Root    uint64 // of the sum of squares of the calls that each window stands for
	Most    uint64 // calls, if there were as many all the time as there ever were while they were counted
}

// withGuess in the byte of a level says that a Guess follows the calls.
const withGuess = 0x80

// AppendCounts appends the payload of a Counts block. clock is when the counters were read.
func AppendCounts(dst []byte, clock uint64, counts []Count) []byte {
	dst = binary.AppendUvarint(dst, clock)
	dst = binary.AppendUvarint(dst, uint64(len(counts)))
	for _, c := range counts {
		dst = binary.AppendUvarint(dst, uint64(c.Site))
		if c.Guess == (Guess{}) {
			dst = append(dst, c.Level)
			dst = binary.AppendUvarint(dst, c.Calls)
			continue
		}
		dst = append(dst, c.Level|withGuess)
		for _, n := range []uint64{c.Calls, c.Guess.Windows, c.Guess.Root, c.Guess.Most} {
			dst = binary.AppendUvarint(dst, n)
		}
	}
	return dst
}

// ParseCounts reads the payload of a Counts block.
func ParseCounts(payload []byte) (clock uint64, counts []Count, err error) {
	c := cursor{b: payload}
	clock = c.uvarint()
	counts = make([]Count, 0, c.count(3))
	for i := cap(counts); i > 0 && c.err == nil; i-- {
		site := c.uvarint()
		if site-1 >= FirstCode-1 {
			c.fail("bad site of a count")
		}
		one := Count{Site: uint32(site), Level: c.byte(), Calls: c.uvarint()}
		if one.Level&withGuess != 0 {
			one.Level &^= withGuess
			one.Guess = Guess{c.uvarint(), c.uvarint(), c.uvarint()}
		}
		counts = append(counts, one)
	}
	return clock, counts, c.err
}
