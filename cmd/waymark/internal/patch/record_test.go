//go:build linux && amd64

package patch

import (
	"testing"

	"github.com/waymark-go/waymark/internal/program/recorder"
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/tracefile"
)

// recorded returns a recording of the work of some rounds, with v of values, and what the program has counted.
func recorded(t *testing.T, w *worker, target *Target, list []Wanted, v *Values, rounds int) (*tracefile.File, map[string]int64) {
	t.Helper()
	path := t.TempDir() + "/work.wmt"
	r, err := target.Record(recorder.Config{Path: path, Overflow: rt.Drop}, v, v != nil, v != nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := target.Want(list); err != nil {
		t.Fatal(err)
	}
	r.Know()
	counts := w.work(rounds)
	if _, err := target.Want(nil); err != nil {
		t.Fatal(err)
	}
	for some := true; some; some, _ = target.Drain(true, 0, r.Add) {
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := tracefile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f, counts
}

// A recording of a patched program says of each goroutine that has calls who started it, once and where; and how its calls
// ended.
func TestGoroutines(t *testing.T) {
	w := start(t, built(t, nil))
	target := w.attach()
	defer target.Close()
	const rounds = 1000
	f, want := recorded(t, w, target, ofMain(target.Image), nil, rounds)
	over := make(map[uint64]bool)
	starts, made, calls, kinds := make(map[uint64][]tracefile.Event), make(map[uint64]uint64), make(map[uint64]uint64), make(map[tracefile.Kind]int)
	events := f.Events()
	for ev := (tracefile.Event{}); events.Next(&ev); kinds[ev.Kind]++ {
		switch ev.Kind {
		case tracefile.Enter:
			if first, ok := calls[ev.Goroutine]; !ok || ev.Clock < first {
				calls[ev.Goroutine] = ev.Clock
			}
		case tracefile.Spawn:
			made[ev.Value] = ev.Goroutine
		case tracefile.End:
			over[ev.Goroutine] = true
		case tracefile.Start:
			starts[ev.Goroutine] = append(starts[ev.Goroutine], ev)
		}
	}
	for id, first := range calls {
		if !over[id] && id != 1 {
			t.Errorf("goroutine %d has calls, and never ends", id)
		}
		earlier := 0
		for _, ev := range starts[id] {
			if ev.Clock <= first {
				earlier++
			}
		}
		if earlier != 1 {
			t.Errorf("goroutine %d has %d beginnings before its first call, and %d in all", id, earlier, len(starts[id]))
		}
	}
	for id, by := range made {
		for _, ev := range starts[id] {
			if o, ok := f.Origin(ev.Origin); ev.Value != by || !ok || o.Func != "main.run" && o.Func != "main.worker" || o.Line == 0 {
				t.Errorf("goroutine %d says that it was started by %d at %+v, not %d", id, ev.Value, o, by)
			}
		}
	}
	exits := int(want["main.exits_"])
	if kinds[tracefile.Panic] != 2*rounds || kinds[tracefile.Recover] != 2*rounds || kinds[tracefile.Goexit] != exits || len(made) < exits+4 || len(calls) < 4 || f.Info().Lost > 0 {
		t.Errorf("%v, %d goroutines were made, %d have calls, %d events are lost; want %d panics, as many recoveries, %d Goexits", kinds, len(made), len(calls), f.Info().Lost, 2*rounds, exits)
	}
}
