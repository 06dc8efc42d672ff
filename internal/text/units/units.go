// Package units writes durations, counts and sizes for people, in the same way everywhere.
//
//	units.Duration(1234567)       // "1.235 ms"
//	units.Things(2000, "call")    // "2,000 calls"
//	units.Bytes(3_400_000)        // "3.4 MB"
package units

import (
	"fmt"
	"strconv"
)

// Duration returns nanoseconds in the unit that fits: "123 ns", "1.234 us", "1.234 ms", "1.234 s",
// "2m50.0s", "1h02m03s".
func Duration[T ~int64](ns T) string {
	number, unit := split(int64(ns))
	if unit == "" {
		return number
	}
	return number + " " + unit
}

// Aligned returns a duration for a column that is aligned right: units stand below each other.
func Aligned[T ~int64](ns T) string {
	number, unit := split(int64(ns))
	switch len(unit) {
	case 0:
		return number + " "
	case 1:
		unit += " "
	}
	return number + " " + unit
}

// Units up to a minute.
var units = []struct {
	name string
	ns   uint64
	next uint64 // from this number on the next unit fits
}{
	{"us", 1e3, 1e3},
	{"ms", 1e6, 1e3},
	{"s", 1e9, 60},
}

// split returns a number and its unit. For a minute and more it returns a text that needs no unit.
func split(ns int64) (number, unit string) {
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
	if tenths := (abs + 5e7) / 1e8; tenths < 36000 {
		return fmt.Sprintf("%s%dm%02d.%ds", sign, tenths/600, tenths/10%60, tenths%10), ""
	}
	seconds := (abs + 5e8) / 1e9
	return fmt.Sprintf("%s%dh%02dm%02ds", sign, seconds/3600, seconds/60%60, seconds%60), ""
}

// Count returns a number with its digits in groups: "1,234,567".
func Count(n uint64) string {
	s := strconv.FormatUint(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Things returns a count with its noun: "1 call", "2,000 calls".
func Things(n uint64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return Count(n) + " " + noun
}

// Bytes returns a size: "123 bytes", "1.2 KB", "3.4 MB"; a KB is 1000 bytes.
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
