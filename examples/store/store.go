package main

// A Store holds rows.
type Store struct{ rows []Row }

// NewStore returns a store of n rows with values that look random and are always the same.
func NewStore(n int) *Store {
	s := &Store{make([]Row, n)}
	x := uint32(1)
	for i := range s.rows {
		r := &s.rows[i]
		x = next(x)
		r.SetGender(int(x >> 9 & 1))
		r.SetAge(int(x >> 10 % 100))
		r.SetHeight(int(140 + x>>17%64))
		x = next(x)
		r.SetAmount(int(x >> 8 % 10000))
	}
	return s
}

// next returns the number after x in a pseudo-random sequence, by xorshift.
func next(x uint32) uint32 {
	x ^= x << 13
	x ^= x >> 17
	return x ^ x<<5
}

// Find returns the number of rows that f matches.
func (s *Store) Find(f *Finder) (matched int) {
	for i := range s.rows {
		if f.Match(&s.rows[i]) {
			matched++
		}
	}
	return matched
}

// A Finder matches rows by their fields.
type Finder struct{ conditions []condition }

type condition struct {
	get   func(*Row) int
	holds func(int) bool
}

// Where adds a condition: holds must return true for the value that get returns.
func (f *Finder) Where(get func(*Row) int, holds func(int) bool) {
	f.conditions = append(f.conditions, condition{get, holds})
}

// Match reports whether all conditions hold.
func (f *Finder) Match(r *Row) bool {
	for _, c := range f.conditions {
		if !c.holds(c.get(r)) {
			return false
		}
	}
	return true
}
