package tracefile

import (
	"cmp"
	"slices"

	"github.com/waymark-go/waymark/internal/wire/format"
)

// A Gap is what the recording of a test lacks of the time in which the test ran. It is events
// that were given back because the test ran long.
type Gap struct {
	Test     uint64 // clock at which the test began
	From, To uint64 // clocks of the first and the last event
	Events   uint64 // of all goroutines

	lows map[uint64]format.Low
}

// Over reports whether a call that was open before the gap had ended in it. An event of the
// call's goroutine behind the gap shows that, at the given clock.
func (g *Gap) Over(goroutine, clock uint64, token, site uint32) bool {
	low, ok := g.lows[goroutine]
	return ok && clock > low.Clock && (token > low.Token || token == low.Token && site == low.Site)
}

// Last returns the clock of the last event of a goroutine in the gap, 0 if there was none.
func (g *Gap) Last(goroutine uint64) uint64 { return g.lows[goroutine].Clock }

// Gaps returns what the recordings of tests lack, in the order of time. The result must not be
// changed.
func (f *File) Gaps() []Gap { return f.given.list() }

// givenBack is what the index knows of events that were given back.
type givenBack struct {
	events uint64 // in all
	gaps   map[gapKey]Gap
	starts []format.Started // of goroutines, which later events need
}

// A gapKey stands for a gap that was written several times as it grew.
type gapKey struct{ test, from uint64 }

// gap takes in a Gap block which ends at the offset end, and returns where the next block begins.
func (f *File) gap(payload []byte, end int64) (next int64, err error) {
	g, err := format.ParseGap(payload)
	if err != nil {
		return 0, err
	}
	if g.Skip > uint64(f.size-end) {
		return 0, format.ErrDamaged
	}
	if g.Test == 0 {
		f.given.events = max(f.given.events, g.Events)
		return end + int64(g.Skip), nil
	}
	one := Gap{Test: g.Test, From: g.From, To: g.To, Events: g.Events, lows: make(map[uint64]format.Low, len(g.Lows))}
	for _, l := range g.Lows {
		one.lows[l.Goroutine] = l
	}
	if f.given.gaps == nil {
		f.given.gaps = make(map[gapKey]Gap)
	}
	f.given.gaps[gapKey{g.Test, g.From}] = one
	return end + int64(g.Skip), nil
}

// start takes in a Starts block.
func (b *givenBack) start(payload []byte) error {
	list, err := format.ParseStarts(payload)
	b.starts = append(b.starts, list...)
	return err
}

// each calls do for the starts of goroutines that were given back.
func (b *givenBack) each(do func(*Event)) {
	for _, s := range b.starts {
		do(&Event{Kind: Start, Clock: s.Clock, Goroutine: s.Goroutine, Value: s.Parent, Origin: s.Origin})
	}
}

// join adds what another part of the recording knows.
func (b *givenBack) join(o *givenBack) {
	b.events = max(b.events, o.events)
	b.starts = append(b.starts, o.starts...)
	for k, g := range o.gaps {
		if b.gaps == nil {
			b.gaps = make(map[gapKey]Gap)
		}
		b.gaps[k] = g
	}
}

func (b *givenBack) list() (list []Gap) {
	for _, g := range b.gaps {
		list = append(list, g)
	}
	slices.SortFunc(list, func(x, y Gap) int {
		if x.From != y.From {
			return cmp.Compare(x.From, y.From)
		}
		return cmp.Compare(x.Test, y.Test)
	})
	return list
}
