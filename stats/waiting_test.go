package stats

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/waymark-go/waymark/internal/program/rt"
)

// When goroutines of calls did not run is in snapshots, in differences of them, and in what is written.
func TestWaiting(t *testing.T) {
	s, c, _ := gathers(t)
	g, err := s.begin(Options{Waiting: true})
	if err != nil || !c.waits {
		t.Fatalf("%v; it is added up when goroutines run: %v, want true", err, c.waits)
	}
	c.calls[1] = rt.Sum{Calls: 1, Ended: 1, Total: 100, Self: 60, Least: 100, Most: 100, Off: rt.Off{Runnable: 5, Waiting: 50, SelfRunnable: 1, SelfWaiting: 20}}
	c.calls[3] = rt.Sum{Calls: 1}
	c.open[3] = rt.Open{Total: 30, Self: 30, Least: ^uint64(30), Most: 30, Ended: c.calls[3], Off: rt.Off{Waiting: 30, SelfWaiting: 30}}
	first := g.Snapshot()
	type parts struct{ Runnable, Waiting, SelfRunnable, SelfWaiting time.Duration }
	check := func(what string, snap *Snapshot, want ...parts) {
		t.Helper()
		for i, w := range want {
			n := snap.Functions[i].Numbers
			if got := (parts{n.Runnable, n.Waiting, n.SelfRunnable, n.SelfWaiting}); got != w {
				t.Errorf("%s, %s: %v, want %v", what, snap.Functions[i].Name, got, w)
			}
		}
	}
	f, open := parts{10, 100, 2, 40}, parts{0, 60, 0, 60}
	check("taken", first, f, open)

	b, err := json.Marshal(first)
	if err != nil {
		t.Fatal(err)
	}
	again := new(Snapshot)
	if err := json.Unmarshal(b, again); err != nil {
		t.Fatal(err)
	}
	check("read from JSON", again, f, open)
	if !again.Waits() || !strings.Contains(string(b), `"running_ns":90,"runnable_ns":10,"waiting_ns":100,"self_running_ns":78,`) {
		t.Errorf("JSON: %s", b)
	}
	for _, want := range []string{"Total time  Running  Runnable  Waiting  Self time", "200 ns    90 ns     10 ns   100 ns     120 ns"} {
		if text := first.String(); !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}

	c.calls[1] = rt.Sum{Calls: 2, Ended: 2, Total: 110, Self: 70, Least: 10, Most: 100, Off: rt.Off{Runnable: 6, Waiting: 90, SelfRunnable: 0, SelfWaiting: 22}}
	check("since", g.Snapshot().Since(first), parts{0, 20, 0, 4}) // no more than the time itself
	if g.Stop(); c.waits {
		t.Error("it is added up after the end")
	}
	if _, err := s.begin(Options{Waiting: true, CallsOnly: true}); err != nil || c.waits {
		t.Errorf("%v; of calls that have no times it is added up: %v, want false", err, c.waits)
	}
	if x := (sample{Sum: rt.Sum{Total: 5, Off: rt.Off{Waiting: math.MaxUint64}}}).since(sample{}); x.Waiting != 0 {
		t.Errorf("a sum that has become less is %d more, want 0", x.Waiting)
	}
}
