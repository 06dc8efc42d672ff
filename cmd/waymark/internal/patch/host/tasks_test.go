//go:build linux && amd64

package host

import (
	"testing"

	"github.com/waymark-go/waymark/internal/program/control"
)

// Calls without times are counted, and what they took is as what the others took.
func TestComplete(t *testing.T) {
	for _, test := range []struct {
		name    string
		periods bool
		row     row
		want    control.Numbers
	}{
		{"all have times", false, row{calls: 10, open: 1, ended: 9}, control.Numbers{Calls: 10, Open: 1, TotalNS: 900, SelfNS: 90, Returned: 8, Panics: 1}},
		{"a third has", false, row{calls: 28, open: 1, ended: 9}, control.Numbers{Calls: 28, Open: 1, Untimed: 18, TotalNS: 2700, SelfNS: 270, Returned: 24, Panics: 3}},
		{"none has", false, row{calls: 5}, control.Numbers{Calls: 5, Untimed: 5, TotalNS: 900, SelfNS: 90, Returned: 8, Panics: 1}},
		{"a period in which calls end that began before", true, row{calls: 10, before: 3, open: 4, ended: 9}, control.Numbers{Calls: 9, Open: 4, TotalNS: 900, SelfNS: 90, Returned: 8, Panics: 1}},
		{"a period with calls without times", true, row{calls: 20, before: 3, open: 5, ended: 9}, control.Numbers{Calls: 18, Open: 5, Untimed: 9, TotalNS: 1800, SelfNS: 180, Returned: 16, Panics: 2}},
	} {
		s := &sums{periods: test.periods}
		got := control.Numbers{Calls: test.row.calls, Open: test.row.open, TotalNS: 900, SelfNS: 90, Returned: 8, Panics: 1}
		if s.complete(&got, &test.row); got != test.want {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
	}
}
