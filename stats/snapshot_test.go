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
	"github.com/waymark-go/waymark/internal/rt"
)

// In a program that plain Go has built there is nothing, and nothing breaks.
func TestNotBuilt(t *testing.T) {
	if err := Start(Options{}); !errors.Is(err, ErrNotBuilt) {
		t.Errorf("Start: %v, want %v", err, ErrNotBuilt)
	}
	Reset()
	Stop()
	if s := Take(); len(s.Functions) != 0 || len(s.Since(s).Functions) != 0 {
		t.Errorf("Take: %v", s.Functions)
	}
}

// Counters wrap, and their differences are right.
func TestSince(t *testing.T) {
	const near = math.MaxUint64 - 1
	old := sample{Sum: rt.Sum{Calls: near, Ended: near, Total: near, Inner: near, Self: near, Panics: near, Errors: near, Least: 5, Most: 29}, least: math.MaxUint64}
	now := sample{Sum: rt.Sum{Calls: 4, Ended: 3, Total: 98, Inner: 8, Self: 38, Panics: 1, Errors: 2, Least: 5, Most: 29}, open: 1, least: math.MaxUint64}
	want := rt.Sum{Calls: 6, Ended: 5, Total: 100, Inner: 10, Self: 40, Panics: 3, Errors: 4, Least: 5, Most: 29}
	if got := now.since(old); got.Sum != want || got.open != 1 {
		t.Errorf("%+v, want %+v", got, want)
	}
	n := now.since(old).in(2)
	if n.Calls != 6 || n.Total != 200 || n.Self != 80 || n.Min != 10 || n.Max != 58 || n.Avg != 36 { // 110 ticks of 6 calls
		t.Errorf("%+v", n)
	}
	if n := (sample{Sum: rt.Sum{Calls: 3, Ended: 3, Least: math.MaxUint64}, least: math.MaxUint64}).in(2); n.Min != 0 || n.Max != 0 || n.Avg != 0 {
		t.Errorf("calls that were only counted: %+v", n)
	}
}

// Where one snapshot is zero or was read from JSON nothing is subtracted, and From says so.
func TestSinceForeign(t *testing.T) {
	begin := time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)
	taken := &Snapshot{From: begin, To: begin.Add(time.Second), unit: 1, clock: 5e15, Functions: []Stat{{
		Function: Function{Name: "main.f"}, Numbers: Numbers{Calls: 7},
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
	for _, c := range []struct {
		name      string
		s, before *Snapshot
	}{{"zero", taken, new(Snapshot)}, {"read before", taken, read}, {"read", read, taken}, {"both read", read, read}} {
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
		t.Errorf("%d to %d, of %d", d.Least, d.Most, d.histogram.Count())
	}
	// A call in progress is in it; where nothing has ended it is alone.
	now.least, now.most, now.open = 5000, 7000, 2
	if n := now.since(old).in(1); n.Min != 50 || n.Max != 7000 {
		t.Errorf("%v to %v with calls in progress", n.Min, n.Max)
	}
	now.Sum, now.histogram = old.Sum, old.histogram
	now.Calls += 2
	if n := now.since(old).in(1); n.Min != 5000 || n.Max != 7000 {
		t.Errorf("%v to %v of calls in progress only", n.Min, n.Max)
	}
	// Clocks of two CPUs that differ.
	old.Total, now.Total = 100, 90
	if n := now.since(old).in(1); n.Total != 0 {
		t.Errorf("a total of %v", n.Total)
	}
}

// A clock that stands still, or goes back, as a virtual machine's may, gives no nonsense.
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
			t.Errorf("%v to %v: %g, want %g", c.from, c.to, got, c.want)
		}
	}
}

func example() *Snapshot {
	stat := func(name, pkg string, groups []string, n Numbers) Stat {
		return Stat{Function: Function{Name: pkg + "." + name, Package: pkg, File: "/src/" + name + ".go", Line: 7, Groups: groups}, Numbers: n}
	}
	from := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return &Snapshot{From: from, To: from.Add(2 * time.Second), Goroutines: 3, Functions: []Stat{
		stat("Read", "example.com/a", []string{"IO", "IORead"}, Numbers{Calls: 1000, Total: 1234567890, Self: 234567, Min: 10, Avg: 1234567, Max: 987654321,
			quantiles: &Quantiles{100, 200, 300, 400}}),
		stat("Write", "example.com/a", []string{"IO"}, Numbers{Calls: 2, Open: 1, Panics: 1, Errors: 2, Total: 3500, Self: 3000, Min: 500, Avg: 1750, Max: 3000}),
		stat("main", "example.com/b", nil, Numbers{Calls: 1, Open: 1, Total: 2 * time.Second, Self: 1, Min: 2 * time.Second, Avg: 2 * time.Second, Max: 2 * time.Second}),
	}}
}

func TestText(t *testing.T) {
	var b bytes.Buffer
	if err := example().WriteText(&b, 2); err != nil {
		t.Fatal(err)
	}
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
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
	b.Reset()
	if err := example().WriteFullText(&b, 2); err != nil || b.String() == want || !strings.Contains(b.String(), "  1000  example.com/a.Read\n") {
		t.Errorf("in full, %v:\n%s", err, b.String())
	}
	b.Reset()
	counted := &Snapshot{Functions: []Stat{{Function: Function{Name: "p.F"}, Numbers: Numbers{Calls: 7}}}}
	if counted.WriteText(&b, 0); b.String() != "All called functions:\n  Calls  Function\n  -----  --------\n      7  p.F\n" {
		t.Errorf("calls only:\n%s", b.String())
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
