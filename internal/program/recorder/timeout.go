package recorder

import (
	"sync/atomic"
)

// took is how long the program's goroutines have been busy with recording, as far as it is known. It
// serves the limit of go test, which shall not count that: without a budget it is an estimate.
type took struct {
	read  float64      // ns that one reading of the clock takes
	nanos atomic.Int64 // so far
}

// Costs, in readings of the clock and in ns. docs/performance.md has the measurements.
const (
	readsOfEvent = 1.5 // an event: one reading, and what surrounds it
	nsOfByte     = 5   // each byte of values
	bytesOfEvent = 2   // that are none of values
)

// calibrate measures how long a reading takes: the least of some tries.
func (t *took) calibrate(h Hooks) {
	const n = 200
	for try := 0; try < 5; try++ {
		_, begin := h.Clock()
		end := begin
		for i := 0; i < n; i++ {
			_, end = h.Clock()
		}
		if read := float64(end-begin) / n / 2; t.read == 0 || read < t.read { // Clock reads two clocks
			t.read = read
		}
	}
}

// count adds up what recording has taken until now.
func (r *Recorder) count() {
	switch {
	case r.config.Timeout <= 0:
	case r.governor != nil:
		r.took.nanos.Store(r.governor.taken)
	default:
		events := float64(r.out.written.events)
		bytes := max(float64(r.filling.bytes)-bytesOfEvent*events, 0)
		r.took.nanos.Store(int64(events*r.took.read*readsOfEvent + bytes*nsOfByte))
	}
}

// alarm returns how long tests may go on that have run for so many ns: until they would have run for
// the limit without recording. It is negative if there is no limit, and takes no lock.
func (p *program) alarm(elapsed int64) (left int64) {
	r := p.latest.Load()
	if r == nil || r.config.Timeout <= 0 || !r.pid.Running() {
		return -1
	}
	return max(int64(r.config.Timeout)-elapsed+r.took.nanos.Load(), 0)
}
