package format

import (
	"bytes"
	"math/rand"
	"reflect"
	"testing"

	"github.com/waymark-go/waymark/internal/testing/seed"
)

// tallyOf counts the calls in a chunk, one by one: the naive counterpart of Encoder.Tallies.
func tallyOf(h Chunk, recs []Record, tallies map[uint32]Tally) {
	type call struct {
		site, token uint32
		clock       uint64
	}
	var open []call
	inner := make(map[int]bool) // records that belong to another one
	for _, ev := range meaning(h, recs) {
		base := ev.Site
		if base>>SampleShift > 0 && base>>SampleShift <= SampleGroups {
			base &= 1<<SampleShift - 1
		}
		if base >= maxTallies {
			continue
		}
		t := tallies[base]
		switch ev.Kind {
		case Enter:
			open = append(open, call{ev.Site, ev.Token, ev.Clock})
			t.Calls++
		case Exit:
			for len(open) > 0 && open[len(open)-1].token > ev.Token {
				open = open[:len(open)-1]
			}
			for i := len(open) - 1; i >= 0 && open[i].token == ev.Token; i-- {
				if open[i].site == ev.Site {
					t.Closed++
					t.Ticks += uint64(max(int64(ev.Clock-open[i].clock), 0))
					open = open[:i]
					break
				}
			}
		case Recover:
			for len(open) > 0 && open[len(open)-1].token > ev.Token {
				open = open[:len(open)-1]
			}
		case Go, End:
			open = nil
		}
		if t != (Tally{}) {
			tallies[base] = t
		}
	}
	// Values need not be encoded to be counted: of records of values, all that belong to a call.
	for i := 0; i < len(recs); i++ {
		value := recs[i].Word & ValueMask
		records, size, ints, valued := 0, uint64(0), uint64(0), uint64(0)
		switch recs[i].Word >> CodeShift {
		case 0x7F00 | CodeLong, 0x7F00 | CodeWaited, 0x7F00 | CodeMade:
			records = 1
		case 0x7F00 | CodeLate:
			records = 2
		case 0x7F00 | CodeInts:
			records, ints = int(value&7+1)/2, value&7
		case 0x7F00 | CodeValues:
			records, size, valued = int(value+RecordSize-1)/RecordSize, value, 1
		}
		if site := uint32(recs[max(i-1, 0)].Word>>SiteShift) & SiteMask; i > 0 && valued+ints > 0 && !inner[i-1] && site < FirstCode {
			t := tallies[site]
			t.Valued, t.ValueBytes, t.Ints = t.Valued+valued, t.ValueBytes+size, t.Ints+ints
			tallies[site] = t
		}
		for ; records > 0; records-- {
			i++
			inner[i] = true
		}
	}
}

// TestTallies compares the tallies of random programs with naive ones, and checks that counting
// changes no byte.
func TestTallies(t *testing.T) {
	for _, seed := range seed.List(200) {
		p := newProgram(rand.New(rand.NewSource(int64(seed))).Intn)
		enc := Encoder{Tallies: []Tally{}}
		want := make(map[uint32]Tally)
		var closed uint64
		for i := 0; i < 4; i++ { // the calls of one chunk return in the next
			h := Chunk{Clock: p.clock, Goroutine: p.goroutine}
			p.recs = p.recs[:0]
			for len(p.recs) < 500 {
				p.step()
			}
			tallyOf(h, p.recs, want)
			delete(want, FirstCode-1) // no program has so many sites
			payload, _ := enc.Append(nil, h, p.recs)
			var plain Encoder
			if without, _ := plain.Append(nil, h, p.recs); !bytes.Equal(payload, without) {
				t.Fatalf("seed %d: another block with tallies", seed)
			}
			if plain.Tallies != nil {
				t.Fatalf("seed %d: tallies that nobody wanted", seed)
			}
		}
		got := make(map[uint32]Tally)
		for site, tally := range enc.Tallies {
			if tally != (Tally{}) {
				got[uint32(site)] = tally
			}
			closed += tally.Closed
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d: %v, want %v", seed, got, want)
		}
		if closed == 0 {
			t.Errorf("seed %d: no call was closed", seed)
		}
	}
}

// TestTalliesDeep checks what becomes of calls that are nested more deeply than the encoder looks:
// the outermost are not closed.
func TestTalliesDeep(t *testing.T) {
	const depth = 1000
	var recs []Record
	call := func(i int) uint64 { return uint64(1+i%2)<<SiteShift | uint64(48*(i+1)) }
	for i := 0; i < depth; i++ {
		recs = append(recs, Record{uint64(1000 + i), call(i)})
	}
	for i := depth - 1; i >= 0; i-- {
		recs = append(recs, Record{uint64(1000 + 2*depth - i), ExitBit | call(i)})
	}
	enc := Encoder{Tallies: []Tally{}}
	payload, _ := enc.Append(nil, Chunk{Clock: 1000}, recs)
	closed := enc.Tallies[1].Closed + enc.Tallies[2].Closed
	if want := uint64(len(enc.open)); closed != want {
		t.Errorf("%d calls closed, want %d", closed, want)
	}
	for i, tally := range enc.Tallies[1:3] {
		if tally.Calls != depth/2 || tally.Ticks > tally.Closed*2*depth {
			t.Errorf("site %d: %+v of %d calls", i+1, tally, depth/2)
		}
	}
	if events, err := readBy(payload, 64); len(events) != 2*depth || err != nil {
		t.Errorf("%d events, %v", len(events), err)
	}
}

// TestTalliesGrow checks that tallies grow to the sites that appear, and not to ids that only
// damage makes. The caller may reset or replace tallies.
func TestTalliesGrow(t *testing.T) {
	enc := Encoder{Tallies: []Tally{}}
	call := func(site uint64) []Record {
		return []Record{{10, site<<SiteShift | 48}, {15, ExitBit | site<<SiteShift | 48}}
	}
	for _, site := range []uint64{1, 63, 64, 1000, maxTallies - 1, (SampleGroups + 1) << SampleShift, FirstCode - 1} {
		enc.Append(nil, Chunk{Clock: 1}, call(site))
		if site >= maxTallies {
			if len(enc.Tallies) > maxTallies {
				t.Errorf("%d tallies after site %d", len(enc.Tallies), site)
			}
			continue
		}
		if want := (Tally{Calls: 1, Closed: 1, Ticks: 5}); enc.Tallies[site] != want {
			t.Errorf("site %d: %+v, want %+v", site, enc.Tallies[site], want)
		}
	}
	enc.Append(nil, Chunk{Clock: 1}, call(1000|3<<SampleShift))
	if want := (Tally{Calls: 2, Closed: 2, Ticks: 10}); enc.Tallies[1000] != want {
		t.Errorf("with a sample: %+v, want %+v", enc.Tallies[1000], want)
	}
	clear(enc.Tallies)
	enc.Append(nil, Chunk{Clock: 1}, call(1000))
	if want := (Tally{Calls: 1, Closed: 1, Ticks: 5}); enc.Tallies[1000] != want || enc.Tallies[1] != (Tally{}) {
		t.Errorf("cleared: %+v, want %+v", enc.Tallies[1000], want)
	}
	enc.Tallies = nil
	enc.Append(nil, Chunk{Clock: 1}, call(1))
	if enc.Tallies != nil {
		t.Errorf("%d tallies that nobody wants", len(enc.Tallies))
	}
	// A call that began while nobody wanted tallies, in this chunk or another, is not closed.
	enc.Tallies = []Tally{}
	enc.Append(nil, Chunk{Clock: 1}, call(3)[1:])
	if len(enc.Tallies) > 3 && enc.Tallies[3] != (Tally{}) {
		t.Errorf("half a call: %+v", enc.Tallies[3])
	}
}
