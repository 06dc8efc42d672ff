package budget

import (
	"fmt"
	"math/rand"
	"testing"

	"github.com/waymark-go/waymark/internal/wire/format"
)

// A function of a simulated program: without tracing it is called so often in a ns of CPU.
type function struct {
	rate   float64 // calls per ns of the program's own CPU
	length float64 // ns
	bytes  float64 // of values in a call
}

// A simulation is a program whose calls cost what they cost, which is not quite what the controller
// takes them to cost.
type simulation struct {
	t         testing.TB
	random    *rand.Rand
	functions []function
	cores     float64 // that the program gets
	busy      float64 // share of these that it uses
	costs     Costs   // in truth
	noise     float64 // of measured CPU times
	samples   float64 // the share of the CPU time that samples take,
	deciding  float64 // and that deciding takes
	dear      float64 // values cost so many times more than the costs say
	timed     ValueTimes
	c         *Controller

	usage   Usage
	stepped int64
	pending []format.Tally // calls in chunks that are not full
	arrived []format.Tally
	waiting float64 // calls in pending
	counts  []uint64
	rest    []float64 // parts of calls
	changes []string  // as "120ms 7 2"
	number  map[uint32]int
	took    func([]Change) // what is done with changes

	base, tracing float64 // since mark, ns
}

var truth = Costs{Call: 45, Write: 18, Values: 30, Byte: 1, Long: 26, Counted: 4}

func simulate(t testing.TB, random *rand.Rand, share float64, functions []function) *simulation {
	s := &simulation{t: t, random: random, functions: functions, cores: 1, busy: 1, costs: truth, noise: 0.02, dear: 1, number: make(map[uint32]int)}
	s.took = s.note
	n := len(functions) + 1 // there is no site 0
	s.pending, s.arrived = make([]format.Tally, n), make([]format.Tally, n)
	s.counts, s.rest = make([]uint64, n), make([]float64, n)
	known := s.costs
	// The calibration is wrong by up to 10 %.
	known.Call *= 0.9 + 0.2*random.Float64()
	known.Counted *= 0.9 + 0.2*random.Float64()
	known.Write *= 0.5 + random.Float64() // it is measured soon
	s.c = New(share, known, s.usage)
	return s
}

// price returns what a call of the function costs the goroutine and the writer, in truth.
func (s *simulation) price(f *function, level uint8) (call, write float64) {
	switch level {
	case format.LevelCounted:
		return s.costs.Long, 0
	case format.LevelOnly:
		return s.costs.Counted, 0
	case format.LevelSampled:
		return 0, 0
	}
	call, write = s.costs.Call, s.costs.Write
	if level == format.LevelFull && f.bytes > 0 {
		call += s.dear * (s.costs.Values + f.bytes*s.costs.Byte)
		write += 5
	}
	return call, write
}

// run lets the program run for so long, in steps of 1 ms.
func (s *simulation) run(ms int) {
	for ; ms > 0; ms-- {
		s.millisecond()
	}
}

func (s *simulation) millisecond() {
	const dt = 1e6
	calls, writes := 0.0, 0.0 // cost of tracing per ns of the program's own
	for i := range s.functions {
		f := &s.functions[i]
		call, write := s.price(f, s.c.Level(uint32(i+1)))
		calls += f.rate * call
		writes += f.rate * write
	}
	cpu := dt * s.cores * s.busy
	own := cpu / (1 + calls + writes)
	if s.busy < 1 { // it has time for both
		own = cpu
		cpu = min(own*(1+calls+writes), dt*s.cores)
	}
	s.base += own
	s.tracing += cpu - own
	jitter := 1 + s.noise*(2*s.random.Float64()-1)
	s.usage.Now += dt
	s.usage.CPU += int64(cpu * jitter)
	s.usage.Samples += int64(cpu * s.samples)
	s.usage.Timer += int64(cpu * s.deciding)
	s.usage.Own += int64(own * writes * (1 + s.noise*(2*s.random.Float64()-1)))
	for i := range s.functions {
		f, id := &s.functions[i], i+1
		s.rest[id] += f.rate * own * (1 + s.noise*(2*s.random.Float64()-1))
		n := uint64(s.rest[id])
		s.rest[id] -= float64(n)
		level := s.c.Level(uint32(id))
		if level >= format.LevelCounted {
			s.counts[id] += n
			continue
		}
		p := &s.pending[id]
		p.Calls += n
		if f.length < 1e6 {
			p.Closed += n
			p.Ticks += uint64(float64(n) * f.length)
		}
		if level == format.LevelFull {
			if f.bytes > 0 {
				p.Valued += n
				p.ValueBytes += uint64(float64(n) * f.bytes)
				timed := float64(n / 31)
				s.timed.Events += n / 31
				s.timed.Bytes += uint64(timed * f.bytes)
				s.timed.Ticks += uint64(timed * s.dear * (s.costs.Values + f.bytes*s.costs.Byte))
			}
		}
		s.waiting += float64(n)
	}
	const chunk = 2048 // calls
	if full := s.waiting >= chunk*s.cores; full {
		for i, p := range s.pending {
			a := &s.arrived[i]
			a.Calls, a.Closed, a.Ticks, a.Valued, a.ValueBytes = a.Calls+p.Calls, a.Closed+p.Closed, a.Ticks+p.Ticks, a.Valued+p.Valued, a.ValueBytes+p.ValueBytes
		}
		clear(s.pending)
		s.waiting = 0
		s.step(2e6)
	}
	if s.c.Demoted() > 0 {
		s.step(25e6)
	}
}

// step has the controller decide if so much time has passed.
func (s *simulation) step(pause int64) {
	if s.usage.Now-s.stepped < pause {
		return
	}
	s.stepped = s.usage.Now
	s.took(s.c.Step(Sample{Usage: s.usage, Tick: 1, Tallies: s.arrived, Counts: s.counts, Values: s.timed}))
	s.timed = ValueTimes{}
	clear(s.arrived)
}

// note keeps changes for messages.
func (s *simulation) note(changes []Change) {
	for _, ch := range changes {
		s.number[ch.Site]++
		s.changes = append(s.changes, fmt.Sprintf("%dms %d:%d", s.usage.Now/1e6, ch.Site, ch.Level))
	}
}

// mark begins to measure what tracing adds.
func (s *simulation) mark() { s.base, s.tracing = 0, 0 }

// added returns what tracing has added since mark, as a share.
func (s *simulation) added() float64 { return s.tracing / s.base }

// within checks what tracing has added since mark.
func (s *simulation) within(what string, most float64) {
	s.t.Helper()
	s.t.Logf("%s: tracing added %.1f %%, want %.1f %% at most", what, 100*s.added(), 100*most)
	if s.added() > most {
		s.t.Errorf("%s: tracing added %.1f %%, want %.1f %% at most; changes: %v", what, 100*s.added(), 100*most, s.last())
	}
	s.mark()
}

// last returns the last changes.
func (s *simulation) last() []string { return s.changes[max(len(s.changes)-20, 0):] }

// level checks the levels of functions, the first one being 1.
func (s *simulation) levels(what string, want ...uint8) {
	s.t.Helper()
	var got []uint8
	for i := range want {
		got = append(got, s.c.Level(uint32(i+1)))
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		s.t.Errorf("%s: levels %v, want %v; changes: %v", what, got, want, s.last())
	}
}

// mostChanges returns how often the site that changed most did.
func (s *simulation) mostChanges() (most int) {
	for _, n := range s.number {
		most = max(most, n)
	}
	return most
}
