package diff

import (
	"cmp"
	"math"
	"slices"
)

// The test that tells change from noise is that of Mann and Whitney, which benchstat uses too. It
// assumes nothing about the distribution of measurements. See "On a test of whether one of two
// random variables is stochastically larger than the other", Annals of Mathematical Statistics 18,
// 1947.

// exactly is up to how many values of both samples probability counts all ways to divide them. For more, the
// normal distribution differs by less than 0.001.
const exactly = 40

// probability returns the probability that samples of one distribution differ at least as much as a and b do,
// in either direction. It returns 1 if one of them is empty.
func probability(a, b []int64) float64 {
	if len(a) == 0 || len(b) == 0 {
		return 1
	}
	ranks, sum := ranked(a, b)
	if len(ranks) > exactly {
		return normal(ranks, len(a), sum)
	}
	ways := divide(ranks, len(a))
	var all, below, above float64
	for s, n := range ways {
		all += n
		if s <= sum {
			below += n
		}
		if s >= sum {
			above += n
		}
	}
	return min(1, 2*min(below, above)/all)
}

// smallest returns the least P of samples with as many values.
func smallest(a, b int) float64 {
	ways := 1.0 // to choose a of a+b
	for i := 1; i <= a; i++ {
		ways *= float64(b+i) / float64(i)
	}
	return min(1, 2/ways)
}

// ranked returns twice the rank of each value of both samples, in order, and the sum of those of a.
// Equal values share the mean of their ranks, which is why ranks are doubled.
func ranked(a, b []int64) (ranks []int, sum int) {
	type value struct {
		v   int64
		ofA bool
	}
	all := make([]value, 0, len(a)+len(b))
	for _, v := range a {
		all = append(all, value{v, true})
	}
	for _, v := range b {
		all = append(all, value{v, false})
	}
	slices.SortFunc(all, func(x, y value) int { return cmp.Compare(x.v, y.v) })
	ranks = make([]int, len(all))
	for i := 0; i < len(all); {
		end := i
		for end < len(all) && all[end].v == all[i].v {
			end++
		}
		for j := i; j < end; j++ {
			ranks[j] = i + 1 + end
			if all[j].ofA {
				sum += ranks[j]
			}
		}
		i = end
	}
	return ranks, sum
}

// divide returns in how many ways n of the ranks can be chosen, by their sum.
func divide(ranks []int, n int) []float64 {
	most := 0
	for _, r := range ranks {
		most += r
	}
	ways := make([][]float64, n+1) // by how many were chosen, and their sum
	for i := range ways {
		ways[i] = make([]float64, most+1)
	}
	ways[0][0] = 1
	for _, r := range ranks {
		for chosen := n; chosen > 0; chosen-- {
			for s := most; s >= r; s-- {
				ways[chosen][s] += ways[chosen-1][s-r]
			}
		}
	}
	return ways[n]
}

// normal returns what P returns, from the normal distribution that the sum of ranks comes near to.
func normal(ranks []int, n int, sum int) float64 {
	all := float64(len(ranks))
	mean := float64(n) * (all + 1) // of the doubled sum
	ties := 0.0
	for i := 0; i < len(ranks); {
		end := i
		for end < len(ranks) && ranks[end] == ranks[i] {
			end++
		}
		t := float64(end - i)
		ties += t*t*t - t
		i = end
	}
	variance := float64(n) * (all - float64(n)) / 12 * (all + 1 - ties/(all*(all-1)))
	if variance <= 0 {
		return 1
	}
	const continuity = 1 // half a rank, doubled
	z := max(0, math.Abs(float64(sum)-mean)-continuity) / (2 * math.Sqrt(variance))
	return math.Erfc(z / math.Sqrt2)
}
