package timing

import (
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

// Enter begins a measurement. Exit ends it, perhaps on another goroutine. Measurements may nest.
func (t *Timer) Enter() {
	if t.told.Load() != nil {
		t.enter(false)
	}
}

// Exit ends the calling goroutine's latest measurement. If the goroutine has none, Exit ends the
// oldest measurement of all goroutines. An exit without any enter is counted, and reported once for
// each timer, see Config.Stray. Exit does not end measurements that Time began.
func (t *Timer) Exit() {
	if told := t.told.Load(); told != nil {
		t.exit(told)
	}
}

// Time measures f, also if a panic or runtime.Goexit ends f. In programs that plain Go has built,
// Time costs less than Enter and Exit, and always knows which end belongs to which beginning, see
// Config.Goroutine.
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

// enterOwn begins a measurement that only the goroutine's own call of exitOwn ends. Once a timer
// has been active, it must know of these calls also while it is off: see shadow.
func (t *Timer) enterOwn() {
	if t.opens.Load() != nil {
		t.enter(true)
	}
}

// enter begins a measurement, which Exit ends, or with own exitOwn.
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
	told.tell(Event{Timer: t, Kind: Stray, Goroutine: goroutine, Time: now})
	if !t.strays.Swap(true) {
		t.set.stray(t, goroutine)
	}
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
