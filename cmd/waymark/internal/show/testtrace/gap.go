package testtrace

import (
	"fmt"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree"
	"github.com/waymark-go/waymark/internal/text/units"
	"github.com/waymark-go/waymark/tracefile"
)

// lacking follows what the recording lacks of a test that ran long: events that were given back while
// the test was running.
type lacking struct {
	gaps []tracefile.Gap
	next map[uint64]int // by goroutine: the first gap that it has not come to
	said int            // gaps that have been told of
}

// lacks returns what the recording lacks of a test.
func (r *Recording) lacks(t *Test) *lacking {
	return &lacking{gaps: r.gaps[t.Begin], next: make(map[uint64]int)}
}

// events returns how many there were.
func (l *lacking) events() (n uint64) {
	for _, g := range l.gaps {
		n += g.Events
	}
	return n
}

// before ends calls that ended in a gap before the event.
func (l *lacking) before(b *calltree.Builder, ev *tracefile.Event) {
	if len(l.gaps) == 0 {
		return
	}
	i := l.next[ev.Goroutine]
	for ; i < len(l.gaps) && ev.Clock > l.gaps[i].Last(ev.Goroutine); i++ {
		b.Unwind(ev.Goroutine, ev.Clock, func(token, site uint32) bool {
			return l.gaps[i].Over(ev.Goroutine, ev.Clock, token, site)
		})
	}
	l.next[ev.Goroutine] = i
}

// say returns what there is to tell of the gaps that end before the clock.
func (l *lacking) say(clock uint64) (text string) {
	n := uint64(0)
	for ; l.said < len(l.gaps) && l.gaps[l.said].To < clock; l.said++ {
		n += l.gaps[l.said].Events
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("... %s reclaimed: the test ran long ...", units.Things(n, "event"))
}
