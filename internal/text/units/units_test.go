package units

import (
	"math"
	"testing"
	"time"
)

func TestDuration(t *testing.T) {
	for _, tt := range []struct {
		ns            int64
		want, aligned string
	}{
		{0, "0 ns", "0 ns"},
		{999, "999 ns", "999 ns"},
		{1000, "1.000 us", "1.000 us"},
		{1234, "1.234 us", "1.234 us"},
		{999_999, "999.999 us", "999.999 us"},
		{1_234_499, "1.234 ms", "1.234 ms"},
		{1_234_500, "1.235 ms", "1.235 ms"},
		{999_999_499, "999.999 ms", "999.999 ms"},
		{999_999_500, "1.000 s", "1.000 s "},
		{59_999_499_999, "59.999 s", "59.999 s "},
		{59_999_500_000, "1m00.0s", "1m00.0s "},
		{90e9, "1m30.0s", "1m30.0s "},
		{170e9 + 49e6, "2m50.0s", "2m50.0s "},
		{170e9 + 51e6, "2m50.1s", "2m50.1s "},
		{3_599_949_999_999, "59m59.9s", "59m59.9s "},
		{3_599_950_000_000, "1h00m00s", "1h00m00s "},
		{90_061e9, "25h01m01s", "25h01m01s "},
		{-1234, "-1.234 us", "-1.234 us"},
		{-90e9, "-1m30.0s", "-1m30.0s "},
		{math.MaxInt64, "2562047h47m17s", "2562047h47m17s "},
		{math.MinInt64, "-2562047h47m17s", "-2562047h47m17s "},
	} {
		if got := Duration(tt.ns); got != tt.want {
			t.Errorf("Duration(%d) = %q, want %q", tt.ns, got, tt.want)
		}
		if got := Aligned(time.Duration(tt.ns)); got != tt.aligned {
			t.Errorf("Aligned(%d) = %q, want %q", tt.ns, got, tt.aligned)
		}
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[uint64]string{
		0: "0", 999: "999", 1000: "1,000", 123456: "123,456", 1234567: "1,234,567",
		math.MaxUint64: "18,446,744,073,709,551,615",
	} {
		if got := Count(n); got != want {
			t.Errorf("Count(%d) = %q, want %q", n, got, want)
		}
	}
	for n, want := range map[uint64]string{0: "0 calls", 1: "1 call", 2000: "2,000 calls"} {
		if got := Things(n, "call"); got != want {
			t.Errorf("Things(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestBytes(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 bytes", 1: "1 byte", 999: "999 bytes", 1000: "1.0 KB", 999_949: "999.9 KB", 999_950: "1.0 MB",
		1_234_000_000: "1.2 GB", 5e15: "5000.0 TB",
	} {
		if got := Bytes(n); got != want {
			t.Errorf("Bytes(%d) = %q, want %q", n, got, want)
		}
	}
}
