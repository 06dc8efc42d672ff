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
		{Clock: 1, Goroutine: 7, State: TestBegins, Name: "TestParse", Text: "a_test.go:1: wrong"},
		{Clock: math.MaxUint64, Goroutine: math.MaxUint64, State: 255, Name: "TestParse/" + strings.Repeat("é", 300)},
		{},
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
