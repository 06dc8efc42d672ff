package replay

import "strconv"

// timeWidth is that of the column of times, which has room for 1000 s. Longer ones are wider.
const timeWidth = len("123.000000000s")

// thousands are the numbers below 1000 with three digits.
var thousands = func() (t [1000][3]byte) {
	for i := range t {
		t[i] = [3]byte{byte('0' + i/100), byte('0' + i/10%10), byte('0' + i%10)}
	}
	return t
}()

// appendTime appends ns as seconds, in the form that --time takes: "  1.000020300s". All digits are
// there, so that a window can begin and end at a line.
func appendTime(b []byte, ns int64) []byte {
	if ns < 0 || ns >= 1000e9 {
		return appendLongTime(b, ns)
	}
	s, fraction := uint64(ns)/1e9, uint32(uint64(ns)%1e9)
	var text [timeWidth]byte
	*(*[3]byte)(text[:]) = thousands[s]
	for i := 0; i < 2 && text[i] == '0'; i++ {
		text[i] = ' '
	}
	text[3], text[timeWidth-1] = '.', 's'
	*(*[3]byte)(text[4:]) = thousands[fraction/1e6]
	*(*[3]byte)(text[7:]) = thousands[fraction/1000%1000]
	*(*[3]byte)(text[10:]) = thousands[fraction%1000]
	return append(b, text[:]...)
}

// appendLongTime appends a time that the column is too narrow for, or one before the start: clocks
// of CPUs may disagree when recording begins.
func appendLongTime(b []byte, ns int64) []byte {
	abs := uint64(ns)
	if ns < 0 {
		b, abs = append(b, '-'), -abs
	}
	b = strconv.AppendUint(b, abs/1e9, 10)
	b = append(b, '.')
	for unit := uint64(1e6); unit > 0; unit /= 1000 {
		b = append(b, thousands[abs/unit%1000][:]...)
	}
	return append(b, 's')
}
