package report

import "testing"

func TestFrequency(t *testing.T) {
	for hz, want := range map[uint64]string{24e6: "24.000 MHz", 62.5e6: "62.500 MHz", 1e9: "1.000 GHz", 2_595_120_000: "2.595 GHz"} {
		if got := frequency(hz); got != want {
			t.Errorf("%d Hz is %s, want %s", hz, got, want)
		}
	}
}
