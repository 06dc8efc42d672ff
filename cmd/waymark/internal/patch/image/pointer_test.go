package image

import (
	"slices"
	"testing"
)

// Where a program is independent of its position, an address is what the linker says, and integers
// are none.
func TestPointers(t *testing.T) {
	for _, flags := range [][]string{nil, {"-buildmode=pie"}} {
		im := build(t, flags)
		at := im.vars["runtime.firstmoduledata"]
		if got := im.pointer(at); got != im.tables.at || got == 0 {
			t.Errorf("%v: the address of the table of functions is %#x, want %#x", flags, got, im.tables.at)
		}
		const length = 8 // from the pointer of a slice on
		for slice := at + 8; slice < at+6*24; slice += 24 {
			n := im.word(slice + length)
			if got := im.pointer(slice + length); n == 0 || flags == nil && got != n || flags != nil && got != 0 {
				t.Errorf("%v: %d is a length, and as an address %#x", flags, n, got)
			}
		}
	}
}

func TestUnpack(t *testing.T) {
	b := []byte{
		0, 0x10, 0, 0, 0, 0, 0, 0,
		0b1011, 0, 0, 0, 0, 0, 0, 0x80, // 0, 2 and 62 words behind it
		0b11, 0, 0, 0, 0, 0, 0, 0,
		0, 0x20, 0, 0, 0, 0, 0, 0,
	}
	if got, want := unpack(b), []uint64{0x1000, 0x1008, 0x1018, 0x1008 + 62*8, 0x1008 + 63*8, 0x2000}; !slices.Equal(got, want) {
		t.Errorf("%#x, want %#x", got, want)
	}
}
