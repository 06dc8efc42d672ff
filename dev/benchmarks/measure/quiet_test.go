package measure

import (
	"math"
	"testing"
	"time"
)

func TestQuiet(t *testing.T) {
	took := []time.Duration{130, 100, 100, 104, 120, 90, 90, 99}
	q := newQuiet(2, func() time.Duration {
		d := took[0]
		took = took[1:]
		return d
	})
	ran := 0
	for i, want := range []float64{0.04, 1.0 / 3, 0.1} {
		if got := q.During(func() { ran++ }); math.Abs(got-want) > 1e-9 || ran != i+1 {
			t.Errorf("run %d: slower by %v, ran %d times; want %v, once", i, got, ran-i, want)
		}
	}
}
