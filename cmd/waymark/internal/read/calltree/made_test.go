package calltree

import (
	"math/rand/v2"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree/calltreetest"
	"github.com/waymark-go/waymark/internal/wire/format"
	"github.com/waymark-go/waymark/tracefile"
)

// withObjects has goroutines make objects before some of their events.
func withObjects(r *rand.Rand, events []tracefile.Event) []tracefile.Event {
	out := make([]tracefile.Event, 0, 2*len(events))
	for _, ev := range events {
		if r.IntN(3) == 0 && ev.Kind != tracefile.Start && ev.Kind != tracefile.Go {
			n := 1 + r.Uint64N(100)
			out = append(out, tracefile.Event{
				Kind: tracefile.Made, Clock: ev.Clock, Goroutine: ev.Goroutine, Stream: ev.Stream, Value: n, Data: format.AppendMade(nil, n, 16*n),
			})
		}
		out = append(out, ev)
	}
	return out
}

// Objects are the innermost call's; those of calls that are left out are their caller's, and those
// outside of calls nobody's.
func TestMade(t *testing.T) {
	// B is called twice by A and once by C, which a panic ends. A calls itself.
	events, err := calltreetest.Events("*7,70 A10 *1,16 B20 *2,32 b20 *4,64 B20 *8,128 b20 A30 *16,256 a30 *32,512 a10 *64,99 C10 *128,2048 B20 *256,1 !20 .")
	if err != nil {
		t.Fatal(err)
	}
	type sums map[uint32]uint64 // objects by function
	for _, tt := range []struct {
		name string
		opt  Options
		want sums
	}{
		{"all", Options{}, sums{1: 1 + 4 + 16 + 32, 2: 2 + 8 + 256, 3: 128}},
		{"without B", Options{Keep: func(site uint32) bool { return site != 2 }}, sums{1: 1 + 4 + 16 + 32 + 2 + 8, 3: 128 + 256}},
		{"of 10 ticks", Options{Min: 10}, sums{1: 1 + 2 + 4 + 8 + 16 + 32}},
		{"from the fifth tick on", Options{From: 5}, sums{1: 4 + 16 + 32, 2: 2 + 8 + 256, 3: 128}},
	} {
		tt.opt.Tree, tt.opt.Goroutines = true, true
		told := make(sums)
		tt.opt.OnCall = func(c *Call) { told[c.Site] += c.Made.Objects }
		b := New(tt.opt)
		for i := range events {
			b.Add(&events[i])
		}
		result := b.Close(0)
		rows, nodes, sum := make(sums), make(sums), uint64(0)
		for _, row := range result.Rows {
			rows[row.Key] += row.Made.Objects
		}
		for _, n := range result.Tree {
			nodes[n.Key] += n.Made.Objects
		}
		for site, want := range tt.want {
			sum += want
			if rows[site] != want || nodes[site] != want || told[site] != want {
				t.Errorf("%s: function %d has made %d, in the tree %d, told %d; want %d", tt.name, site, rows[site], nodes[site], told[site], want)
			}
		}
		if got := result.Goroutines[0].Made.Objects; got != sum {
			t.Errorf("%s: the goroutine has made %d; want %d", tt.name, got, sum)
		}
	}
}
