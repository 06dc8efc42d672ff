package histogram

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/waymark-go/waymark/internal/testing/seed"
)

// Each duration is in its class, classes touch each other, and none is wider than 1/32 of what is
// in it.
func TestClasses(t *testing.T) {
	end := uint64(0)
	last := classOf(math.MaxUint64)
	for class := 0; class <= last; class++ {
		from, width := bounds(class)
		if from != end {
			t.Fatalf("class %d begins at %d, want %d, where the class before ends", class, from, end)
		}
		if classOf(from) != class || classOf(from+width-1) != class {
			t.Fatalf("class %d is from %d, %d wide: the classes of its bounds are %d and %d, want %[1]d", class, from, width, classOf(from), classOf(from+width-1))
		}
		if width > 1 && width*line > from {
			t.Fatalf("class %d is from %d, %d wide, want %d at most", class, from, width, from/line)
		}
		end = from + width
	}
	if end != 0 {
		t.Errorf("the last class ends %d before the last number, want 0", -end)
	}
	for _, c := range [][3]time.Duration{{-1, 0, 1}, {63, 63, 64}, {65, 64, 66}, {1000, 992, 1008}, {math.MaxInt64, 9079256848778919936, math.MaxInt64}} {
		if from, below := Class(c[0]); from != c[1] || below != c[2] {
			t.Errorf("%d is counted from %d below %d, want from %d below %d", c[0], from, below, c[1], c[2])
		}
	}
	if last>>lineShift >= lines {
		t.Errorf("class %d is in line %d, want below %d", last, last>>lineShift, lines)
	}
}

// Quantiles are near those of the durations themselves.
func TestQuantile(t *testing.T) {
	for name, draw := range map[string]func(r *rand.Rand) float64{
		"uniform":     func(r *rand.Rand) float64 { return r.Float64() * 1e6 },
		"exponential": func(r *rand.Rand) float64 { return r.ExpFloat64() * 1e4 },
		"log-normal":  func(r *rand.Rand) float64 { return math.Exp(r.NormFloat64()*3 + 10) },
		"two peaks":   func(r *rand.Rand) float64 { return []float64{150, 4e9}[r.Intn(2)] * (1 + r.Float64()/100) },
		"short":       func(r *rand.Rand) float64 { return float64(r.Intn(64)) },
		"one":         func(*rand.Rand) float64 { return 12345 },
		"very long":   func(r *rand.Rand) float64 { return math.MaxInt64 * (1 - r.Float64()/1000) },
	} {
		t.Run(name, func(t *testing.T) {
			r := seed.Rand(t, 1)
			var c Counter
			list := make([]time.Duration, 20000)
			for i := range list {
				list[i] = time.Duration(draw(r))
				c.Add(list[i])
			}
			slices.Sort(list)
			h := c.Histogram()
			if h.Count() != uint64(len(list)) {
				t.Errorf("%d counted, want %d", h.Count(), len(list))
			}
			for _, q := range []float64{0, 0.001, 0.5, 0.9, 0.99, 0.999, 1} {
				want := list[max(int(math.Ceil(q*float64(len(list))))-1, 0)]
				got := h.Quantile(q)
				if off := math.Abs(float64(got-want)) / max(float64(want), 1); off > 1.0/63 {
					t.Errorf("quantile %v is %v, want %v: off by %.2f %%", q, got, want, 100*off)
				}
			}
		})
	}
}

func TestEmpty(t *testing.T) {
	var h Histogram
	if h.Count() != 0 || h.Quantile(0.5) != 0 {
		t.Errorf("none: count %d, median %v; want 0, 0", h.Count(), h.Quantile(0.5))
	}
	h.Each(func(from, below time.Duration, n uint64) {
		t.Errorf("a class with %d from %v below %v, want none", n, from, below)
	})
	if text, err := json.Marshal(h); string(text) != "[]" || err != nil {
		t.Errorf("as JSON %s, %v; want [], no error", text, err)
	}
}

func TestCombine(t *testing.T) {
	var a, b Counter
	for i := time.Duration(0); i < 1000; i++ {
		a.Add(i * i)
		if i%3 == 0 {
			b.Add(i * i)
		}
	}
	b.Add(-1) // counts as 0
	before, later := a.Histogram(), Counter{}
	a.AddTo(&later)
	b.AddTo(&later)
	if got, want := later.Histogram(), before.Merge(b.Histogram()); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("merged %v, added %v", want, got)
	}
	if got, want := later.Histogram().Sub(before), b.Histogram(); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("subtracted %v, want %v", got, want)
	}
	later.Reset()
	if n := later.Histogram().Count(); n != 0 {
		t.Errorf("%d after Reset, want 0", n)
	}
	// A count that runs over.
	early, late := Histogram{classes: []class{{7, math.MaxUint64 - 1}}}, Histogram{classes: []class{{7, 3}}}
	if n := late.Sub(early).Count(); n != 5 {
		t.Errorf("%d more, want 5", n)
	}
}

// What was counted in ticks has the same distribution in ns, as exact as it is in ticks.
func TestTicks(t *testing.T) {
	const ns = 0.4 // in a tick
	var c Counter
	for d := time.Duration(1); d < 1<<40; d += d/7 + 1 {
		c.Add(d)
	}
	want := c.Histogram()
	got := OfTicks(ns, func(add func(from, width uint64, counts [line]uint64)) {
		for i, l := range c.lines {
			if l != nil {
				from, width := bounds(i << lineShift)
				add(from, width, *l)
			}
		}
	})
	if got.Count() != want.Count() {
		t.Fatalf("%d, want %d", got.Count(), want.Count())
	}
	for q := 0.0; q <= 1; q += 0.01 {
		if ticks, scaled := float64(want.Quantile(q)), float64(got.Quantile(q)); math.Abs(scaled-ticks*ns) > 1 {
			t.Errorf("quantile %g is %g ns, want %g", q, scaled, ticks*ns)
		}
	}
	if n := got.Sub(got).Count(); n != 0 {
		t.Errorf("%d are left of the difference to itself, want 0", n)
	}
	if a, b := got.Merge(got).Quantile(0.5), got.Quantile(0.5); a != b {
		t.Errorf("the median of twice the same is %v, want %v", a, b)
	}
}

func TestJSON(t *testing.T) {
	var c Counter
	for _, d := range []time.Duration{0, 63, 64, 65, math.MaxInt64} {
		c.Add(d)
	}
	const want = `[{"from_ns":0,"below_ns":1,"n":1},{"from_ns":63,"below_ns":64,"n":1},{"from_ns":64,"below_ns":66,"n":2},` +
		`{"from_ns":9079256848778919936,"below_ns":9223372036854775807,"n":1}]`
	if text, err := json.Marshal(c.Histogram()); string(text) != want || err != nil {
		t.Errorf("got %s, %v; want %s, no error", text, err, want)
	}
	for d := time.Duration(1); d < 1<<62; d += d/7 + 1 {
		c.Add(d)
	}
	h, again := c.Histogram(), Histogram{}
	text, _ := json.Marshal(h)
	if err := json.Unmarshal(text, &again); err != nil || !reflect.DeepEqual(again, h) {
		t.Errorf("read back %v, %v, want %v", again, err, h)
	}
	// Counted in ticks of 0.3 ns, of which several classes are one of ns.
	ticks := h.In(0.3)
	text, _ = json.Marshal(ticks)
	if err := json.Unmarshal(text, &again); err != nil || again.Count() != h.Count() {
		t.Errorf("read back %d, %v; want %d, no error", again.Count(), err, h.Count())
	}
	for q := 0.0; q <= 1; q += 0.1 {
		if got, want := float64(again.Quantile(q)), float64(ticks.Quantile(q)); math.Abs(got-want) > 1+want/32 {
			t.Errorf("quantile %g is %g ns, want %g", q, got, want)
		}
	}
	for _, text := range []string{`{}`, `[{"from_ns":-1,"below_ns":1,"n":1}]`, `[{"from_ns":5,"below_ns":4,"n":1}]`, `[{"from_ns":5,"below_ns":6,"n":1},{"from_ns":3,"below_ns":4,"n":1}]`} {
		if err := json.Unmarshal([]byte(text), &again); err == nil {
			t.Errorf("%s is read as %v, want an error", text, again)
		}
	}
}
