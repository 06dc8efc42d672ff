package protobuf

import (
	"fmt"
	"testing"
)

// Each finds all values of a field among others, and stands damage at any byte.
func TestEach(t *testing.T) {
	var m Message
	m.Uint(1, 300)
	m.String(2, "text")
	m.Fixed(3, 7)
	m = append(m, 4<<3|typeFixed32, 1, 2, 3, 4)
	m.Member(1, 0)
	m.Text(2, "")
	for field, want := range map[Number]string{1: "[300  0 ]", 2: "[0 text 0 ]", 3: "[0 ]", 4: "[0 ]", 5: "[]"} {
		got := ""
		Each(m, field, func(n uint64, b []byte) { got += fmt.Sprintf(" %d %s", n, b) })
		if got = "[" + got[min(len(got), 1):] + "]"; got != want {
			t.Errorf("field %d: %q, want %q", field, got, want)
		}
	}
	for i := range m {
		Each(m[:i], 1, func(uint64, []byte) {})
		damaged := append(Message(nil), m...)
		damaged[i] ^= 0xff
		Each(damaged, 2, func(_ uint64, b []byte) {
			if len(b) > len(m) {
				t.Errorf("%d bytes", len(b))
			}
		})
	}
}
