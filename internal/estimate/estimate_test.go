package estimate

import (
	"math"
	"math/rand"
	"testing"

	"github.com/waymark-go/waymark/internal/testing/seed"
)

// near reports whether two values differ by at most a share of the second one.
func near(got, want, share float64) bool { return math.Abs(got-want) <= share*math.Abs(want) }

// A main function calls f, which was counted 900 times and sampled 100 times, 10 ticks each.
func TestCaller(t *testing.T) {
	nodes := []Node{{Parent: -1, Key: 1, Calls: 1, Self: 11_000}}
	for g := uint32(1); g <= 5; g++ {
		nodes = append(nodes, Node{Parent: 0, Key: 2, Group: g, Calls: 20, Self: 200, Total: 200, Errors: 4})
	}
	r := Of(nodes, map[uint32]uint64{2: 900}, Options{})
	f, caller := r.Rows[2], r.Rows[1]
	if f.Self.Value != 10_000 || f.Total.Value != 10_000 || f.Sum.Value != 10_000 || f.Errors.Value != 200 || !f.Known {
		t.Errorf("f: %+v; want 10000 ticks, 200 errors", f)
	}
	if caller.Self.Value != -9000 || !caller.Less {
		t.Errorf("caller: %+v; want 9000 ticks less", caller)
	}
	if f.Self.Low > 10_000 || f.Self.Low < 7_000 || f.Self.High < 10_000 || f.Self.High > 13_000 {
		t.Errorf("self between %v and %v, want around 10000", f.Self.Low, f.Self.High)
	}
	if len(r.Paths) != 2 || r.Paths[0].Self != 2000 || r.Paths[1].Self != 10_000 || r.Paths[1].Calls != 1000 || !r.Paths[0].About || !r.Paths[1].About {
		t.Errorf("paths %+v; want 2000 and 10000 ticks, 1000 calls", r.Paths)
	}
}

// Callees can't take more than their caller had.
func TestFit(t *testing.T) {
	nodes := []Node{{Parent: -1, Key: 1, Calls: 1, Self: 500}, {Parent: 0, Key: 2, Group: 1, Calls: 10, Self: 100, Total: 100}}
	r := Of(nodes, map[uint32]uint64{2: 990}, Options{})
	if self := r.Rows[2].Self.Value; self != 600 || r.Rows[1].Self.Value != -500 {
		t.Errorf("self %v and %v; want 600, and 500 less", self, r.Rows[1].Self.Value)
	}
	if r.Paths[0].Self != 0 || r.Paths[1].Self != 600 {
		t.Errorf("paths %+v; want 0 and 600", r.Paths)
	}
}

// Where counters were not read, the callers of samples are estimated all the same.
func TestUnread(t *testing.T) {
	nodes := []Node{{Parent: -1, Key: 1, Calls: 1, Self: 500}, {Parent: 0, Key: 2, Group: 1, Calls: 10, Self: 100, Total: 100}}
	r := Of(nodes, map[uint32]uint64{2: 0}, Options{})
	if !r.Rows[1].Less || !r.Paths[0].About || r.Paths[0].Self != 500 {
		t.Errorf("row %+v, path %+v; want 500 ticks, about", r.Rows[1], r.Paths[0])
	}
}

// Nothing is known of a function without samples.
func TestUnknown(t *testing.T) {
	r := Of([]Node{{Parent: -1, Key: 1, Calls: 1, Self: 500}}, map[uint32]uint64{2: 990}, Options{})
	if r.Rows[2].Known || r.Rows[2].Self.Value != 0 {
		t.Errorf("%+v; want nothing to be known", r.Rows[2])
	}
}

// Calls that were recorded before take the place of samples, within what their callers had.
func TestPlaces(t *testing.T) {
	nodes := []Node{
		{Parent: -1, Key: 1, Calls: 1, Self: 11_000, Total: 12_500},
		{Parent: 0, Key: 2, Calls: 100, Self: 1000, Total: 1500, Errors: 50},
		{Parent: 1, Key: 3, Calls: 100, Self: 500, Total: 500},
	}
	r := Of(nodes, map[uint32]uint64{2: 900, 3: 200}, Options{})
	f, g, caller := r.Rows[2], r.Rows[3], r.Rows[1]
	if !f.Known || f.Self != (Value{9000, 0, 18_000}) || f.Sum.Value != 10_000 || f.Total != (Value{10_000, 0, 20_000}) || f.Errors.Value != 450 || g.Self != (Value{1000, 0, 2000}) {
		t.Errorf("%+v and %+v; want 9000, 10000 with callees, and 1000 ticks more", f, g)
	}
	if caller.Self != (Value{-10_000, -20_000, 0}) || !caller.Less {
		t.Errorf("caller: %+v; want 10000 less", caller)
	}
	if p := r.Paths; len(p) != 3 || p[0].Self != 1000 || p[1].Self != 10_000 || p[1].Calls != 1000 || p[2].Self != 1500 || p[2].Calls != 300 || !p[0].About || !p[2].About {
		t.Errorf("paths %+v; want 1000, 10000 and 1500 ticks", p)
	}
	nodes[0].Self = 5000
	if r = Of(nodes, map[uint32]uint64{2: 900, 3: 200}, Options{}); r.Paths[0].Self != 0 || r.Paths[1].Self != 1000+4500 || r.Paths[1].Calls != 1000 {
		t.Errorf("paths %+v; want 0 and 5500 ticks", r.Paths)
	}
}

// A function that calls itself: its total is that of outermost calls. Of calls of which only the length is known
// the function's own share is moved from the caller.
func TestRecursionAndLong(t *testing.T) {
	nodes := []Node{
		{Parent: -1, Key: 1, Calls: 1, Self: 10_000},
		{Parent: 0, Key: 2, Group: 1, Calls: 10, Self: 100, Total: 150},
		{Parent: 1, Key: 2, Group: 1, Calls: 10, Self: 50, Total: 50},
		{Parent: 0, Key: 2, Calls: 2, Long: 3000, Total: 3000},
	}
	r := Of(nodes, map[uint32]uint64{2: 180}, Options{})
	f := r.Rows[2]
	// In windows 150 ticks of f's own are in 200 with callees, counted at each level.
	if f.Total.Value != 1500 || f.Sum.Value != 2000 || !near(f.Self.Value, 1500+3000*0.75, 1e-9) {
		t.Errorf("total %v, sum %v, self %v; want 1500, 2000, 3750", f.Total.Value, f.Sum.Value, f.Self.Value)
	}
	if less := r.Rows[1].Self.Value; !near(less, -1350-2250, 1e-9) {
		t.Errorf("caller's self: %v; want 3600 less", less)
	}
}

// TestIntervals checks that intervals hold the truth in 95 of 100 functions whose calls take random times, in
// programs whose phases differ. Windows have 1 % of the calls.
func TestIntervals(t *testing.T) {
	random := rand.New(rand.NewSource(int64(seed.List(1)[0])))
	within, all := 0, 0
	for program := 0; program < 300; program++ {
		truth := 0.0
		nodes := []Node{{Parent: -1, Key: 1, Calls: 1, Self: 0}}
		for g := uint32(1); g <= Groups; g++ {
			nodes = append(nodes, Node{Parent: 0, Key: 2, Group: g})
		}
		shape := 1 + random.Intn(3)
		counted, window := uint64(0), 0
		for phase := 0; phase < 4; phase++ {
			length := 20 + 200*random.Float64()
			for i := 0; i < 100; i++ {
				in := random.Intn(10) == 0
				window++
				for k := 0; k < 30; k++ {
					took := length * math.Pow(random.ExpFloat64(), float64(shape))
					truth += took
					if !in {
						counted++
						nodes[0].Self += took
						continue
					}
					n := &nodes[1+window%Groups]
					n.Calls++
					n.Self += took
					n.Total += took
				}
			}
		}
		r := Of(nodes, map[uint32]uint64{2: counted}, Options{})
		self := r.Rows[2].Self
		all++
		if self.Low <= truth && truth <= self.High {
			within++
		}
	}
	if share := float64(within) / float64(all); share < 0.92 {
		t.Errorf("%.3f of the intervals hold the truth, want 0.95", share)
	} else {
		t.Logf("%.3f of the intervals hold the truth", share)
	}
}
