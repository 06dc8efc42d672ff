package report

import (
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/internal/calls"
	"github.com/waymark-go/waymark/stats"
)

// A tree of calls that were all counted only, as with a budget of 0, names their functions.
func TestPlaceless(t *testing.T) {
	r := New(Options{Tree: true})
	r.AddStatistics(&Statistics{Snapshot: stats.Snapshot{Functions: []stats.Stat{
		{Func: stats.Func{Name: "main.main"}, Numbers: stats.Numbers{Calls: 1}},
		{Func: stats.Func{Name: "main.leaf"}, Numbers: stats.Numbers{Calls: 1000}},
	}}})
	if got, want := r.placeless(), "counted, so not in the tree: main.leaf (1,000 calls), main.main (1 call)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Goroutines beside a call may take more time than the program ran.
func TestOverlaps(t *testing.T) {
	for total, want := range map[int64]bool{4: false, 5: false, 6: true} {
		r := &Report{Recordings: []recording.Summary{{Span: recording.Span{To: 5}}}}
		r.tree.Add(0, 0, &calls.Numbers{Total: total})
		if got := r.Overlaps(); got != want {
			t.Errorf("a total of %d in a run of 5: %v, want %v", total, got, want)
		}
	}
}
