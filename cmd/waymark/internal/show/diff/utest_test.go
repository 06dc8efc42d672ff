package diff

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The values are counted by hand: of how many ways to divide the ranks, so many are as extreme.
func TestProbability(t *testing.T) {
	for _, tt := range []struct {
		a, b []int64
		want float64
	}{
		{[]int64{1, 2, 3}, []int64{4, 5, 6}, 0.1},
		{[]int64{1, 2, 3, 4}, []int64{5, 6, 7, 8}, 2.0 / 70},
		{[]int64{1, 2, 3, 4, 5}, []int64{10, 9, 8, 7, 6}, 2.0 / 252},
		{[]int64{1, 3, 5}, []int64{2, 4, 6}, 0.7},
		{[]int64{7}, []int64{9}, 1},
		{[]int64{5, 5, 5, 5}, []int64{5, 5, 5, 5}, 1},
		{[]int64{1, 1, 1, 1}, []int64{1, 1, 1, 2}, 1},
		{[]int64{1, 1, 1, 1}, []int64{2, 2, 2, 2}, 2.0 / 70},
		{nil, []int64{1}, 1},
	} {
		if got := probability(tt.a, tt.b); math.Abs(got-tt.want) > 1e-12 {
			t.Errorf("probability(%v, %v) = %v, want %v", tt.a, tt.b, got, tt.want)
		}
		if got, other := probability(tt.a, tt.b), probability(tt.b, tt.a); math.Abs(got-other) > 1e-12 {
			t.Errorf("probability(%v, %v) = %v, other way round %v", tt.a, tt.b, got, other)
		}
	}
}

// Both ways to count agree, and no P is below the least.
func TestNormal(t *testing.T) {
	const seed = 7
	r := rand.New(rand.NewPCG(seed, seed))
	for range 40 {
		n := 16 + r.IntN(5)
		a, b := make([]int64, n), make([]int64, n)
		for i := range n {
			a[i], b[i] = r.Int64N(30), r.Int64N(30)+r.Int64N(15)
		}
		ranks, sum := ranked(a, b)
		exact, about := probability(a, b), normal(ranks, n, sum)
		if math.Abs(exact-about) > 0.012 {
			t.Errorf("seed %d: probability(%v, %v) = %v, by the normal distribution %v", seed, a, b, exact, about)
		}
		if exact < smallest(n, n) {
			t.Errorf("seed %d: probability(%v, %v) = %v < %v", seed, a, b, exact, smallest(n, n))
		}
	}
	for _, tt := range []struct {
		a, b int
		want float64
	}{{1, 1, 1}, {3, 3, 0.1}, {4, 4, 2.0 / 70}, {10, 10, 2.0 / 184756}} {
		if got := smallest(tt.a, tt.b); math.Abs(got-tt.want) > 1e-12 {
			t.Errorf("smallest(%d, %d) = %v, want %v", tt.a, tt.b, got, tt.want)
		}
	}
}

// Of samples of one distribution, one in twenty differs at p <= 0.05, and none more often.
func TestFalseAlarms(t *testing.T) {
	const seed, rounds = 3, 1000
	r := rand.New(rand.NewPCG(seed, seed))
	for _, n := range []int{4, 8, 12} {
		alarms := 0
		for range rounds {
			a, b := make([]int64, n), make([]int64, n)
			for i := range n {
				a[i], b[i] = int64(r.ExpFloat64()*1e6), int64(r.ExpFloat64()*1e6)
			}
			if probability(a, b) <= 0.05 {
				alarms++
			}
		}
		if share := float64(alarms) / rounds; share > 0.07 || share < 0.015 {
			t.Errorf("seed %d: %.3f of samples of %d differ", seed, share, n)
		}
	}
}
