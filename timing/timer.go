package timing

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/waymark-go/waymark/internal/program/console"
	"github.com/waymark-go/waymark/internal/program/rt"
)

// A Timer measures how long something takes, from an enter to an exit. Any number of goroutines may
// call its methods at the same time. While the timer is not active, a call costs one atomic load.
type Timer struct {
	node
	index int // among the timers of all sets

	told   atomic.Pointer[audience] // nil while the timer is not active, or there is no handler
	opens  atomic.Pointer[opens]    // made before told is set for the first time
	strays atomic.Bool              // there was an exit without an enter
}

// An audience is the handlers of an enter, and so of its exit.
type audience struct{ handlers []Handler }

func (a *audience) tell(e Event) {
	for _, h := range a.handlers {
		h.Handle(e)
	}
}

// count is the number of timers of all sets.
var count atomic.Int64

// A Measurement is in progress from Enter until Exit. It may be copied and passed on to another
// goroutine, and ends once. The zero Measurement is that of a timer that was not active.
type Measurement struct {
	timer     *Timer
	told      *audience
	ticket    *ticket
	number    uint64 // of the ticket
	goroutine uint64
	at        time.Duration
}

// A ticket is that of one measurement at a time. Its number says of which one.
type ticket struct{ number atomic.Uint64 }

// tickets keeps those that are not in use.
var tickets = sync.Pool{New: func() any { return new(ticket) }}

// Enter begins a measurement. Exit ends it, on any goroutine.
func (t *Timer) Enter() Measurement {
	if told := t.told.Load(); told != nil {
		return t.begin(told)
	}
	return Measurement{}
}

// Exit ends a measurement that Enter of this timer has begun, also if the timer has been switched off
// since. It does nothing if the timer was not active then. A measurement that has ended before, or is
// another timer's, is a stray exit: it is counted, and reported once for each timer, see Config.Stray.
func (t *Timer) Exit(m Measurement) {
	if m.ticket != nil {
		t.finish(m)
	}
}

func (t *Timer) begin(told *audience) Measurement {
	goroutine := t.set.goroutine()
	t.opens.Load()[spread(goroutine)].timed.Add(1)
	k := tickets.Get().(*ticket)
	m := Measurement{t, told, k, k.number.Load(), goroutine, t.set.now()}
	told.tell(Event{Timer: t, Kind: Enter, Goroutine: goroutine, Time: m.at})
	return m
}

func (t *Timer) finish(m Measurement) {
	now := t.set.now()
	goroutine := t.set.goroutine()
	if m.timer != t || !m.ticket.number.CompareAndSwap(m.number, m.number+1) {
		if told := t.told.Load(); told != nil {
			t.stray(told, goroutine, now)
		}
		return
	}
	tickets.Put(m.ticket)
	t.opens.Load()[spread(goroutine)].timed.Add(-1)
	m.told.tell(Event{t, Exit, goroutine, m.goroutine, now, max(now-m.at, 0)})
}

func (t *Timer) stray(told *audience, goroutine uint64, now time.Duration) {
	told.tell(Event{Timer: t, Kind: Stray, Goroutine: goroutine, Time: now})
	if !t.strays.Swap(true) {
		t.set.stray(t, goroutine)
	}
}

// Time measures f, also if a panic or runtime.Goexit ends f, and if f switches the timer off.
func (t *Timer) Time(f func()) {
	told := t.told.Load()
	if told == nil {
		f()
		return
	}
	goroutine := t.set.goroutine()
	timed := &t.opens.Load()[spread(goroutine)].timed
	timed.Add(1)
	at := t.set.now()
	told.tell(Event{Timer: t, Kind: Enter, Goroutine: goroutine, Time: at})
	defer func() {
		now := t.set.now()
		timed.Add(-1)
		told.tell(Event{t, Exit, goroutine, goroutine, now, max(now-at, 0)})
	}()
	f()
}

// Open returns the number of measurements that have begun and not ended.
func (t *Timer) Open() int {
	if o := t.opens.Load(); o != nil {
		return o.count()
	}
	return 0
}

// enterAny begins a measurement that an exitAny ends, perhaps on another goroutine. They are for info
// functions, where nothing passes a Measurement on.
func (t *Timer) enterAny() {
	if t.told.Load() != nil {
		t.enter(false)
	}
}

// exitAny ends the calling goroutine's latest measurement of enterAny. If the goroutine has none,
// exitAny ends the oldest one of all goroutines.
func (t *Timer) exitAny() {
	if told := t.told.Load(); told != nil {
		t.exit(told)
	}
}

// enterOwn begins a measurement that only the goroutine's own call of exitOwn ends. Once a timer
// has been active, it must know of these calls also while it is off: see shadow.
func (t *Timer) enterOwn() {
	if t.opens.Load() != nil {
		t.enter(true)
	}
}

// enter begins a measurement, which exitAny ends, or with own exitOwn.
func (t *Timer) enter(own bool) {
	goroutine := t.set.goroutine()
	o := pool.Get().(*open)
	s := t.opens.Load().shard(goroutine)
	s.mu.Lock()
	// Read again: once the timer has been switched off, what is open is drained shard by shard.
	told := t.told.Load()
	if told == nil {
		shadow := own && s.shadow(o, goroutine)
		s.mu.Unlock()
		if !shadow {
			pool.Put(o)
		}
		return
	}
	*o = open{goroutine: goroutine, told: told, own: own}
	s.push(o)
	o.at = t.set.now() // last, so that as little as possible of this function is measured
	at := o.at
	s.mu.Unlock()
	told.tell(Event{Timer: t, Kind: Enter, Goroutine: goroutine, Time: at})
}

func (t *Timer) exit(told *audience) {
	now := t.set.now()
	goroutine := t.set.goroutine()
	if o := t.opens.Load().take(goroutine); o != nil {
		t.end(o, goroutine, now)
		return
	}
	t.stray(told, goroutine, now)
}

// exitOwn ends what the goroutine began by enterOwn, also if the timer has been switched off since.
// It does nothing if the timer was off when the call began.
func (t *Timer) exitOwn() {
	opens := t.opens.Load()
	if opens == nil {
		return
	}
	now := t.set.now() - delay()
	goroutine := t.set.goroutine()
	if o := opens.takeOwn(goroutine); o != nil {
		t.end(o, goroutine, max(now, o.at)) // the bubble of testing/synctest has a clock of its own
	}
}

// delay returns how long ago the call ended whose exit a monitor is reporting.
func delay() time.Duration {
	if !rt.Enabled {
		return 0
	}
	return time.Duration(rt.Late())
}

func (t *Timer) end(o *open, goroutine uint64, now time.Duration) {
	e := Event{t, Exit, goroutine, o.goroutine, now, max(now-o.at, 0)}
	told := o.told
	*o = open{}
	pool.Put(o)
	if told != nil {
		told.tell(e)
	}
}

// drop sends Dropped to the handlers of the enters in list.
func (t *Timer) drop(list []*open) {
	for _, o := range list {
		if o.told == nil {
			continue
		}
		o.told.tell(Event{
			Timer: t, Kind: Dropped, Goroutine: t.set.goroutine(), Entered: o.goroutine, Time: t.set.now(),
		})
	}
}

// sayStray is Config.Stray if that is nil.
func sayStray(t *Timer, goroutine uint64) {
	console.Say("timer %s: an exit without an enter, on goroutine %d; more of this timer's are counted and not reported", t.name, goroutine)
}
