// Package runtime, as waymark adds to it: memory for copies of values.

package runtime

import "unsafe"

// wmSlabs is memory for copies, allocated for many calls at once. Otherwise the allocations would
// be a third of what a monitored call costs. Each piece is handed out once. The collector doesn't
// see the slabs, so a slab lives as long as somebody has a piece of it. A goroutine that waits
// keeps nothing of its last calls alive. So the profile of leaked goroutines finds what it would
// find without slabs. A slab is there for certain while no collection has begun since it was made;
// after that another one is taken.
type wmSlabs struct {
	integers wmIntegers
	lists    wmSlab[any]
	words    wmSlab[uint64] // for values without pointers
	strings  wmSlab[string]
}

type wmSlab[T any] struct {
	all     uintptr // of n Ts
	n, used int
	cycle   uint32 // collections that had begun before it was made
}

// A slab has room for so many of what is kept in it: few at first, as most goroutines make few calls.
const (
	wmLeastSlab = 8
	wmMostSlab  = 128
)

// carve takes n > 0 from a slab. It stores no pointer: write barriers would cost more than all else. A goroutine
// in package runtime is not preempted between the look at the cycle and the use of the address. With the race
// detector checkptr takes an address that nobody had as a pointer for a mistake.
//
//go:nocheckptr
func (s *wmSlab[T]) carve(n int) (out []T) {
	if s.n-s.used < n || s.cycle != work.cycles.Load() {
		return s.renew(n)
	}
	// s.all[s.used:s.used+n:s.used+n], without checks
	*(*slice)(unsafe.Pointer(&out)) = slice{unsafe.Pointer(s.all + uintptr(s.used)*unsafe.Sizeof(out[0])), n, n}
	s.used += n
	return out
}

//go:noinline
func (s *wmSlab[T]) renew(n int) []T {
	cycle := work.cycles.Load() // first: what is made in a later one is not known to survive that
	all := make([]T, wmSlabSize(s.used, n))
	*s = wmSlab[T]{all: uintptr(unsafe.Pointer(unsafe.SliceData(all))), n: len(all), used: n, cycle: cycle}
	return all[:n:n]
}

// wmSlabSize gives the size of the slab that follows one of which so much was used, with room for n.
func wmSlabSize(used, n int) int { return max(n, min(max(2*used, wmLeastSlab), wmMostSlab)) }

// wmIntegers is a slab of integers in interfaces, of which there are as many as words.
type wmIntegers struct {
	lists []any
	words []uint64
	used  int
}

// carve puts n integers into interfaces. kinds has their types, as in waymark_ints.go.
func (s *wmIntegers) carve(n int, kinds uint64, words *[4]uint64) []any {
	if len(s.lists)-s.used < n {
		s.renew(n)
	}
	// Of four, for there are not more, and only n are touched: so nothing is checked but that.
	out := (*[4]any)(add(unsafe.Pointer(unsafe.SliceData(s.lists)), uintptr(s.used)*unsafe.Sizeof(eface{})))[:n:n]
	word := add(unsafe.Pointer(unsafe.SliceData(s.words)), uintptr(s.used)*unsafe.Sizeof(WMWord(0)))
	s.used += n
	for i := range out {
		e, w := (*eface)(unsafe.Pointer(&out[i])), add(word, uintptr(i)*unsafe.Sizeof(WMWord(0)))
		*(*uint64)(w) = words[i&3]
		// Without write barriers: types are never freed, and the words belong to a slab that was
		// reachable when the collector began, or was made since.
		*(*uintptr)(unsafe.Pointer(&e._type)) = uintptr(unsafe.Pointer(wmIntType(kinds)))
		*(*uintptr)(unsafe.Pointer(&e.data)) = uintptr(w)
		kinds >>= 5
	}
	return out
}

//go:noinline
func (s *wmIntegers) renew(n int) {
	size := wmSlabSize(len(s.lists), n)
	s.lists, s.words, s.used = make([]any, size), make([]uint64, size), 0
}
