package calltree

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree/calltreetest"
	"github.com/waymark-go/waymark/internal/testing/seed"
	"github.com/waymark-go/waymark/tracefile"
)

// sketched is what a Sketch was told.
type sketched struct {
	strokes    []Stroke
	goroutines []Goroutine
	entered    map[[2]int]bool // slot, site
	events     map[int]uint64
	panics     int
}

func (s *sketched) sketch(shift uint) *Sketch {
	*s = sketched{entered: make(map[[2]int]bool), events: make(map[int]uint64)}
	return &Sketch{
		Shift: shift, Levels: 8, Slot: 100,
		OnStroke:    func(st *Stroke) { s.strokes = append(s.strokes, *st) },
		OnGoroutine: func(g *Goroutine) { s.goroutines = append(s.goroutines, *g) },
		OnEntered:   func(slot int, site uint32) { s.entered[[2]int{slot, int(site)}] = true },
		OnEvents:    func(slot int, n uint64) { s.events[slot] += n },
		OnPanic:     func(uint64, uint64) { s.panics++ },
		Again:       func() { s.sketch(shift) },
	}
}

// TestSketch compares the strokes of made-up programs, read in blocks and event by event, with all
// their calls.
func TestSketch(t *testing.T) {
	joined := 0
	for _, seed := range seed.List(40) {
		r := rand.New(rand.NewPCG(seed, 1))
		p := &program{rand: r, calm: seed%3 == 0}
		events, _ := p.run(1 + int(seed%8))
		if seed%2 == 1 { // some are lost
			events = slices.DeleteFunc(events, func(tracefile.Event) bool { return r.IntN(20) == 0 })
		}
		if seed%3 == 1 {
			events = withWaits(r, events)
		}
		recording := calltreetest.Recording{Events: events, End: events[len(events)-1].Clock, PerBlock: 1 + int(seed*seed%150)}
		file, err := recording.Open()
		if err != nil {
			t.Fatal(err)
		}
		var calls, waits []Call
		entered, counted := make(map[[2]int]bool), make(map[int]uint64)
		for _, ev := range events {
			if ev.Kind == tracefile.Enter {
				entered[[2]int{int(ev.Clock / 100), int(ev.Site)}] = true
			}
			if counts(ev.Kind) && ev.Kind != tracefile.End && ev.Goroutine != 0 {
				counted[int(ev.Clock/100)]++
			}
		}
		result, err := Read(file.Events(), Options{
			Goroutines: true,
			OnCall:     func(c *Call) { calls = append(calls, *c) },
			OnWait: func(c *Call) {
				w := *c
				wait := *c.Wait
				w.Wait = &wait
				waits = append(waits, w)
			},
		}, recording.End)
		if err != nil {
			t.Fatal(err)
		}
		shift := uint(3 + seed%5)
		for workers := range 4 {
			var s sketched
			o := Options{Sketch: s.sketch(shift)}
			name := fmt.Sprintf("seed %d, %d workers", seed, workers)
			if workers == 0 {
				_, err = Read(file.Events(), o, recording.End)
			} else {
				_, err = ReadFile(file, o, recording.End, workers, nil)
			}
			if err != nil {
				t.Fatal(err)
			}
			o.Sketch.OnStroke = nil
			checkStrokes(t, name, o.Sketch, s.strokes, calls, waits)
			if diff := gocmp.Diff(entered, s.entered); diff != "" {
				t.Errorf("%s: functions by slot (-want +got)\n%s", name, diff)
			}
			if diff := gocmp.Diff(counted, s.events); diff != "" {
				t.Errorf("%s: events by slot (-want +got)\n%s", name, diff)
			}
			slices.SortFunc(s.goroutines, func(a, b Goroutine) int { return cmp.Compare(a.ID, b.ID) })
			if diff := gocmp.Diff(result.Goroutines, s.goroutines); diff != "" {
				t.Errorf("%s: goroutines (-want +got)\n%s", name, diff)
			}
		}
		if _, err := New(Options{}).readBlocks(file, tracefile.Range{}, false, 1, func(int) {}); err == nil {
			joined++
		}
		if t.Failed() {
			return
		}
	}
	if joined < 20 {
		t.Errorf("%d of 40 files were read in blocks", joined)
	}
}

// A drawing is a call or a wait that a level has to show.
type drawing struct {
	goroutine, start, end uint64
	depth, site           uint32
	flags                 Flags
}

// checkStrokes checks that the strokes of each level are of the calls, all of them and once each.
func checkStrokes(t *testing.T, name string, s *Sketch, strokes []Stroke, calls, waits []Call) {
	t.Helper()
	// Callers of calls, as these come callees first.
	above := make([]int, len(calls))
	stacks := make(map[uint64][]int)
	for i := len(calls) - 1; i >= 0; i-- {
		c := &calls[i]
		above[i] = -1
		if c.Flags&Info != 0 {
			continue
		}
		stack := stacks[c.Goroutine]
		stack = stack[:c.Depth]
		if c.Depth > 0 {
			above[i] = stack[c.Depth-1]
		}
		stacks[c.Goroutine] = append(stack, i)
	}
	for level := range s.Levels {
		limit := s.Limit(level)
		var want, got []drawing
		type row struct {
			goroutine uint64
			depth     uint32
			waits     bool
		}
		type sum struct {
			n, busy uint64
			flags   Flags
		}
		wantSums, gotSums := make(map[row]sum), make(map[row]sum)
		add := func(m map[row]sum, r row, n, busy uint64, flags Flags) {
			x := m[r]
			m[r] = sum{x.n + n, x.busy + busy, x.flags | flags&flagsOfShorts}
		}
		for i := range calls {
			c := &calls[i]
			if c.Flags&Info != 0 {
				continue
			}
			length := c.End - c.Start
			if length >= limit {
				want = append(want, drawing{c.Goroutine, c.Start, c.End, uint32(c.Depth), c.Site, c.Flags &^ Open})
			} else if up := above[i]; up < 0 || calls[up].End-calls[up].Start >= limit {
				add(wantSums, row{c.Goroutine, uint32(c.Depth), false}, 1, length, 0)
			}
		}
		for i := range waits {
			c := &waits[i]
			if length := c.End - c.Start; length >= limit {
				want = append(want, drawing{c.Goroutine, c.Start, c.End, 1 << 31, uint32(c.Wait.Reason), c.Flags &^ Open})
			} else {
				add(wantSums, row{c.Goroutine, 0, true}, 1, length, 0)
			}
		}
		latest := make(map[row]uint64)
		for i := range strokes {
			st := &strokes[i]
			if int(st.Low) > level || int(st.High) < level {
				continue
			}
			switch st.Kind {
			case OneCall:
				got = append(got, drawing{st.Goroutine, st.Start, st.End, st.Depth, st.Site, st.Flags &^ Open})
			case OneWait:
				got = append(got, drawing{st.Goroutine, st.Start, st.End, 1 << 31, st.Site, st.Flags &^ Open})
			default:
				r := row{st.Goroutine, st.Depth, st.Kind == Waits}
				add(gotSums, r, st.Calls, st.Busy+st.Ready, 0)
				if st.End-st.Start >= 8*limit {
					t.Errorf("%s, level %d: %+v is longer than 8 times %d", name, level, *st, limit)
				}
				if st.Start < latest[r] {
					t.Errorf("%s, level %d: %+v begins before %d, the end of the one before", name, level, *st, latest[r])
				}
				latest[r] = st.End
			}
		}
		order := func(a, b drawing) int {
			return cmp.Or(cmp.Compare(a.goroutine, b.goroutine), cmp.Compare(a.start, b.start), cmp.Compare(a.depth, b.depth), cmp.Compare(a.site, b.site), cmp.Compare(a.end, b.end))
		}
		slices.SortFunc(want, order)
		slices.SortFunc(got, order)
		if !slices.Equal(want, got) {
			t.Errorf("%s, level %d: calls (-want +got)\n%s", name, level, gocmp.Diff(want, got, gocmp.AllowUnexported(drawing{})))
		}
		if diff := gocmp.Diff(wantSums, gotSums, gocmp.AllowUnexported(row{}, sum{})); diff != "" {
			t.Errorf("%s, level %d: short ones (-want +got)\n%s", name, level, diff)
		}
		if t.Failed() {
			return
		}
	}
}
