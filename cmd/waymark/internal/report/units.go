package report

import (
	"fmt"
	"strconv"
)

// Duration writes nanoseconds in the unit that fits, with three decimals:
// "123 ns", "1.234 us", "1.234 ms", "1.234 s", "1.234 m", "1.234 h".
func Duration(ns int64) string {
	number, unit := splitDuration(ns)
	return number + " " + unit
}

var units = []struct {
	name string
	ns   uint64
	next uint64 // how many make the next unit
}{
	{"us", 1e3, 1e3},
	{"ms", 1e6, 1e3},
	{"s", 1e9, 60},
	{"m", 60e9, 60},
	{"h", 3600e9, 1 << 63},
}

func splitDuration(ns int64) (number, unit string) {
	sign, abs := "", uint64(ns)
	if ns < 0 {
		sign, abs = "-", -abs
	}
	if abs < 1000 {
		return sign + strconv.FormatUint(abs, 10), "ns"
	}
	for _, u := range units {
		thousandth := u.ns / 1000
		n := (abs + thousandth/2) / thousandth
		if n/1000 < u.next {
			var b [24]byte
			text := strconv.AppendUint(append(b[:0], sign...), n/1000, 10)
			return string(append(text, '.', byte('0'+n/100%10), byte('0'+n/10%10), byte('0'+n%10))), u.name
		}
	}
	panic("unreachable: hours have no next unit")
}

// Count writes a number with its digits in groups: "1,234,567".
func Count(n uint64) string {
	s := strconv.FormatUint(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Things writes a count with its noun: "1 call", "2,000 calls".
func Things(n uint64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return Count(n) + " " + noun
}

// Bytes writes a size: "123 bytes", "1.2 KB", "3.4 MB"; a KB is 1000 bytes.
func Bytes(n int64) string {
	if n < 1000 {
		return Things(uint64(n), "byte")
	}
	v := float64(n)
	for _, unit := range []string{"KB", "MB", "GB"} {
		if v /= 1000; v < 999.95 {
			return fmt.Sprintf("%.1f %s", v, unit)
		}
	}
	return fmt.Sprintf("%.1f TB", v/1000)
}
