package inspect

import (
	"sync/atomic"
	"time"

	"github.com/waymark-go/waymark/internal/program/switchboard"
)

// A meter measures what it takes to tell an observer of calls.
type meter struct {
	switchboard.Observer
	rejected atomic.Uint64 // calls, by a condition
	passed   func() uint64 // returns those that came too fast to be looked at; nil: there are none
	told     atomic.Uint64 // events
	ns       atomic.Int64  // that the observer has taken for one event of meterOneIn
}

// What is known of the cost of calls, ns.
const (
	perRejected = 25  // docs/live.md
	perEvent    = 150 // before and behind the observer

	mostMeasured = 50 * time.Microsecond // of an event: else others had the CPU

	// One in so many events is measured: two readings of a clock are a part of what most of them take. It is odd:
	// beginnings and ends take turns.
	meterOneIn = 7
)

// Observe implements switchboard.Observer.
func (m *meter) Observe(e *switchboard.Event) {
	var begin time.Time
	measured := m.told.Add(1)%meterOneIn == 0
	if measured {
		begin = time.Now()
	}
	m.Observer.Observe(e) // in one place: observers of stacks see where they are called
	if measured {
		m.ns.Add(int64(min(time.Since(begin), mostMeasured)))
	}
}

// Passes implements switchboard.Passer.
func (m *meter) Passes() bool {
	p, ok := m.Observer.(switchboard.Passer)
	return ok && p.Passes()
}

// took returns what it has taken until now.
func (m *meter) took() time.Duration {
	light := m.rejected.Load()
	if m.passed != nil {
		light += m.passed()
	}
	return time.Duration(m.ns.Load()*meterOneIn + int64(m.told.Load())*perEvent + int64(light)*perRejected)
}
