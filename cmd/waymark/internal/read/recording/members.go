package recording

import (
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree"
	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/tracefile"
)

// Linger is how long after the end of its root call a goroutine of a trace may end. One that runs on works for
// others, for all that a recording knows: what it does after that end belongs to no trace.
const Linger = time.Second

// Members says which goroutines of a process are in which traces. All that knows traces asks it, so that all
// know the same ones.
//
// A goroutine is in the trace of the go statement that made it. Who made a goroutine, and when, is known from
// events Spawn. An older recording has none. There a goroutine is in the trace that its starter is in when the
// goroutine makes its first event, or was in last.
//
// T is what the caller keeps of a strand.
type Members[T any] struct {
	Root    func(c *calltree.Call) bool               // root calls; nil: calls without a caller
	Default bool                                      // nobody has chosen root calls: goroutines that main.main starts have traces of their own
	Again   func(c *calltree.Call) bool               // unless nil: a goroutine whose trace is over leaves the trace with such a call
	Begin   func(s *Strand[T], c *calltree.Call) bool // a trace begins with a call, unless Begin returns false
	Join    func(s, starter *Strand[T])               // a goroutine is started in a trace

	// Over is told of a root call that ends, or that the recording's end cuts, before Leave is told of its goroutine.
	Over func(s *Strand[T], c *calltree.Call)
	// Leave is told that a goroutine does nothing more in a trace. If it doesn't stay what it did after the end of
	// the root call belongs to no trace.
	Leave func(s *Strand[T], stays bool)

	p      *Process
	knows  bool   // there are events Spawn
	linger uint64 // ticks
	now    uint64 // clock
	in     map[uint64]*Strand[T]
	over   []*Lifetime[T] // traces whose root calls have ended, and that linger, in the order of these ends
	sites  map[string]bool

	silent Recent[*Strand[T]] // by goroutine: those that were started, and have no event yet
	before Recent[*Strand[T]] // of older recordings: the latest trace that a goroutine was in
}

// A Strand is what a goroutine does in a trace.
type Strand[T any] struct {
	Data      T
	Trace     *Lifetime[T]
	Goroutine uint64
	Own       bool // the root call is the goroutine's
	Depth     int  // of the root call

	starter *Strand[T]   // it began after the root call's end: whether it is in the trace depends on this one
	waiting []*Strand[T] // those that have ended, and of which that is not known yet
	fate    fate
}

type fate uint8

const (
	unknown fate = iota
	stays
	leaves
)

// A Lifetime is that of a trace.
type Lifetime[T any] struct {
	Root    *function.Func
	End     uint64 // clock of the end of the root call; 0 if it is in progress
	Strands []*Strand[T]

	site uint32 // of Root
}

// Late reports whether what the strand does is after the end of the root call.
func (s *Strand[T]) Late() bool { return s.Trace.End != 0 }

// Whole keeps goroutines in their traces for as long as they run: the caller knows which ones leave.
func (m *Members[T]) Whole() { m.linger = 1 << 62 }

// Knows reports whether the recording says when goroutines were started.
func (m *Members[T]) Knows() bool { return m.knows }

// NewMembers returns Members of a process, whose functions are to be set.
func NewMembers[T any](p *Process) *Members[T] {
	return &Members[T]{p: p, knows: p.File.Info().Spawns, linger: p.Scale.TicksOf(int64(Linger)), in: make(map[uint64]*Strand[T])}
}

// Of returns what a goroutine does in a trace, nil if it is in none.
func (m *Members[T]) Of(goroutine uint64) *Strand[T] { return m.in[goroutine] }

// Spawn notes that a goroutine starts another one.
func (m *Members[T]) Spawn(goroutine, child, clock uint64) {
	m.expire(clock)
	s := m.in[goroutine]
	if s == nil {
		s = m.silent.Get(goroutine)
	}
	if s != nil && m.knows {
		if s = m.join(s, child); s != nil {
			m.silent.Put(child, s)
		}
	}
}

// Start notes that a goroutine has its first event.
func (m *Members[T]) Start(goroutine, parent uint64, origin uint32) {
	if m.knows {
		if s := m.silent.Take(goroutine); s != nil {
			m.in[goroutine] = s
		}
		return
	}
	s := m.in[parent]
	if s == nil && m.recorded(origin) {
		s = m.before.Get(parent)
	}
	if s != nil && !(s.Late() && m.now-min(s.Trace.End, m.now) > m.linger) {
		if s = m.join(s, goroutine); s != nil {
			s.starter = nil // since when it runs is not known
			m.in[goroutine] = s
		}
	}
}

// recorded reports whether a go statement is in a recorded function, and so in a recorded call.
func (m *Members[T]) recorded(origin uint32) bool {
	if m.sites == nil {
		m.sites = make(map[string]bool)
		m.p.File.Funcs(func(_ uint32, f tracefile.Func) bool {
			m.sites[f.Name] = true
			return true
		})
	}
	o, ok := m.p.File.Origin(origin)
	return ok && m.sites[o.Func]
}

// join makes the strand of a goroutine that one of a trace starts. With Default what main.main
// starts has traces of its own: else all that a program does would be one trace.
func (m *Members[T]) join(by *Strand[T], goroutine uint64) *Strand[T] {
	if by.fate == leaves || m.Default && by.Own && by.Trace.Root.Name == "main.main" {
		return nil
	}
	s := &Strand[T]{Trace: by.Trace, Goroutine: goroutine}
	if by.Late() {
		if len(s.Trace.Strands) == 1 {
			m.over = append(m.over, s.Trace)
		}
		if s.starter = by; m.in[by.Goroutine] != by { // without an event: nobody will know of its end
			s.starter = by.starter
		}
	}
	s.Trace.Strands = append(s.Trace.Strands, s)
	m.Join(s, by)
	return s
}

// Enter returns the strand that a call which begins is in, nil if it is in none. The call may begin a trace.
func (m *Members[T]) Enter(c *calltree.Call) *Strand[T] {
	m.expire(c.Start)
	if s := m.in[c.Goroutine]; s != nil {
		if !s.Late() || c.Site != s.Trace.site && (m.Again == nil || !m.Again(c)) {
			return s
		}
		m.settle(s, leaves) // it works for another trace
	}
	if m.Root == nil && c.Depth > 0 || m.Root != nil && !m.Root(c) {
		return nil
	}
	fn, ok := m.p.File.Func(c.Site)
	if !ok {
		return nil
	}
	s := &Strand[T]{Trace: &Lifetime[T]{Root: &fn.Func, site: c.Site}, Goroutine: c.Goroutine, Own: true, Depth: c.Depth}
	s.Trace.Strands = []*Strand[T]{s}
	if !m.Begin(s, c) {
		return nil
	}
	m.in[c.Goroutine] = s
	return s
}

// Exit notes that a call of a strand has ended, which may be the root call.
func (m *Members[T]) Exit(s *Strand[T], c *calltree.Call) {
	if !s.Own || c.Depth != s.Depth {
		return
	}
	t := s.Trace
	if c.Flags&calltree.Open == 0 {
		if t.End = c.End; len(t.Strands) > 1 {
			m.over = append(m.over, t)
		}
	}
	m.Over(s, c)
	m.settle(s, stays)
	if !m.knows {
		m.before.Put(s.Goroutine, s)
	}
}

// End notes that a goroutine has ended, or the recording while it runs.
func (m *Members[T]) End(g *calltree.Goroutine) {
	m.expire(g.End)
	s := m.in[g.ID]
	if s == nil {
		return
	}
	if !m.knows {
		m.before.Put(g.ID, s)
	}
	switch by := s.starter; {
	case s.Late() && (!g.Ended || g.End-min(s.Trace.End, g.End) > m.linger):
		m.settle(s, leaves)
	case by == nil:
		m.settle(s, stays)
	case by.fate == unknown:
		delete(m.in, g.ID)
		by.waiting = append(by.waiting, s)
	default:
		m.settle(s, by.fate)
	}
}

// settle decides what becomes of a strand, and of those that depend on it.
func (m *Members[T]) settle(s *Strand[T], f fate) {
	if s.fate != unknown {
		return
	}
	s.fate = f
	if m.in[s.Goroutine] == s {
		delete(m.in, s.Goroutine)
	}
	m.Leave(s, f == stays)
	for _, w := range s.waiting {
		m.settle(w, f)
	}
	s.waiting = nil
}

// expire ends the traces that have lingered until a clock.
func (m *Members[T]) expire(clock uint64) {
	m.now = max(m.now, clock)
	for len(m.over) > 0 && clock-min(m.over[0].End, clock) > m.linger {
		t := m.over[0]
		m.over = m.over[1:]
		for _, s := range t.Strands {
			if m.silent.Get(s.Goroutine) == s {
				m.silent.Take(s.Goroutine)
			}
			m.settle(s, leaves)
		}
		t.Strands = nil
	}
}

// A Recent is a map of the entries that were put last. Goroutines that never have an event would fill another
// one.
type Recent[V any] struct {
	of     map[uint64]V
	keys   []uint64 // the oldest first from oldest on
	oldest int
}

const maxRecent = 1 << 16

// Put puts an entry.
func (r *Recent[V]) Put(key uint64, v V) {
	if r.of == nil {
		r.of = make(map[uint64]V)
	}
	if _, ok := r.of[key]; !ok {
		if len(r.keys) < maxRecent {
			r.keys = append(r.keys, key)
		} else {
			delete(r.of, r.keys[r.oldest])
			r.keys[r.oldest] = key
			r.oldest = (r.oldest + 1) % maxRecent
		}
	}
	r.of[key] = v
}

// Get returns an entry, the zero value if there is none.
func (r *Recent[V]) Get(key uint64) V { return r.of[key] }

// Take is Get, and takes the entry out.
func (r *Recent[V]) Take(key uint64) V {
	v := r.of[key]
	delete(r.of, key)
	return v
}

// Outliving returns the goroutines that leave traces, by process of the set: those that outlive the trace that
// started them. Traces begin with calls without a caller.
func Outliving(set *tracefile.Set, filter *Filter) (out []map[uint64]bool, err error) {
	_, err = filter.Follow(set, func(p *Process) Follower {
		left := make(map[uint64]bool)
		out = append(out, left)
		m := NewMembers[struct{}](p)
		m.Default = true
		m.Begin = func(*Strand[struct{}], *calltree.Call) bool { return true }
		m.Join = func(_, _ *Strand[struct{}]) {}
		m.Over = func(*Strand[struct{}], *calltree.Call) {}
		m.Leave = func(s *Strand[struct{}], stays bool) {
			if !stays {
				left[s.Goroutine] = true
			}
		}
		return Follower{
			Enter: func(c *calltree.Call) { m.Enter(c) },
			Call: func(c *calltree.Call) {
				if s := m.Of(c.Goroutine); s != nil && c.Flags&(calltree.Info|calltree.Long) == 0 {
					m.Exit(s, c)
				}
			},
			Start: m.Start, End: m.End, Spawn: m.Spawn,
		}
	})
	return out, err
}
