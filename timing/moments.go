package timing

import (
	"math"
	"math/big"
	"math/bits"
	"time"
)

// moments adds up durations in ns. All sums are exact integers, in 128 bits for the squares, so the
// order does not matter and nothing cancels. Sums wrap; differences between two instants are right
// all the same.
type moments struct {
	count, sum         uint64
	squares            [2]uint64 // high and low
	smallest, greatest uint64    // if count isn't 0
}

func (m *moments) add(d time.Duration) {
	ns := uint64(max(d, 0))
	if m.count == 0 || ns < m.smallest {
		m.smallest = ns
	}
	m.greatest = max(m.greatest, ns)
	m.count++
	m.sum += ns
	high, low := bits.Mul64(ns, ns)
	m.addSquares(high, low)
}

func (m *moments) addSquares(high, low uint64) {
	var carry uint64
	m.squares[1], carry = bits.Add64(m.squares[1], low, 0)
	m.squares[0], _ = bits.Add64(m.squares[0], high, carry)
}

// merge adds what o has added up.
func (m *moments) merge(o moments) {
	if o.count == 0 {
		return
	}
	if m.count == 0 || o.smallest < m.smallest {
		m.smallest = o.smallest
	}
	m.greatest = max(m.greatest, o.greatest)
	m.count += o.count
	m.sum += o.sum
	m.addSquares(o.squares[0], o.squares[1])
}

// sub returns what m has more than an earlier o. The smallest and the greatest are those of m.
func (m moments) sub(o moments) moments {
	var borrow uint64
	m.count -= o.count
	m.sum -= o.sum
	m.squares[1], borrow = bits.Sub64(m.squares[1], o.squares[1], 0)
	m.squares[0], _ = bits.Sub64(m.squares[0], o.squares[0], borrow)
	return m
}

func (m moments) mean() time.Duration {
	if m.count == 0 {
		return 0
	}
	return nanoseconds(m.sum / m.count)
}

// deviation returns the standard deviation of the durations: the root of (n*squares - sum²) / n².
func (m moments) deviation() time.Duration {
	if m.count == 0 {
		return 0
	}
	n, sum := new(big.Int).SetUint64(m.count), new(big.Int).SetUint64(m.sum)
	v := new(big.Int).SetUint64(m.squares[0])
	v.Lsh(v, 64).Add(v, new(big.Int).SetUint64(m.squares[1]))
	v.Mul(v, n).Sub(v, sum.Mul(sum, sum))
	if v.Sign() <= 0 { // negative only if sums have run over
		return 0
	}
	f, _ := new(big.Float).SetInt(v).Float64()
	return nanoseconds(uint64(math.Round(math.Sqrt(f) / float64(m.count))))
}

// momentsOf returns moments with this count, sum and standard deviation. The squares are as exact
// as the deviation.
func momentsOf(count uint64, total, deviation time.Duration) moments {
	m := moments{count: count, sum: uint64(total)}
	if count == 0 {
		return m
	}
	// deviation² * n + sum² / n
	n, sum, dev := new(big.Int).SetUint64(count), new(big.Int).SetUint64(m.sum), big.NewInt(int64(deviation))
	squares := dev.Mul(dev, dev)
	squares.Mul(squares, n).Add(squares, sum.Mul(sum, sum).Quo(sum, n))
	m.squares[1] = new(big.Int).And(squares, new(big.Int).SetUint64(math.MaxUint64)).Uint64()
	m.squares[0] = squares.Rsh(squares, 64).Uint64()
	return m
}

// nanoseconds converts ns to a Duration. What is more than a Duration can hold becomes the
// greatest.
func nanoseconds(ns uint64) time.Duration { return time.Duration(min(ns, math.MaxInt64)) }
