package clock

import "testing"

func TestChooseClock(t *testing.T) {
	clocks := []string{"nanotime", "tsc"}
	for _, test := range []struct{ want, clock, err string }{
		{"", "nanotime", ""},
		{"nanotime", "nanotime", ""},
		{"tsc", "tsc", ""},
		{"cntvct", "nanotime", "WAYMARKCLOCK=cntvct: this machine has nanotime and tsc; the clock is nanotime"},
		{"TSC", "nanotime", "WAYMARKCLOCK=TSC: this machine has nanotime and tsc; the clock is nanotime"},
	} {
		clock, err := choose(test.want, clocks)
		if clock != test.clock || (err == nil) != (test.err == "") || err != nil && err.Error() != test.err {
			t.Errorf("WAYMARKCLOCK=%s gives %s, %v; want %s, %q", test.want, clock, err, test.clock, test.err)
		}
	}
}

// The kernel's list decides about the time stamp counter only.
func TestListed(t *testing.T) {
	for _, test := range []struct {
		sources, counter string
		want             bool
	}{
		{"tsc kvm-clock \n", "tsc", true},
		{"kvm-clock tsc hpet acpi_pm\n", "tsc", true},
		{"hpet acpi_pm \n", "tsc", false}, // struck: the CPUs' counters disagree
		{"tsc-early hpet\n", "tsc", false},
		{"hyperv_clocksource_tsc_page\n", "tsc", false},
		{"", "tsc", true},
		{"arch_sys_counter \n", "cntvct", true},
	} {
		if got := listed(test.sources, test.counter); got != test.want {
			t.Errorf("%s by %q is %v, want %v", test.counter, test.sources, got, test.want)
		}
	}
}
