package stats

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/waymark-go/waymark/histogram"
	"github.com/waymark-go/waymark/internal/program/rt"
)

// In a program that plain Go has built there is nothing, and nothing breaks.
func TestNotBuilt(t *testing.T) {
	g, err := Start(Options{})
	if !errors.Is(err, ErrNotBuilt) {
		t.Errorf("Start: %v, want %v", err, ErrNotBuilt)
	}
	g.Reset()
	g.Stop()
	if s := g.Snapshot(); len(s.Functions) != 0 || len(s.Since(s).Functions) != 0 {
		t.Errorf("Snapshot has functions %v, and since then %v; want none", s.Functions, s.Since(s).Functions)
	}
}

// Counters wrap, and their differences are right.
func TestSince(t *testing.T) {
	const near = math.MaxUint64 - 1
	old := sample{Sum: rt.Sum{Calls: near, Ended: near, Total: near, Inner: near, Self: near, Panics: near, Errors: near, Least: 5, Most: 29}, least: math.MaxUint64}
	now := sample{Sum: rt.Sum{Calls: 4, Ended: 3, Total: 98, Inner: 8, Self: 38, Panics: 1, Errors: 2, Least: 5, Most: 29}, open: 1, least: math.MaxUint64}
	want := rt.Sum{Calls: 6, Ended: 5, Total: 100, Inner: 10, Self: 40, Panics: 3, Errors: 4, Least: 5, Most: 29}
	if got := now.since(old); got.Sum != want || got.open != 1 {
		t.Errorf("got %+v with %d open, want %+v with 1", got.Sum, got.open, want)
	}
	numbers := Numbers{ // 110 ticks of 6 calls
		Calls: 6, Open: 1, Panics: 3, Errors: 4, Total: 200, Self: 80, Min: 10, Max: 58, Mean: 36,
		Histogram: histogram.Histogram{}.In(2),
	}
	if n := now.since(old).in(2); !reflect.DeepEqual(n, numbers) {
		t.Errorf("got %+v, want %+v", n, numbers)
	}
	counted := sample{Sum: rt.Sum{Calls: 3, Ended: 3, Least: math.MaxUint64}, least: math.MaxUint64}
	if n, want := counted.in(2), (Numbers{Calls: 3}); !reflect.DeepEqual(n, want) {
		t.Errorf("calls that were only counted: got %+v, want %+v", n, want)
	}
}

// Where one snapshot is empty, was read from JSON, or is of before a Reset, nothing is subtracted,
// and From says so.
func TestSinceForeign(t *testing.T) {
	begin := time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)
	taken := &Snapshot{From: begin, To: begin.Add(time.Second), unit: 1, clock: 5e15, Functions: []Stat{{
		Func: Func{Name: "main.f"}, Numbers: Numbers{Calls: 7},
		site: 1, sample: sample{Sum: rt.Sum{Calls: 7}},
	}}}
	b, err := json.Marshal(taken)
	if err != nil {
		t.Fatal(err)
	}
	read := new(Snapshot)
	if err := json.Unmarshal(b, read); err != nil {
		t.Fatal(err)
	}
	reset := *taken
	reset.epoch++
	for _, c := range []struct {
		name      string
		s, before *Snapshot
	}{
		{"nil", taken, nil}, {"empty", taken, new(Snapshot)}, {"reset", &reset, taken},
		{"read before", taken, read}, {"read", read, taken}, {"both read", read, read},
	} {
		d := c.s.Since(c.before)
		if !d.From.Equal(begin) || !d.To.Equal(taken.To) || len(d.Functions) != 1 || d.Functions[0].Calls != 7 {
			t.Errorf("%s: %v to %v, %+v; want 7 calls from %v to %v", c.name, d.From, d.To, d.Functions, begin, taken.To)
		}
	}
}

// The shortest and the longest call of a difference are those of its distribution.
func TestSinceExtremes(t *testing.T) {
	count := func(list ...time.Duration) histogram.Histogram {
		var c histogram.Counter
		for _, d := range list {
			c.Add(d)
		}
		return c.Histogram()
	}
	old := sample{Sum: rt.Sum{Calls: 2, Ended: 2, Least: 1, Most: 1e9}, histogram: count(1, 1e9)}
	now := sample{Sum: rt.Sum{Calls: 4, Ended: 4, Least: 1, Most: 1e9}, histogram: count(1, 1e9, 50, 1000)}
	d := now.since(old)
	if d.Least != 50 || math.Abs(float64(d.Most)-1000) > 16 || d.histogram.Count() != 2 {
		t.Errorf("%d to %d ticks of %d calls, want 50 to 1000 of 2", d.Least, d.Most, d.histogram.Count())
	}
	// A call in progress is in it; where nothing has ended it is alone.
	now.least, now.most, now.open = 5000, 7000, 2
	if n := now.since(old).in(1); n.Min != 50 || n.Max != 7000 {
		t.Errorf("%v to %v with calls in progress, want 50 ns to 7 us", n.Min, n.Max)
	}
	now.Sum, now.histogram = old.Sum, old.histogram
	now.Calls += 2
	if n := now.since(old).in(1); n.Min != 5000 || n.Max != 7000 {
		t.Errorf("%v to %v of calls in progress only, want 5 to 7 us", n.Min, n.Max)
	}
	// Clocks of two CPUs that differ.
	old.Total, now.Total = 100, 90
	if n := now.since(old).in(1); n.Total != 0 {
		t.Errorf("a total of %v, want 0", n.Total)
	}
}

// A clock that stands still or goes back, as in a virtual machine, has a tick of 1 ns.
func TestNsPerTick(t *testing.T) {
	at := func(clock uint64, mono int64) instant { return instant{clock: clock, mono: mono} }
	for _, c := range []struct {
		from, to instant
		want     float64
	}{
		{at(100, 1000), at(300, 1100), 0.5},
		{at(100, 1000), at(100, 1100), 1},
		{at(100, 1000), at(50, 1100), 1},
	} {
		if got := nsPerTick(c.from, c.to); got != c.want {
			t.Errorf("%v to %v: %g ns per tick, want %g", c.from, c.to, got, c.want)
		}
	}
}

func example() *Snapshot {
	stat := func(name, pkg string, groups []string, n Numbers) Stat {
		return Stat{Func: Func{Name: pkg + "." + name, Package: pkg, File: "/src/" + name + ".go", Line: 7, Groups: groups}, Numbers: n}
	}
	from := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return &Snapshot{From: from, To: from.Add(2 * time.Second), Goroutines: 3, Functions: []Stat{
		stat("Read", "example.com/a", []string{"IO", "IORead"}, Numbers{Calls: 1000, Total: 1234567890, Self: 234567, Min: 10, Mean: 1234567, Max: 987654321,
			quantiles: &Quantiles{P50: 100, P90: 200, P99: 300, P999: 400}}),
		stat("Write", "example.com/a", []string{"IO"}, Numbers{Calls: 2, Open: 1, Panics: 1, Errors: 2, Total: 3500, Self: 3000, Min: 500, Mean: 1750, Max: 3000}),
		stat("main", "example.com/b", nil, Numbers{Calls: 1, Open: 1, Total: 2 * time.Second, Self: 1, Min: 2 * time.Second, Mean: 2 * time.Second, Max: 2 * time.Second}),
	}}
}

func TestText(t *testing.T) {
	const want = `Top 2 time consuming functions:
  Total time   Self time  Calls    Min       Avg         Max     p50     p90     p99   p99.9  Panics  Errors  Function
  ----------  ----------  -----  -----  --------  ----------  ------  ------  ------  ------  ------  ------  -------------
    2.000 s         1 ns      1   open      open        open       -       -       -       -       -       -  b.main (open)
    1.235 s   234.567 us   1000  10 ns  1.235 ms  987.654 ms  100 ns  200 ns  300 ns  400 ns       -       -  a.Read

Top 2 called functions:
  Calls  Function
  -----  --------
   1000  a.Read
      2  a.Write
`
	var b bytes.Buffer
	n, err := Text{Snapshot: example(), Top: 2}.WriteTo(&b)
	if b.String() != want || n != int64(len(want)) || err != nil {
		t.Errorf("got %d bytes, %v\n%s\nwant %d\n%s", n, err, b.String(), len(want), want)
	}
	b.Reset()
	n, err = Text{Snapshot: example(), Top: 2, FullNames: true}.WriteTo(&b)
	if line := "  1000  example.com/a.Read\n"; !strings.Contains(b.String(), line) || n != int64(b.Len()) || err != nil {
		t.Errorf("in full: %d bytes, %v, of\n%s\nwant a line %q", n, err, b.String(), line)
	}
	counted := &Snapshot{Functions: []Stat{{Func: Func{Name: "p.F"}, Numbers: Numbers{Calls: 7}}}}
	const calls = "All called functions:\n  Calls  Function\n  -----  --------\n      7  p.F\n"
	if counted.String() != calls {
		t.Errorf("calls only: got\n%s\nwant\n%s", counted, calls)
	}
}

// Quantiles are those of the histogram, and of what was read those that JSON has.
func TestQuantiles(t *testing.T) {
	var c histogram.Counter
	for d := time.Duration(1); d <= 1000; d++ {
		c.Add(d * time.Microsecond)
	}
	distributed := Numbers{Calls: 1000, Min: time.Microsecond, Max: time.Millisecond, Histogram: c.Histogram()}
	read := Numbers{Calls: 1000, Max: time.Millisecond, quantiles: distributed.Quantiles()}
	for _, q := range []struct {
		q    float64
		want time.Duration // of the distribution, exact to 1.6 %
		read time.Duration // with JSON's next higher quantile
	}{{-1, 1, 500}, {0, 1, 500}, {0.5, 500, 500}, {0.6, 600, 900}, {0.95, 950, 990}, {0.995, 995, 999}, {1, 1000, 1000}, {2, 1000, 1000}} {
		for name, c := range map[string]struct {
			n    Numbers
			want time.Duration
		}{"taken": {distributed, q.want}, "read": {read, q.read}} {
			want := c.want * time.Microsecond
			if got := c.n.Quantile(q.q); math.Abs(float64(got-want)) > 0.016*float64(want) {
				t.Errorf("%s: quantile %g is %v, want %v", name, q.q, got, want)
			}
		}
	}
	if none := (Numbers{Calls: 1, Max: 5}); none.Quantile(0.5) != 0 || none.Quantiles() != nil {
		t.Errorf("without distribution: %v, %v; want 0, nil", none.Quantile(0.5), none.Quantiles())
	}
}

func TestJSON(t *testing.T) {
	b, err := json.Marshal(example())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`{"from":"2026-01-02T03:04:05Z","to":"2026-01-02T03:04:07Z","duration_ns":2000000000,"goroutines":3,"functions":[{"name":"example.com/a.Read",` +
			`"package":"example.com/a","file":"/src/Read.go","line":7,"groups":["IO","IORead"],"calls":1000,"open":0,"panics":0,"errors":0,"total_ns":1234567890,` +
			`"self_ns":234567,"min_ns":10,"max_ns":987654321,"avg_ns":1234567,"p50_ns":100,"p90_ns":200,"p99_ns":300,"p999_ns":400},`,
		`"calls":2,"open":1,"panics":1,`,
	} {
		if !strings.Contains(string(b), want) {
			t.Errorf("no %s in\n%s", want, b)
		}
	}
	var back Snapshot
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(&back, example()) {
		t.Errorf("read again:\n%+v, want\n%+v", back, example())
	}
}

func TestSums(t *testing.T) {
	want := []Sum{{"example.com/a", 1002, 1, 1, 2, 237567}, {"example.com/b", 1, 1, 0, 0, 1}}
	if got := example().Packages(); !reflect.DeepEqual(got, want) {
		t.Errorf("by package %v, want %v", got, want)
	}
	want = []Sum{{"IO", 1002, 1, 1, 2, 237567}, {"IORead", 1000, 0, 0, 0, 234567}}
	if got := example().Groups(); !reflect.DeepEqual(got, want) {
		t.Errorf("by group %v, want %v", got, want)
	}
}
