package tui

import (
	"math"
	"testing"
)

func TestDuration(t *testing.T) {
	for ns, want := range map[int64]string{
		0: "0ns", 999: "999ns", 1000: "1.00us", 9994: "9.99us", 9995: "10.0us", 99_949: "99.9us", 99_950: "100us", 999_499: "999us", 999_500: "1.00ms",
		1_234_567: "1.23ms", 45_600_000_000: "45.6s", 59_949_000_000: "59.9s", 59_950_000_000: "1m00s", 170e9: "2m50s", 3599.4e9: "59m59s", 3599.5e9: "1h00m",
		-1500: "-1.50us", math.MaxInt64: "2562047h47m", math.MinInt64: "-2562047h47m",
	} {
		if got := Duration(ns); got != want {
			t.Errorf("Duration(%d) = %q, want %q", ns, got, want)
		}
	}
}
