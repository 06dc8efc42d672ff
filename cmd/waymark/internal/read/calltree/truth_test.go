package calltree

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree/calltreetest"
	"github.com/waymark-go/waymark/internal/testing/seed"
	"github.com/waymark-go/waymark/tracefile"
)

// TestTruth compares results with those that a plain walk over the true calls
// of made-up programs gives.
func TestTruth(t *testing.T) {
	odd := func(site uint32) bool { return site%3 > 0 }
	third := func(site uint32) uint32 { return site / 3 }
	for _, tt := range []struct {
		name string
		calm bool
		opt  Options
	}{
		{"all", false, Options{}},
		{"still running", true, Options{}},
		{"packages", false, Options{Key: third}},
		{"functions", false, Options{Keep: odd}},
		{"goroutines", false, Options{Goroutine: func(id uint64) bool { return id%2 == 0 }}},
		{"min", false, Options{Min: 150}},
		{"window", true, Options{From: 2000, To: 6000}},
		{"window of functions", true, Options{From: 2000, To: 6000, Keep: odd, Key: third, Min: 30}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, seed := range seed.List(50) {
				p := &program{rand: rand.New(rand.NewPCG(seed, 1)), calm: tt.calm}
				events, calls := p.run(1 + int(seed%8))

				var got []Call
				o := tt.opt
				o.Goroutines = true
				o.OnCall = func(c *Call) { got = append(got, *c) }
				r := read(t, events, o)
				if err := r.Validate(); err != nil {
					t.Error(err)
				}

				truth := truth{opt: tt.opt, rows: make(map[uint32]*Row)}
				for _, n := range calls {
					truth.walk(n, 0, nil)
				}
				byGoroutine := func(x, y Call) int { return cmp.Compare(x.Goroutine, y.Goroutine) }
				slices.SortStableFunc(got, byGoroutine)
				slices.SortStableFunc(truth.calls, byGoroutine)
				compare(t, "call", got, truth.calls)
				compare(t, "row", r.Rows, truth.result())
				if t.Failed() {
					t.Fatalf("with seed %d", seed)
				}
			}
		})
	}
}

// compare reports the first difference.
func compare[T any](t *testing.T, what string, got, want []T) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || !reflect.DeepEqual(got[i], want[i]) {
			at := func(s []T) string {
				if i < len(s) {
					return fmt.Sprintf("%+v", s[i])
				}
				return "nothing"
			}
			t.Errorf("%s %d of %d:\n got %s\nwant %s", what, i, len(want), at(got), at(want))
			return
		}
	}
}

// read returns the result of a trace file with these events.
func read(t *testing.T, events []tracefile.Event, o Options) *Result {
	t.Helper()
	recording := calltreetest.Recording{Events: events, End: events[len(events)-1].Clock}
	file, err := recording.Open()
	if err != nil {
		t.Fatal(err)
	}
	r, err := Read(file.Events(), o, recording.End)
	if err != nil {
		t.Fatal(err)
	}
	if info := file.Info(); info.Damaged != 0 || o.To == 0 && o.From == 0 && o.Goroutine == nil && info.Events != r.Events {
		t.Errorf("%d events, the file has %d, and %d damaged bytes", r.Events, info.Events, info.Damaged)
	}
	return r
}

// truth adds up calls in the plainest way.
type truth struct {
	opt   Options
	calls []Call
	rows  map[uint32]*Row
}

// walk counts n and what it called, callees first. n has depth counted callers,
// whose keys are given. walk returns how much of n's time belongs to the callees
// of n's caller.
func (h *truth) walk(n *node, depth int, keys []uint32) uint64 {
	start, end, flags := max(n.start, h.opt.From), n.end, n.flags
	if to := h.opt.To; to > 0 {
		if n.start > to {
			return 0
		}
		if end > to {
			end, flags = to, Open|Past
		}
	}
	if n.failed > 0 && (h.opt.To == 0 || n.failed <= h.opt.To) {
		flags |= Failed
	}
	counted := (h.opt.Keep == nil || h.opt.Keep(n.site)) &&
		(h.opt.Goroutine == nil || h.opt.Goroutine(n.goroutine))
	key := n.site
	if h.opt.Key != nil {
		key = h.opt.Key(n.site)
	}
	callees := uint64(0)
	for _, c := range n.children {
		if counted {
			callees += h.walk(c, depth+1, append(keys, key))
		} else {
			callees += h.walk(c, depth, keys)
		}
	}
	if !counted || end < start || end-start < h.opt.Min {
		return callees
	}
	total := end - start
	h.calls = append(h.calls, Call{Goroutine: n.goroutine, Site: n.site, Depth: depth, Start: start, End: end, Began: n.start, Self: total - callees, Flags: flags,
		Recursive: slices.Contains(keys, key)})
	r := h.rows[key]
	if r == nil {
		r = &Row{Key: key, Min: total}
		h.rows[key] = r
	}
	r.Calls++
	r.Self += total - callees
	r.Sum += total
	r.Min, r.Max = min(r.Min, total), max(r.Max, total)
	if !slices.Contains(keys, key) {
		r.Total += total
	}
	if flags&Panicked != 0 {
		r.Panics++
	}
	if flags&Failed != 0 {
		r.Errors++
	}
	if flags&Open != 0 {
		r.Open++
	}
	return total
}

func (h *truth) result() []Row {
	var rows []Row
	for _, r := range h.rows {
		rows = append(rows, *r)
	}
	slices.SortFunc(rows, func(x, y Row) int { return cmp.Compare(x.Key, y.Key) })
	return rows
}
