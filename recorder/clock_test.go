package recorder

import "testing"

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
