package timing

import (
	"math"
	"math/rand"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/waymark-go/waymark/internal/testing/seed"
)

// An exit of an info function ends the goroutine's own latest enter, else the oldest one of others.
func TestMatching(t *testing.T) {
	type step struct {
		at        time.Duration
		goroutine uint64
		what      string // of timer T, or with a star of timer U
	}
	for _, tt := range []struct {
		name  string
		steps []step
		want  []string
		open  int
	}{
		{"one", []step{{1, 1, "enter"}, {4, 1, "exit"}}, []string{"T exit 3ns"}, 0},
		{"nested", []step{{1, 1, "enter"}, {2, 1, "enter"}, {4, 1, "exit"}, {9, 1, "exit"}}, []string{"T exit 2ns", "T exit 8ns"}, 0},
		{"two timers", []step{{1, 1, "enter"}, {2, 1, "enter*"}, {4, 1, "exit"}, {9, 1, "exit*"}}, []string{"T exit 3ns", "U exit 7ns"}, 0},
		{"each its own", []step{{1, 1, "enter"}, {2, 2, "enter"}, {4, 1, "exit"}, {9, 2, "exit"}}, []string{"T exit 3ns", "T exit 7ns"}, 0},
		{"handed on, the first first", []step{{1, 1, "enter"}, {2, 2, "enter"}, {3, 1, "enter"}, {10, 9, "exit"}, {20, 9, "exit"}, {30, 8, "exit"}}, []string{"T exit 9ns", "T exit 18ns", "T exit 27ns"}, 0},
		{"its own before that of others", []step{{1, 1, "enter"}, {2, 2, "enter"}, {5, 2, "exit"}, {9, 2, "exit"}}, []string{"T exit 3ns", "T exit 8ns"}, 0},
		{"taken out of the middle", []step{{1, 1, "enter"}, {2, 1, "enter"}, {3, 2, "exit"}, {9, 1, "exit"}, {10, 1, "exit"}}, []string{"T exit 2ns", "T exit 7ns", "T stray 0s"}, 0},
		{"calls are left alone", []step{{1, 1, "call"}, {3, 2, "exit"}, {9, 1, "exit"}, {11, 1, "return"}}, []string{"T stray 0s", "T stray 0s", "T exit 10ns"}, 0},
		{"calls among enters", []step{{1, 1, "call"}, {2, 1, "enter"}, {3, 1, "call"}, {5, 1, "exit"}, {7, 1, "return"}, {10, 1, "return"}}, []string{"T exit 3ns", "T exit 4ns", "T exit 9ns"}, 0},
		{"a return of another goroutine", []step{{1, 1, "call"}, {5, 2, "return"}}, nil, 1},
		{"another timer's", []step{{1, 1, "enter"}, {5, 1, "exit*"}}, []string{"U stray 0s"}, 1},
		{"the clock goes back", []step{{9, 1, "enter"}, {4, 1, "exit"}}, []string{"T exit 0s"}, 0},
		{"a time that never was", []step{{-5, 1, "enter"}, {5, 1, "exit"}}, []string{"T exit 10ns"}, 0},
		{"switched off in between", []step{{1, 1, "enter"}, {2, 1, "call"}, {3, 1, "off"}, {4, 1, "exit"}, {5, 1, "return"}}, []string{"T dropped 0s", "T exit 3ns"}, 0},
		{"and on again", []step{{1, 1, "enter"}, {3, 1, "off"}, {4, 1, "on"}, {9, 1, "exit"}}, []string{"T dropped 0s", "T stray 0s"}, 0},
		{"switched on within a call", []step{{1, 1, "off"}, {2, 1, "call"}, {3, 1, "on"}, {4, 1, "return"}}, nil, 0},
		{"off within a call", []step{{1, 1, "call"}, {2, 1, "off"}, {3, 1, "call"}, {5, 1, "return"}, {9, 1, "return"}}, []string{"T exit 8ns"}, 0},
		{"off and on within calls", []step{{1, 1, "call"}, {2, 1, "off"}, {3, 1, "call"}, {4, 1, "on"}, {5, 1, "call"}, {7, 1, "return"}, {8, 1, "return"}, {9, 1, "return"}}, []string{"T exit 2ns", "T exit 8ns"}, 0},
		{"one that is open when it is off", []step{{1, 1, "call"}, {2, 1, "off"}, {3, 1, "call"}}, nil, 1},
		{"without ids", []step{{1, 0, "enter"}, {2, 0, "enter"}, {4, 0, "exit"}, {9, 0, "exit"}}, []string{"T exit 2ns", "T exit 8ns"}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w, told := newWorld(), new(tape)
			w.AddHandler(told)
			timers := []*Timer{w.timer(t, "T"), w.timer(t, "U")}
			for _, s := range tt.steps {
				timer := timers[0]
				if s.what[len(s.what)-1] == '*' {
					timer, s.what = timers[1], s.what[:len(s.what)-1]
				}
				w.on(s.goroutine, s.at, map[string]func(){
					"enter": timer.enterAny, "exit": timer.exitAny, "call": timer.enterOwn, "return": timer.exitOwn,
					"off": timer.Disable, "on": timer.Enable,
				}[s.what])
			}
			if got := told.took(); !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if got := timers[0].Open() + timers[1].Open(); got != tt.open {
				t.Errorf("%d open, want %d", got, tt.open)
			}
		})
	}
}

// A Measurement ends what its Enter has begun, on any goroutine, in any order, once.
func TestMeasurements(t *testing.T) {
	w, told := newWorld(), new(tape)
	timer, other := w.timer(t, "T"), w.timer(t, "U")
	off := timer.Enter() // nobody listens
	w.AddHandler(told)
	enter := func(goroutine uint64, at time.Duration) (m Measurement) {
		w.on(goroutine, at, func() { m = timer.Enter() })
		return m
	}
	exit := func(m Measurement, of *Timer, goroutine uint64, at time.Duration, want ...string) {
		t.Helper()
		w.on(goroutine, at, func() { of.Exit(m) })
		if got := told.took(); !slices.Equal(got, want) {
			t.Errorf("at %v: got %q, want %q", at, got, want)
		}
	}
	exit(off, timer, 1, 1)
	first, second, third := enter(1, 1), enter(1, 2), enter(2, 3)
	if timer.Open() != 3 {
		t.Errorf("%d open, want 3", timer.Open())
	}
	w.on(1, 4, timer.exitAny) // an info function ends none of them
	exit(first, timer, 1, 11, "T stray 0s", "T exit 10ns")
	exit(third, timer, 1, 13, "T exit 10ns")
	exit(third, timer, 1, 14, "T stray 0s")
	exit(second, other, 1, 15, "U stray 0s")
	if again := enter(1, 16); again.ticket == third.ticket { // it is used again, perhaps
		exit(third, timer, 1, 17, "T stray 0s")
		exit(again, timer, 1, 18, "T exit 2ns")
	} else {
		exit(again, timer, 1, 18, "T exit 2ns")
	}
	timer.Disable()
	exit(second, timer, 3, 22, "T exit 20ns")
	exit(second, timer, 3, 23) // nobody listens
	if timer.Open() != 0 {
		t.Errorf("%d open, want 0", timer.Open())
	}
	if want := []string{"T 1", "U 1"}; !slices.Equal(w.strays, want) {
		t.Errorf("reported %q, want %q", w.strays, want)
	}
}

// Whatever goroutines do, exits of info functions end what a list of all that is open says.
func TestMatchingAtRandom(t *testing.T) {
	type opened struct {
		goroutine uint64
		at        time.Duration
		own       bool
	}
	for _, seed := range seed.List(20) {
		r := rand.New(rand.NewSource(int64(seed)))
		w, told := newWorld(), new(tape)
		w.AddHandler(told)
		timer := w.timer(t, "T")
		var list []opened
		goroutines := 1 + r.Intn(200)
		for step := 1; step < 5000; step++ {
			goroutine, own := uint64(r.Intn(goroutines)), r.Intn(2) == 0
			w.goroutine, w.clock = goroutine, time.Duration(step)
			if r.Intn(2000) > len(list)+900 { // there are more and more
				if list = append(list, opened{goroutine, w.clock, own}); own {
					timer.enterOwn()
				} else {
					timer.enterAny()
				}
				continue
			}
			at := -1
			for i, o := range list {
				if o.own == own && o.goroutine == goroutine {
					at = i
				}
			}
			if at < 0 && !own {
				at = slices.IndexFunc(list, func(o opened) bool { return !o.own })
			}
			told.events = nil
			if own {
				timer.exitOwn()
			} else {
				timer.exitAny()
			}
			var want []Event
			switch {
			case at >= 0:
				want = []Event{{timer, Exit, goroutine, list[at].goroutine, w.clock, w.clock - list[at].at}}
				list = slices.Delete(list, at, at+1)
			case !own:
				want = []Event{{Timer: timer, Kind: Stray, Goroutine: goroutine, Time: w.clock}}
			}
			if !slices.Equal(told.events, want) || timer.Open() != len(list) {
				t.Fatalf("seed %d, step %d: told of %v with %d open, want %v with %d", seed, step, told.events, timer.Open(), want, len(list))
			}
		}
	}
}

// What goes from goroutine to goroutine keeps its order, over all shards.
func TestFirstInFirstOut(t *testing.T) {
	w, told := newWorld(), new(tape)
	w.AddHandler(told)
	timer := w.timer(t, "T")
	const n = 1000
	for i := 0; i < n; i++ {
		w.on(uint64(i+1), time.Duration(i), timer.enterAny)
	}
	if timer.Open() != n {
		t.Errorf("%d open, want %d", timer.Open(), n)
	}
	for i := 0; i < n; i++ {
		w.on(uint64(n+i+1), n+2*time.Duration(i), timer.exitAny)
	}
	for i, e := range told.events[n:] {
		if want := n + time.Duration(i); e.Duration != want || e.Entered != uint64(i+1) {
			t.Fatalf("exit %d after %v of goroutine %d, want %v", i, e.Duration, e.Entered, want)
		}
	}
}

// Each timer's first exit without an enter is reported, once.
func TestStray(t *testing.T) {
	w := newWorld()
	a, b := w.timer(t, "a"), w.timer(t, "b")
	a.exitAny() // nobody listens
	w.AddHandler(NewStatistics())
	w.on(7, 1, a.exitAny)
	w.on(8, 1, a.exitAny)
	w.on(8, 1, b.exitAny)
	if want := []string{"a 7", "b 8"}; !slices.Equal(w.strays, want) {
		t.Errorf("reported %q, want %q", w.strays, want)
	}
}

// Time measures to the end, whatever that is.
func TestTime(t *testing.T) {
	w, told := newWorld(), new(tape)
	timer := w.timer(t, "T")
	runs := 0
	timer.Time(func() { runs++ })
	w.AddHandler(told)
	timer.Time(func() { w.clock += 5; runs++ })
	func() {
		defer func() { recover() }()
		timer.Time(func() { w.clock += 7; panic("ends it") })
	}()
	done := make(chan bool)
	go func() {
		defer close(done)
		timer.Time(func() { w.clock += 9; runtime.Goexit() })
	}()
	<-done
	timer.Time(func() {
		if timer.Open() != 1 {
			t.Errorf("%d open within, want 1", timer.Open())
		}
		w.clock += 11
		timer.Disable()
	})
	timer.Time(func() { runs++ })
	if got, want := told.took(), []string{"T exit 5ns", "T exit 7ns", "T exit 9ns", "T exit 11ns"}; !slices.Equal(got, want) || runs != 3 {
		t.Errorf("got %q, want %q, after %d runs", got, want, runs)
	}
	if timer.Open() != 0 {
		t.Errorf("%d open, want 0", timer.Open())
	}
}

// Goroutines enter and exit one timer at the same time, on their own and for each other, while
// snapshots are taken and timers are switched.
func TestConcurrent(t *testing.T) {
	const goroutines, rounds = 8, 1000
	for _, tt := range []struct {
		name string
		id   func() uint64
	}{{"with ids", idOfStack}, {"without", func() uint64 { return 0 }}} {
		t.Run(tt.name, func(t *testing.T) {
			var tick struct {
				sync.Mutex
				now time.Duration
			}
			s := NewSet(Config{Goroutine: tt.id, Stray: func(t *Timer, _ uint64) {}, Clock: func() time.Duration {
				tick.Lock()
				defer tick.Unlock()
				tick.now++
				return tick.now
			}})
			statistics := NewStatistics()
			s.AddHandler(statistics)
			s.AddHandler(NewLog(nil, 10))
			own, timed := must(s.Timer("own", ""))(t), must(s.Timer("timed", ""))(t)
			handed, switched, passed := must(s.Timer("handed", ""))(t), must(s.Timer("switched", ""))(t), must(s.Timer("passed", ""))(t)
			group := must(s.Group("all", "", own, timed, handed, passed))(t)
			group.Enable()

			var wg, others sync.WaitGroup
			stop := make(chan bool)
			hand := make(chan Measurement, goroutines)
			for i := 0; i < goroutines; i++ {
				wg.Add(2)
				go func() {
					defer wg.Done()
					for j := 0; j < rounds; j++ {
						m := own.Enter()
						timed.Time(func() { own.Exit(own.Enter()) })
						own.Exit(m)
						handed.enterAny()
						hand <- passed.Enter()
						switched.enterAny()
						switched.Exit(switched.Enter())
						switched.exitAny()
					}
				}()
				go func() {
					defer wg.Done()
					for j := 0; j < rounds; j++ {
						passed.Exit(<-hand)
						handed.exitAny()
					}
				}()
			}
			others.Add(2)
			go func() {
				defer others.Done()
				before := statistics.Snapshot()
				for {
					select {
					case <-stop:
						return
					default:
					}
					snap := statistics.Snapshot()
					for _, r := range snap.Since(before).Timers {
						if r.Histogram.Count() != r.Count || r.Min > r.Max || r.P50 > r.P99 || r.Count > 2*goroutines*rounds {
							t.Errorf("%s in between: count %d of which the histogram has %d, min %v, max %v, p50 %v, p99 %v; want count <= %d, the same in the histogram, min <= max, p50 <= p99",
								r.Name, r.Count, r.Histogram.Count(), r.Min, r.Max, r.P50, r.P99, 2*goroutines*rounds)
						}
					}
					before = snap
				}
			}()
			go func() {
				defer others.Done()
				for {
					select {
					case <-stop:
						return
					default:
						switched.Enable()
						runtime.Gosched()
						switched.Disable()
					}
				}
			}()
			wg.Wait()
			close(stop)
			others.Wait()

			snap := statistics.Snapshot()
			for name, want := range map[string]uint64{"own": 2 * goroutines * rounds, "timed": goroutines * rounds, "handed": goroutines * rounds, "passed": goroutines * rounds} {
				r, _ := snap.Row(name)
				if r.Count != want || r.Histogram.Count() != want || r.Open != 0 || r.Strays != 0 || r.Total < r.Max {
					t.Errorf("%s: count %d of which the histogram has %d, %d open, %d strays, total %v, max %v; want %d, %d, 0, 0, total >= max",
						name, r.Count, r.Histogram.Count(), r.Open, r.Strays, r.Total, r.Max, want, want)
				}
			}
			if r, _ := snap.Row("switched"); r.Open != 0 {
				t.Errorf("switched: %d open, want 0", r.Open)
			}
		})
	}
}

// A handler sees the ends of the measurements whose beginnings it has seen, and no other ends.
func TestHandlersComeAndGo(t *testing.T) {
	w, first, second := newWorld(), new(tape), new(tape)
	timer := w.timer(t, "T")
	w.AddHandler(first)
	w.AddHandler(first) // is there already
	timer.enterAny()
	w.AddHandler(second)
	timer.enterAny()
	w.RemoveHandler(first)
	w.clock = 5
	timer.exitAny()
	timer.exitAny()
	if n, m := len(first.events), len(second.events); n != 4 || m != 2 {
		t.Errorf("the first was told of %d events, the second of %d; want 4 and 2", n, m)
	}
	w.RemoveHandler(second)
	w.RemoveHandler(nil)
	w.AddHandler(nil)
	timer.enterAny()
	if len(second.events) != 2 || timer.Open() != 0 {
		t.Errorf("without handlers: %v, %d open; want 2 events, 0 open", second.events, timer.Open())
	}
}

// Durations of any size are added up, and what wraps is right in differences.
func TestExtremes(t *testing.T) {
	w, statistics := newWorld(), NewStatistics()
	w.AddHandler(statistics)
	timer := w.timer(t, "T")
	for i := 0; i < 5; i++ { // in all more than 2^64 ns
		w.on(1, 0, timer.enterAny)
		w.on(1, math.MaxInt64, timer.exitAny)
	}
	before := statistics.Snapshot()
	w.on(1, 0, timer.enterAny)
	w.on(1, 100, timer.exitAny)
	r, _ := statistics.Snapshot().Since(before).Row("T")
	if r.Count != 1 || r.Total != 100 || r.Min != 100 || r.Max < 99 || r.Max > 101 || r.StdDev != 0 {
		t.Errorf("one of 100 ns is %+v, want count 1, total and min 100 ns, max 99 to 101 ns, no deviation", r)
	}
}
