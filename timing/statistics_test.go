package timing

import (
	"encoding/json"
	"expvar"
	"math"
	"math/rand"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/waymark-go/waymark/internal/testing/seed"
)

// measure has a timer measure durations, one after the other.
func (w *world) measure(timer *Timer, list ...time.Duration) {
	for _, d := range list {
		timer.enterAny()
		w.clock += d
		timer.exitAny()
	}
}

// What is added up is what the durations themselves give.
func TestStatistics(t *testing.T) {
	for name, draw := range map[string]func(r *rand.Rand) float64{
		"short":     func(r *rand.Rand) float64 { return float64(r.Intn(50)) },
		"uniform":   func(r *rand.Rand) float64 { return 1e6 * r.Float64() },
		"long tail": func(r *rand.Rand) float64 { return math.Exp(r.NormFloat64()*2 + 12) },
		// The deviation is a billionth of the mean: sums of floating point squares would know
		// nothing of it.
		"close together": func(r *rand.Rand) float64 { return 1e15 + 1e6*r.Float64() },
	} {
		t.Run(name, func(t *testing.T) {
			r := seed.Rand(t, 1)
			w, statistics := newWorld(), NewStatistics()
			w.AddHandler(statistics)
			timer := w.timer(t, "T")
			list := make([]time.Duration, 5000)
			var total time.Duration
			for i := range list {
				list[i] = time.Duration(draw(r))
				total += list[i]
				w.goroutine = uint64(i)
				w.measure(timer, list[i])
			}
			row, _ := statistics.Snapshot().Row("T")
			n := len(list)
			mean := float64(total) / float64(n)
			squares := 0.0
			for _, d := range list {
				squares += (float64(d) - mean) * (float64(d) - mean)
			}
			deviation := math.Sqrt(squares / float64(n))
			slices.Sort(list)
			if row.Count != uint64(n) || row.Total != total || row.Min != list[0] || row.Max != list[n-1] {
				t.Errorf("count %d, total %v, min %v, max %v; want %d, %v, %v, %v", row.Count, row.Total, row.Min, row.Max, n, total, list[0], list[n-1])
			}
			if math.Abs(float64(row.Mean)-mean) > 1 || math.Abs(float64(row.StdDev)-deviation) > 1 {
				t.Errorf("mean %v, deviation %v; want %v, %v", row.Mean, row.StdDev, time.Duration(mean), time.Duration(deviation))
			}
			for _, q := range []struct {
				share float64
				got   time.Duration
			}{{0.5, row.P50}, {0.9, row.P90}, {0.99, row.P99}, {0.999, row.P999}} {
				want := list[int(math.Ceil(q.share*float64(n)))-1]
				if math.Abs(float64(q.got-want)) > 0.016*float64(want) {
					t.Errorf("quantile %v is %v, want %v", q.share, q.got, want)
				}
			}
		})
	}
}

// A snapshot less an earlier one is what happened in between.
func TestSince(t *testing.T) {
	w, statistics := newWorld(), NewStatistics()
	w.AddHandler(statistics)
	a, b := w.timer(t, "a"), w.timer(t, "b")
	w.measure(a, 10, 1000)
	first := statistics.Snapshot()
	w.measure(a, 20, 30, 40)
	w.measure(b, 5)
	b.exitAny()
	second := statistics.Snapshot()
	w.measure(a, 7, 3000)
	third := statistics.Snapshot()
	statistics.Reset()
	w.measure(a, 50)
	fourth := statistics.Snapshot()

	type numbers struct {
		count                   uint64
		total, min, max, stddev time.Duration
		strays                  uint64
	}
	for _, tt := range []struct {
		what string
		snap *Snapshot
		name string
		want numbers
	}{
		{"the first", first, "a", numbers{2, 1010, 10, 1000, 495, 0}},
		{"then", second.Since(first), "a", numbers{3, 90, 20, 40, 8, 0}},
		{"another timer", second.Since(first), "b", numbers{1, 5, 5, 5, 0, 1}},
		{"nothing happened", third.Since(second), "b", numbers{}},
		{"new extremes", third.Since(second), "a", numbers{2, 3007, 7, 3000, 1497, 0}},
		{"itself", third.Since(third), "a", numbers{}},
		{"after a reset", fourth.Since(third), "a", numbers{1, 50, 50, 50, 0, 0}},
		{"since nothing", first.Since(nil), "a", numbers{2, 1010, 10, 1000, 495, 0}},
		{"since the empty snapshot", first.Since(&Snapshot{}), "a", numbers{2, 1010, 10, 1000, 495, 0}},
	} {
		r, _ := tt.snap.Row(tt.name)
		if got := (numbers{r.Count, r.Total, r.Min, r.Max, r.StdDev, r.Strays}); got != tt.want || r.Histogram.Count() != r.Count {
			t.Errorf("%s: got %v with %d in the histogram, want %v", tt.what, got, r.Histogram.Count(), tt.want)
		}
	}
	if _, ok := first.Row("c"); ok {
		t.Error("there is a row of a timer that does not exist, want none")
	}
	for _, tt := range []struct {
		what     string
		snap     *Snapshot
		from, to time.Time
	}{
		{"a difference", second.Since(first), first.To, second.To},
		{"after a reset", fourth.Since(third), fourth.From, fourth.To},
	} {
		if !tt.snap.From.Equal(tt.from) || !tt.snap.To.Equal(tt.to) || tt.to.Before(tt.from) {
			t.Errorf("%s is from %v to %v, want %v to %v", tt.what, tt.snap.From, tt.snap.To, tt.from, tt.to)
		}
	}
}

// Counts and sums that run over are right in differences.
func TestWrap(t *testing.T) {
	early := moments{count: math.MaxUint64, sum: math.MaxUint64 - 10, squares: [2]uint64{math.MaxUint64, math.MaxUint64 - 5}, smallest: 1, greatest: 9}
	late := early
	for _, d := range []time.Duration{3, 5} {
		late.add(d)
	}
	got := late.sub(early)
	if got.count != 2 || got.sum != 8 || got.squares != [2]uint64{0, 34} || got.mean() != 4 || got.deviation() != 1 {
		t.Errorf("got %+v, mean %v, deviation %v; want 2 with sum 8, squares 34, mean 4, deviation 1", got, got.mean(), got.deviation())
	}
	if d := (moments{count: 2, sum: 10, squares: [2]uint64{0, 1}}).deviation(); d != 0 {
		t.Errorf("deviation of what can't be is %v, want 0", d)
	}
}

const wantTable = `  Count     Total        Min        Mean      StdDev        50%       90%       99%     99.9%       Max  Open  Strays  Timer
  -----  --------  ---------  ----------  ----------  ---------  --------  --------  --------  --------  ----  ------  -----------------------
      3  2.019 ms  12.345 us  672.933 us  926.368 us  23.293 us  1.982 ms  1.982 ms  1.982 ms  1.983 ms     0       1  example.com/m/p.marshal
      0         -          -           -           -          -         -         -         -         -     1       0  open
`

func TestTable(t *testing.T) {
	w, statistics := newWorld(), NewStatistics()
	w.AddHandler(statistics)
	marshal, open := w.timer(t, "example.com/m/p.marshal"), w.timer(t, "open")
	w.measure(marshal, 12345*time.Nanosecond, 1983*time.Microsecond, 23456*time.Nanosecond)
	marshal.exitAny()
	open.enterAny()
	if got := statistics.Snapshot().String(); got != wantTable {
		t.Errorf("got\n%s\nwant\n%s", got, wantTable)
	}
	open.exitAny()
	statistics.Reset()
	if got, _, _ := strings.Cut(statistics.Snapshot().String(), "\n"); strings.Contains(got, "Open") || strings.Contains(got, "Strays") {
		t.Errorf("columns %s, want none of Open and Strays", got)
	}
}

const wantJSON = `[{"name":"T","description":"It is it.","count":2,"total_ns":300,"min_ns":100,"max_ns":200,"mean_ns":150,"stddev_ns":50,` +
	`"p50_ns":100,"p90_ns":200,"p99_ns":200,"p999_ns":200,"open":0,"exits_without_enter":1,` +
	`"histogram":[{"from_ns":100,"below_ns":102,"n":1},{"from_ns":200,"below_ns":204,"n":1}]}]`

// As JSON, and as a variable of package expvar.
func TestJSON(t *testing.T) {
	w, statistics := newWorld(), NewStatistics()
	w.AddHandler(statistics)
	timer := must(w.Timer("T", "It is it."))(t)
	timer.Enable()
	w.measure(timer, 100, 200)
	timer.exitAny()
	var variable expvar.Var = statistics
	var got struct {
		Time    time.Time       `json:"time"`
		Elapsed int64           `json:"elapsed_ns"`
		Timers  json.RawMessage `json:"timers"`
	}
	if err := json.Unmarshal([]byte(variable.String()), &got); err != nil {
		t.Fatal(err)
	}
	if string(got.Timers) != wantJSON || got.Elapsed <= 0 || time.Since(got.Time) > time.Minute {
		t.Errorf("got %s at %v after %d ns\nwant %s", got.Timers, got.Time, got.Elapsed, wantJSON)
	}
	if text := NewStatistics().String(); !strings.Contains(text, `"timers":[]`) {
		t.Errorf("nothing is %s, want an empty list of timers", text)
	}
}

// What is read back is the same, also to those who want differences.
func TestReadBack(t *testing.T) {
	w, statistics := newWorld(), NewStatistics()
	w.AddHandler(statistics)
	timer := w.timer(t, "T")
	statistics.Reset()
	w.measure(timer, 5, 70, 3e9)
	early := readBack(t, statistics.Snapshot())
	w.measure(timer, 4, 1e6, 7e6, 7e6)
	late := statistics.Snapshot()
	again := readBack(t, late)
	if got, want := mustJSON(t, again), mustJSON(t, late); got != want {
		t.Errorf("read back %s, want %s", got, want)
	}
	want, _ := late.Since(early).Row("T")
	got, _ := again.Since(early).Row("T")
	if got.Count != 4 || got.Total != want.Total || got.Min != 4 || got.Max != want.Max || got.P50 != want.P50 || got.Histogram.Count() != 4 {
		t.Errorf("the difference of what was read is %+v, want %+v", got, want)
	}
	if d := math.Abs(float64(got.StdDev - want.StdDev)); d > 0.01*float64(want.StdDev) {
		t.Errorf("the deviation is %v, want %v", got.StdDev, want.StdDev)
	}
}

func mustJSON(t *testing.T, s *Snapshot) string {
	t.Helper()
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func readBack(t *testing.T, s *Snapshot) *Snapshot {
	t.Helper()
	out := new(Snapshot)
	if err := json.Unmarshal([]byte(mustJSON(t, s)), out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestSeveralSets(t *testing.T) {
	statistics := NewStatistics()
	for i := 0; i < 2; i++ {
		w := newWorld()
		w.AddHandler(statistics)
		w.measure(w.timer(t, "T"), 10, 30)
	}
	if rows := statistics.Snapshot().Timers; len(rows) != 1 || rows[0].Count != 4 || rows[0].Total != 80 || rows[0].Histogram.Count() != 4 {
		t.Errorf("got %+v, want one row with count 4 and total 80 ns", rows)
	}
}
