package replay

import "strconv"

// timeWidth is that of the column of times: more than two hours fit.
const timeWidth = 14

// thousands are the numbers below 1000 with three digits.
var thousands = func() (t [1000][3]byte) {
	for i := range t {
		t[i] = [3]byte{byte('0' + i/100), byte('0' + i/10%10), byte('0' + i%10)}
	}
	return t
}()

// appendTime appends ns as seconds, in the form that --time takes: "1.000020300s". All digits are
// there, so that a window can begin and end at a line.
func appendTime(b []byte, ns int64) []byte {
	abs, sign := uint64(ns), ""
	if ns < 0 { // clocks of CPUs may disagree when recording begins
		abs, sign = -abs, "-"
	}
	s, rest := abs/1e9, uint32(abs%1e9)
	var number [24]byte
	b = appendRight(b, strconv.AppendUint(append(number[:0], sign...), s, 10), timeWidth-len(".000000000s"))
	b = append(b, '.')
	b = append(b, thousands[rest/1e6][:]...)
	b = append(b, thousands[rest/1000%1000][:]...)
	b = append(b, thousands[rest%1000][:]...)
	return append(b, 's')
}

// since gives the function for New that tells the time of a file's events since the start of the
// first recording, which was so many ns before the file's.
func since(file interface{ Nanos(clock uint64) int64 }, start int64) func(clock uint64) int64 {
	return func(clock uint64) int64 { return start + file.Nanos(clock) }
}
