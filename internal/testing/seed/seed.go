// Package seed is for tests that use random numbers. A test that fails prints its seed, and
// the flag -seed repeats the failure:
//
//	r := seed.Rand(t, 1)           // the seed is 1, or that of -seed
//	for _, s := range seed.List(20) { // 0 to 19, or that of -seed; the test prints it
//
//	go test ./tracefile -run TestScan -seed 7
package seed

import (
	"flag"
	"math/rand"
	"strconv"
	"testing"
)

// given is the value of -seed, nil without it.
var given *uint64

func init() {
	flag.Func("seed", "seed of random tests", func(text string) error {
		n, err := strconv.ParseUint(text, 0, 64)
		given = &n
		return err
	})
}

// Rand returns a source of random numbers. Its seed is that of -seed, or else the given one. If
// the test fails, it prints the seed.
func Rand(t testing.TB, seed uint64) *rand.Rand {
	if given != nil {
		seed = *given
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the same again: -run %q -seed %d", t.Name(), seed)
		}
	})
	return rand.New(rand.NewSource(int64(seed)))
}

// List returns the seeds 0 to n-1, or that of -seed alone.
func List(n int) []uint64 {
	if given != nil {
		return []uint64{*given}
	}
	list := make([]uint64, n)
	for i := range list {
		list[i] = uint64(i)
	}
	return list
}
