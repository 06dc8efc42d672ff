package report

import (
	"testing"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/internal/calls"
)

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
