package format

import (
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
)

func TestTestsRoundTrip(t *testing.T) {
	tests := []TestEvent{
		{},
		{Clock: 1, Goroutine: 7, State: TestBegins, Name: "TestParse", Text: "a_test.go:1: wrong"},
		{Clock: 2, Goroutine: 7, State: TestPasses, Name: "TestParse"},
		{Clock: math.MaxUint64, Goroutine: math.MaxUint64, State: 255, Name: "TestParse/" + strings.Repeat("é", 300)},
		{Clock: 3, Goroutine: 8, State: TestBegins, Name: "TestParse"},
	}
	b := AppendTests(nil, tests)
	if got, err := ParseTests(b); err != nil || !reflect.DeepEqual(got, tests) {
		t.Errorf("%v, %v", got, err)
	}
	for n := range b {
		if _, err := ParseTests(b[:n]); !errors.Is(err, ErrDamaged) {
			t.Errorf("cut to %d bytes of %d: %v", n, len(b), err)
		}
	}
}

// TestNamesOfVersion1 reads names as they were written before one could be left out.
func TestNamesOfVersion1(t *testing.T) {
	want := []TestEvent{{Clock: 1, Goroutine: 7, State: TestBegins, Name: "TestX"}, {Clock: 2, Goroutine: 7, State: TestPasses, Name: "TestX"}}
	full, short := []byte("\x02"+"\x01\x07\x01\x05TestX\x00"+"\x02\x07\x04\x05TestX\x00"), []byte("\x02"+"\x01\x07\x01\x05TestX\x00"+"\x02\x07\x04\x00\x00")
	for _, b := range [][]byte{full, short} {
		if got, err := ParseTests(b); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %v, %v", b, got, err)
		}
	}
	if got := AppendTests(nil, want); string(got) != string(short) {
		t.Errorf("%q, want %q", got, short)
	}
}
