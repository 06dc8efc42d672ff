package replay

import (
	"testing"
	"time"
)

func TestAppendTime(t *testing.T) {
	for _, tt := range []struct {
		ns   int64
		want string
	}{
		{0, "  0.000000000s"},
		{1_000_020_300, "  1.000020300s"},
		{12_345_678_901, " 12.345678901s"},
		{100e9, "100.000000000s"},
		{999_999_999_999, "999.999999999s"},
		{1000e9 + 7, "1000.000000007s"},
		{1<<63 - 1, "9223372036.854775807s"},
		{-1, "-0.000000001s"},
		{-2_500_000_000, "-2.500000000s"},
	} {
		got := string(appendTime([]byte("x"), tt.ns))
		if got != "x"+tt.want {
			t.Errorf("%d ns: %q, want %q", tt.ns, got, tt.want)
		}
		for tt.want[0] == ' ' {
			tt.want = tt.want[1:]
		}
		if d, err := time.ParseDuration(tt.want); int64(d) != tt.ns || err != nil {
			t.Errorf("--time reads %q as %d, %v; want %d", tt.want, d, err, tt.ns)
		}
	}
}
