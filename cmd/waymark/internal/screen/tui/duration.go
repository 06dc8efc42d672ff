package tui

import (
	"fmt"
	"strconv"
)

// Duration returns ns in the unit that fits, with three digits: "999ns", "1.23ms", "45.6s", "2m50s". It
// is short, so that 80 columns hold six of them and a name. Package units has the long form.
func Duration[T ~int64](ns T) string {
	if ns < 0 {
		return "-" + Duration(-max(ns, -1<<63+1))
	}
	if ns < 1000 {
		return strconv.FormatInt(int64(ns), 10) + "ns"
	}
	value := float64(ns)
	for _, unit := range []string{"us", "ms", "s"} {
		value /= 1000
		switch limit := 999.5; {
		case unit == "s" && value >= 59.95:
		case value < 9.995:
			return strconv.FormatFloat(value, 'f', 2, 64) + unit
		case value < 99.95:
			return strconv.FormatFloat(value, 'f', 1, 64) + unit
		case value < limit:
			return strconv.FormatFloat(value, 'f', 0, 64) + unit
		}
	}
	seconds := int64(value + 0.5)
	if seconds < 3600 {
		return fmt.Sprintf("%dm%02ds", seconds/60, seconds%60)
	}
	return fmt.Sprintf("%dh%02dm", seconds/3600, seconds/60%60)
}
