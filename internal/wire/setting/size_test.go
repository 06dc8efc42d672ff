package setting

import "testing"

func TestParseSize(t *testing.T) {
	for s, want := range map[string]int64{
		"0": 0, "65536": 65536, "10B": 10, "64KB": 64e3, "64kib": 64 << 10, "64 MB": 64e6, "64MiB": 64 << 20,
		"2gb": 2e9, "2GiB": 2 << 30, "1TB": 1e12, "1TiB": 1 << 40, "9223372036854775807": 1<<63 - 1, "8388607TiB": 8388607 << 40,
	} {
		if n, err := parseSize(s); err != nil || n != want {
			t.Errorf("%q: %d, %v; want %d", s, n, err, want)
		}
	}
	for _, s := range []string{"", "B", "MB", "-1", "-1MB", "1.5GB", "64M", "64 M B", "0x10", "1e6", "9223372036854775808", "8388608TiB", "9223372036854776KB"} {
		if n, err := parseSize(s); err == nil {
			t.Errorf("%q: %d; want an error", s, n)
		}
	}
}
