package recorder

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// units of sizes, by the names that people write.
var units = []struct {
	name  string
	bytes int64
}{
	{"kib", 1 << 10}, {"mib", 1 << 20}, {"gib", 1 << 30}, {"tib", 1 << 40},
	{"kb", 1e3}, {"mb", 1e6}, {"gb", 1e9}, {"tb", 1e12},
	{"b", 1}, // last: the others end in it
}

// parseSize reads a number of bytes, such as 65536, 64MB or 64MiB.
func parseSize(s string) (int64, error) {
	number, unit := s, int64(1)
	for _, u := range units {
		if i := len(s) - len(u.name); i > 0 && strings.EqualFold(s[i:], u.name) {
			number, unit = strings.TrimRight(s[:i], " "), u.bytes
			break
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64/unit {
		return 0, errors.New("a number of bytes, as in 65536, 64MB or 64MiB")
	}
	return n * unit, nil
}
