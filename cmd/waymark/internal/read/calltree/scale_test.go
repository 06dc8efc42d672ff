package calltree

import (
	"math"
	"testing"
)

func TestScale(t *testing.T) {
	for _, tt := range []struct {
		scale Scale
		ticks uint64
		ns    int64
	}{
		{Scale{}, 123, 123},
		{Scale{}, math.MaxUint64, math.MaxInt64},
		{Scale{3, 1}, 1, 0},
		{Scale{3, 1}, 2, 1},
		{Scale{2, 1}, 3, 2},
		{Scale{1, 10}, 7, 70},
		{Scale{1 << 40, 1 << 39}, 1 << 62, 1 << 61},
		{Scale{1, math.MaxUint64}, math.MaxUint64, math.MaxInt64},
	} {
		if got := tt.scale.Nanoseconds(tt.ticks); got != tt.ns {
			t.Errorf("%+v: %d ticks are %d ns, want %d", tt.scale, tt.ticks, got, tt.ns)
		}
	}
	for _, tt := range []struct {
		scale Scale
		ns    int64
		ticks uint64
	}{
		{Scale{}, 123, 123},
		{Scale{3, 1}, 2, 6},
		{Scale{1, 10}, 11, 2},
		{Scale{5, 2}, 1, 3},
		{Scale{5, 2}, -1, 0},
		{Scale{math.MaxUint64, 1}, 2, math.MaxUint64},
	} {
		if got := tt.scale.TicksOf(tt.ns); got != tt.ticks {
			t.Errorf("%+v: %d ns are %d ticks, want %d", tt.scale, tt.ns, got, tt.ticks)
		}
	}
}
