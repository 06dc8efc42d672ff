package cli

import (
	"strings"
	"testing"

	"github.com/waymark-go/waymark/internal/function"
)

// diff says which functions no recording has calls of: on both sides, if they differ.
func TestUncompared(t *testing.T) {
	none, some := function.LeftOut{}, function.LeftOut{Functions: 2, Tiny: []string{"m.a", "m.b"}}
	more := function.LeftOut{Functions: 3, Tiny: some.Tiny, Literals: 1}
	for _, tt := range []struct {
		before, after function.LeftOut
		want          []string // parts of the notes
	}{
		{none, none, nil},
		{some, some, []string{"2 tiny (--all adds them)"}},
		{some, more, []string{"before: not instrumented: 2 functions", "not instrumented: 3 functions"}},
		{some, none, []string{"before: not instrumented: 2 functions"}},
	} {
		got := uncompared(tt.before, tt.after)
		if len(got) != len(tt.want) {
			t.Errorf("%v and %v: %q, want %d notes", tt.before, tt.after, got, len(tt.want))
			continue
		}
		for i, part := range tt.want {
			if !strings.Contains(got[i], part) {
				t.Errorf("%v and %v: %q, want one with %q", tt.before, tt.after, got, part)
			}
		}
	}
}
