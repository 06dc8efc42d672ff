package report

import (
	"math"
	"testing"
)

func TestDuration(t *testing.T) {
	for _, tt := range []struct {
		ns   int64
		want string
	}{
		{0, "0 ns"},
		{999, "999 ns"},
		{1000, "1.000 us"},
		{1234, "1.234 us"},
		{999_999, "999.999 us"},
		{1_234_499, "1.234 ms"},
		{1_234_500, "1.235 ms"},
		{999_999_499, "999.999 ms"},
		{999_999_500, "1.000 s"},
		{59_999_499_999, "59.999 s"},
		{59_999_500_000, "1.000 m"},
		{90e9, "1.500 m"},
		{3_599_999_999_999, "1.000 h"},
		{90_000e9, "25.000 h"},
		{-1234, "-1.234 us"},
		{math.MaxInt64, "2562047.788 h"},
		{math.MinInt64, "-2562047.788 h"},
	} {
		if got := Duration(tt.ns); got != tt.want {
			t.Errorf("Duration(%d) = %q, want %q", tt.ns, got, tt.want)
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
	if got := Things(1, "call") + ", " + Things(2000, "call"); got != "1 call, 2,000 calls" {
		t.Error(got)
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

func TestFrequency(t *testing.T) {
	for hz, want := range map[uint64]string{24e6: "24.000 MHz", 62.5e6: "62.500 MHz", 1e9: "1.000 GHz", 2_595_120_000: "2.595 GHz"} {
		if got := frequency(hz); got != want {
			t.Errorf("%d Hz is %s, want %s", hz, got, want)
		}
	}
}
