package trace

import (
	"errors"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/waymark-go/waymark/internal/program/console"
	"github.com/waymark-go/waymark/internal/program/fault"
	"github.com/waymark-go/waymark/internal/program/switchboard"
)

// durations returns how long the kept traces took.
func durations(c *Collector) (list []time.Duration) {
	for _, t := range c.Traces() {
		list = append(list, t.Duration)
	}
	return list
}

// The slowest traces are kept, and no others are delivered once there are enough.
func TestSlowest(t *testing.T) {
	f := new(fake)
	c := begun(t, f, Options{Slowest: 20})
	r := rand.New(rand.NewSource(1))
	var all []time.Duration
	for range make([]struct{}, 20_000) {
		d := time.Duration(1 + r.Intn(1_000_000))
		all = append(all, d)
		f.ended(lasting(t, d))
	}
	slices.Sort(all)
	slices.Reverse(all)
	if got := durations(c); !slices.Equal(got, all[:20]) {
		t.Errorf("kept %v, want %v", got, all[:20])
	}
	if n := c.Counts(); n.Ended != 20_000 || n.Kept-n.Displaced != 20 || n.Kept > 1000 {
		t.Errorf("%+v, want 20 of 20000 kept in the end, and few in between", n)
	}
}

// With a period the slowest of each are kept, and told when it is over. Those that have failed are told at once.
func TestPeriod(t *testing.T) {
	var mu sync.Mutex
	var told []string
	f := new(fake)
	c := begun(t, f, Options{Slowest: 2, Failed: true, Period: time.Hour, OnTrace: func(t *Trace) {
		mu.Lock()
		defer mu.Unlock()
		told = append(told, fmt.Sprint(int(t.Duration)))
	}})
	expect := func(when, want string) {
		t.Helper()
		c.await()
		mu.Lock()
		defer mu.Unlock()
		if got := strings.Join(told, " "); got != want {
			t.Errorf("%s: told of %s, want %s", when, got, want)
		}
		told = nil
	}
	at := time.Now()
	ended := func(durations ...int) {
		for _, d := range durations {
			one := lasting(t, time.Duration(d))
			one.Failed = d%10 == 5
			at = at.Add(time.Second)
			one.Start = at
			f.ended(one)
		}
	}
	ended(70, 15, 90, 80, 10)
	expect("while it lasts", "15")
	c.turn()
	expect("at its end", "90 80")
	ended(5, 95, 3, 2)
	expect("in the next one", "5 95")
	c.turn()
	expect("at the end of that", "") // both are told
	c.turn()
	ended(4)
	if err := c.Stop(); err != nil {
		t.Error(err)
	}
	expect("in the end", "4")
	if got := fmt.Sprint(durations(c)); got != "[95ns 90ns 80ns 15ns 5ns 4ns]" {
		t.Errorf("kept %s", got)
	}
}

func TestSelection(t *testing.T) {
	const ms = time.Millisecond
	for _, tt := range []struct {
		name string
		o    Options
		want string
	}{
		{"all", Options{}, "9 8 7 6 5 4 3 2 1 0"},
		{"the newest", Options{MaxTraces: 3}, "9 8 7"},
		{"failed", Options{Failed: true}, "6 3 0"},
		{"longer", Options{Longer: 7 * ms}, "9 8"},
		{"one in four", Options{OneIn: 4}, "7 3"},
		{"the slowest", Options{Slowest: 2}, "9 8"},
		{"the slowest and failed ones", Options{Slowest: 2, Failed: true}, "9 8 6 3 0"},
		{"the slowest and long ones", Options{Slowest: 4, Longer: 7 * ms}, "9 8 7 6"},
		{"the slowest and one in four", Options{Slowest: 2, OneIn: 4}, "9 8 7 3"},
		{"a predicate", Options{Keep: func(t *Trace) bool { return t.Duration%(5*ms) == 0 }}, "5 0"},
		{"a predicate and failed ones", Options{Failed: true, Keep: func(t *Trace) bool { return t.Duration == 5*ms }}, "6 5 3 0"},
		{"less memory than a trace has", Options{MaxBytes: 1}, ""},
		{"memory for two", Options{MaxBytes: 1200, Slowest: 5}, "9 8"},
		{"negative numbers", Options{Slowest: -1, OneIn: -1, Longer: -1, MaxTraces: -1, MaxBytes: -1, MaxCalls: -1}, "9 8 7 6 5 4 3 2 1 0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var mu sync.Mutex
			told := 0
			tt.o.OnTrace = func(*Trace) {
				mu.Lock()
				defer mu.Unlock()
				told++
			}
			f := new(fake)
			c := begun(t, f, tt.o)
			for i := 0; i < 10; i++ {
				one := lasting(t, time.Duration(i)*ms)
				one.Failed = i%3 == 0 && i < 9
				f.ended(one)
			}
			if err := c.Stop(); err != nil {
				t.Error(err)
			}
			var got []string
			for _, d := range durations(c) {
				got = append(got, fmt.Sprint(d.Milliseconds()))
			}
			if text := strings.Join(got, " "); text != tt.want {
				t.Errorf("kept %s, want %s", text, tt.want)
			}
			mu.Lock()
			defer mu.Unlock()
			if n := c.Counts(); uint64(told) != n.Kept || n.Untold != 0 {
				t.Errorf("OnTrace was called %d times: %+v", told, n)
			}
			if used := c.store.used; used < 0 || used > c.store.bytes || (used == 0) != (len(got) == 0) {
				t.Errorf("%d bytes in use for %d traces", used, len(got))
			}
		})
	}
}

// A callback that panics, ends its goroutine or blocks does no harm.
func TestCallbackHarm(t *testing.T) {
	block := make(chan struct{})
	defer close(block)
	for _, tt := range []struct {
		name     string
		callback func(*Trace)
		said     string
		untold   uint64
	}{
		{"panics", func(*Trace) { panic("at once") }, "panicked: at once", 999},
		{"blocks", func(*Trace) { <-block }, "", 743},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var mu sync.Mutex
			said := ""
			defer console.Divert(func(text []byte) {
				mu.Lock()
				defer mu.Unlock()
				said += string(text)
			})()
			f := new(fake)
			c := begun(t, f, Options{OnTrace: tt.callback})
			f.ended(lasting(t, 1))
			for waited := 0; waited < 5000; waited++ { // until the callback runs or is broken
				c.mu.Lock()
				over := len(c.calls.queue) == 0
				c.mu.Unlock()
				if over {
					break
				}
				time.Sleep(time.Millisecond)
			}
			if tt.said != "" {
				c.await()
			}
			for i := 1; i < 1000; i++ {
				f.ended(lasting(t, 1))
			}
			if err := c.Stop(); err != nil {
				t.Error(err)
			}
			if n := c.Counts(); len(c.Traces()) != 1000 || n.Untold != tt.untold {
				t.Errorf("%d traces, %+v; want 1000 traces, %d untold", len(c.Traces()), n, tt.untold)
			}
			mu.Lock()
			defer mu.Unlock()
			if !strings.Contains(said, tt.said) || (tt.said == "") != (said == "") {
				t.Errorf("said %q, want %q", said, tt.said)
			}
		})
	}
}

// The traces are saved once, when the program ends or before.
func TestEnd(t *testing.T) {
	for _, first := range []string{"Stop", "the program"} {
		t.Run(first, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "traces.xml")
			f, ends := new(fake), 0
			var c *Collector
			c = begun(t, f, Options{File: path, AtEnd: func(of *Collector) {
				ends++
				if of != c || len(of.Traces()) != 1 {
					t.Errorf("AtEnd has %d traces", len(of.Traces()))
				}
				of.Stop() // does nothing
			}})
			f.ended(lasting(t, 1))
			if first == "Stop" {
				if err := c.Stop(); err != nil {
					t.Error(err)
				}
			}
			f.end()
			if err := c.Stop(); err != nil {
				t.Error(err)
			}
			b, err := os.ReadFile(path)
			if err != nil || strings.Count(string(b), "<trace key=") != 1 || ends != 1 || f.stopped != 1 {
				t.Errorf("%v, %d ends, stopped %d times, file\n%s", err, ends, f.stopped, b)
			}
			if list, _ := os.ReadDir(filepath.Dir(path)); len(list) != 1 {
				t.Errorf("%d files, want 1", len(list))
			}
			if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode() != 0o600 {
				t.Errorf("the file has mode %v, %v, want 0600", info.Mode(), err)
			}
		})
	}
}

func TestSaveError(t *testing.T) {
	f := new(fake)
	c := begun(t, f, Options{File: filepath.Join(t.TempDir(), "none", "f.xml")})
	f.ended(lasting(t, 1))
	if err := c.Stop(); !errors.Is(err, os.ErrNotExist) || !strings.HasPrefix(err.Error(), "save traces: ") {
		t.Errorf("Stop: %v, want that there is no folder", err)
	}
}

// A group of which nothing was instrumented: what a built-in one wants, or what groups there are.
func TestErrGroup(t *testing.T) {
	f := &fake{funcs: []*Func{{Name: "main.other", Groups: []string{"IO"}}}}
	for roots, want := range map[string]string{
		"@http": "@http: function not seen: want a function or method (http.ResponseWriter, *http.Request)",
		"@htp":  "@htp: function not seen: no function of a group @htp was instrumented; there are @http, @grpc, @sql, @queue, @test, @IO",
	} {
		c := begun(t, f, Options{})
		c.roots = roots
		if err := c.Err(); !errors.Is(err, ErrNotSeen) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", roots, err, want)
		}
	}
}

func TestErr(t *testing.T) {
	f := &fake{funcs: []*Func{{Name: "main.handel"}, {Name: "main.main"}}}
	c := begun(t, f, Options{})
	const hint = "main.handle: function not seen: no such function is instrumented; is it main.handel?; have it in when the program is built, as by waymark build --include 'main.handle'"
	if err := c.Err(); !errors.Is(err, ErrNotSeen) || err.Error() != hint {
		t.Errorf("not instrumented: %v", err)
	}
	f.funcs = append(f.funcs, &Func{Name: "main.handle"})
	if err := c.Stop(); !errors.Is(err, ErrNotSeen) || err.Error() != "main.handle: function not seen: no call of it has begun" {
		t.Errorf("not called: %v", err)
	}
	f.active = 2
	if err := c.Err(); !errors.Is(err, ErrNotSeen) || err.Error() != "main.handle: function not seen to the end: of the calls that began, 2, none has ended" {
		t.Errorf("in progress: %v", err)
	}
	f.ended(lasting(t, 1))
	if err := c.Err(); err != nil {
		t.Errorf("a trace has ended: %v", err)
	}
	if line := f.options.Removed("no tracing here"); line != "traces of main.handle: no tracing here; no more are gathered" {
		t.Errorf("a policy's line: %s", line)
	}
	if err := c.Err(); !errors.Is(err, switchboard.ErrForbidden) {
		t.Errorf("a policy: %v", err)
	}
}

func TestStartErrors(t *testing.T) {
	f := &fake{err: ErrBusy}
	if _, err := start(f.world(), roots("a"), Options{}); !errors.Is(err, ErrBusy) {
		t.Errorf("another one gathers: %v", err)
	}
	for _, s := range []switchboard.Selector{nil, (*named)(nil)} {
		if _, err := start(f.world(), s, Options{}); !errors.Is(err, fault.ErrNil) {
			t.Errorf("no roots: %v", err)
		}
	}
	if _, err := Start(roots("a"), Options{}); !errors.Is(err, ErrNotBuilt) {
		t.Errorf("a plain build: %v", err)
	}
}
