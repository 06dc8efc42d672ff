package format

import (
	"errors"
	"math"
	"reflect"
	"testing"
)

func TestCountsRoundTrip(t *testing.T) {
	for _, counts := range [][]Count{
		{},
		{{Site: 1}, {Site: FirstCode - 1, Level: 127, Calls: math.MaxUint64}, {Site: 300, Level: LevelCounted, Calls: 128}, {Site: 1, Level: LevelUnvalued}},
		{{Site: 3, Level: LevelSampled, Calls: 7, Guess: Guess{1, 300, math.MaxUint64}}, {Site: 4, Guess: Guess{Windows: 9}}},
	} {
		b := AppendCounts(nil, math.MaxUint64, counts)
		clock, got, err := ParseCounts(b)
		if clock != math.MaxUint64 || !reflect.DeepEqual(got, counts) || err != nil {
			t.Errorf("clock %d, %v, %v, want %d, %v", clock, got, err, uint64(math.MaxUint64), counts)
		}
		for n := range b {
			if _, _, err := ParseCounts(b[:n]); !errors.Is(err, ErrDamaged) {
				t.Errorf("%v cut to %d bytes of %d: %v", counts, n, len(b), err)
			}
		}
	}
}

func TestCountsDamaged(t *testing.T) {
	for _, tt := range []struct {
		name    string
		payload []byte
	}{
		{"nothing", nil},
		{"site 0", []byte{1, 1, 0, 2, 5}},
		{"site FirstCode", AppendCounts(nil, 1, []Count{{Site: FirstCode}})},
		{"more than there are", []byte{1, 2, 7, 2, 5}},
		{"more than memory", []byte{1, 255, 255, 255, 255, 255, 255, 255, 255, 127, 7, 2, 5}},
		{"calls of 65 bits", []byte{1, 1, 7, 2, 255, 255, 255, 255, 255, 255, 255, 255, 255, 2}},
	} {
		if _, counts, err := ParseCounts(tt.payload); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v, %v, want ErrDamaged", tt.name, counts, err)
		}
	}
}
