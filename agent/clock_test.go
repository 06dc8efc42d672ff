package agent

import "testing"

func TestChooseClock(t *testing.T) {
	clocks := []string{"nanotime", "tsc"}
	for _, test := range []struct{ want, clock, err string }{
		{"", "nanotime", ""},
		{"nanotime", "nanotime", ""},
		{"tsc", "tsc", ""},
		{"cntvct", "nanotime", "WAYMARKCLOCK=cntvct: this machine has nanotime and tsc; recording with nanotime"},
		{"TSC", "nanotime", "WAYMARKCLOCK=TSC: this machine has nanotime and tsc; recording with nanotime"},
	} {
		clock, err := chooseClock(test.want, clocks)
		if clock != test.clock || (err == nil) != (test.err == "") || err != nil && err.Error() != test.err {
			t.Errorf("WAYMARKCLOCK=%s gives %s, %v; want %s, %q", test.want, clock, err, test.clock, test.err)
		}
	}
}
