package format

// A Tally says what an Encoder has seen of a site's calls.
type Tally struct {
	Calls      uint64 // enters
	Closed     uint64 // exits whose enters are in the same chunk, with no other goroutine in between
	Ticks      uint64 // how long the Closed calls took, together
	ValueBytes uint64 // of the values of enters and exits, as encoded
}

// maxTallies bounds Encoder.Tallies: damaged memory may hold any id.
const maxTallies = 1 << 20

// close counts a call that took so many ticks, or a few below 0 where the counters of CPUs disagree.
func (t *Tally) close(ticks uint64) {
	t.Closed++
	t.Ticks += ticks &^ uint64(int64(ticks)>>63)
}

// grow makes room for the tally of site, and reports whether there is some.
//
//go:noinline
func (e *Encoder) grow(site uint32) bool {
	if e.Tallies == nil || site >= maxTallies {
		return false
	}
	more := make([]Tally, min(max(2*len(e.Tallies), int(site)+1, 64), maxTallies))
	copy(more, e.Tallies)
	e.Tallies = more
	return true
}
