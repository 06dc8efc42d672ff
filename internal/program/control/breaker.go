package control

import (
	"fmt"
	"sync"
	"time"

	"github.com/waymark-go/waymark/internal/text/units"
)

// A Costly is a task whose calls take the program time.
type Costly interface {
	Task
	// Took returns what the program has done for the task, of CPU time, as far as that is known.
	Took() time.Duration
	// Pause has calls not told any more, or told again. Nothing pauses a task that is closed.
	Pause(on bool) error
}

// A Trimmer is a task that can do with less of what costs most, instead of pauses.
type Trimmer interface {
	// Trim has calls of some functions counted only, so that the others take that share of what they have taken since
	// it was last called, or since the task began. It returns the number of functions whose calls are only counted
	// now. With an error nothing has changed.
	Trim(share float64) (functions int, err error)
}

// A Cut says that a task was cut back: its calls took more of the program's CPU time than the budget.
type Cut struct {
	Took   float64 `json:"took"`   // the largest share of the program's own CPU time that they took
	On     float64 `json:"on"`     // the share of the time in which calls were told
	Period float64 `json:"period"` // the same since the last news

	Counted int `json:"counted,omitempty"` // functions whose calls are only counted since; the others are as before
}

// ExpireEvery is how long it may be at most between two calls of Expire: a breaker may begin meanwhile.
const ExpireEvery = breakerLook

// UsualBudget is the budget of those who look into a program and have not been given one.
const UsualBudget = 0.05

// String says what was done.
func (c *Cut) String() string {
	if c.Counted > 0 {
		return fmt.Sprintf("cut back: the calls take %s of the program's CPU time, more than the budget; those of %s are only counted", percent(c.Took), units.Things(uint64(c.Counted), "function"))
	}
	return fmt.Sprintf("cut back: the calls take %s of the program's CPU time, more than the budget; they were seen for %s of the time", percent(c.Took), percent(c.On))
}

func percent(share float64) string { return fmt.Sprintf("%.0f %%", 100*share) }

// Times of a breaker.
const (
	breakerLook = 200 * time.Millisecond // it decides by what has happened in so much time
	briefLook   = 20 * time.Millisecond  // the same of a task for which it would have to pause for more than mostRest
	mostRest    = 10 * time.Second       // it pauses a task for so long at most

	// leastBusy is the share of the time that counts as the program's own CPU time at least: one that waits has time
	// for calls.
	leastBusy = 0.1

	// aim is the part of the budget that is left when calls are only counted.
	aim = 0.8

	// mostTook is the largest share of the CPU time that a task is taken to have taken: what calls take is estimated.
	mostTook = 0.9
)

// Share returns the share of a program's own CPU time that calls have taken, of all that the program has used. What they
// have taken is estimated: it may be more than all. The own time is taken to be least at least.
func Share(took, used, least time.Duration) float64 {
	part := min(float64(took), float64(used)*mostTook)
	return part / max(float64(used)-part, float64(least), 1)
}

// A breaker keeps a task within a budget: it pauses a task that costs more, so that it costs no more on average.
type breaker struct {
	Costly
	share float64
	now   func() time.Time
	cpu   func() time.Duration // of the program

	mu                   sync.Mutex
	began, since, paused time.Time // since: it was resumed, or paused; paused: until then, zero: it is not
	took, used           time.Duration
	look                 time.Duration // how long it looks at what happens
	rested               time.Duration
	told                 time.Time     // when there were news
	toldRested           time.Duration // until then
	cut                  Cut
}

func newBreaker(t Costly, share float64, now func() time.Time, cpu func() time.Duration) *breaker {
	b := &breaker{Costly: t, share: share, now: now, cpu: cpu, began: now(), look: breakerLook}
	b.told = b.began
	b.begin(b.began)
	return b
}

// begin begins to look at what the task costs.
func (b *breaker) begin(now time.Time) { b.since, b.took, b.used = now, b.Took(), b.cpu() }

// step decides whether the task goes on, and returns when to decide again.
func (b *breaker) step() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now()
	whole := now.Sub(b.since)
	switch {
	case !b.paused.IsZero() && now.Before(b.paused):
		return b.paused.Sub(now)
	case !b.paused.IsZero():
		b.rested += whole
		b.paused = time.Time{}
		b.Pause(false) // an error is that a policy has ended the task, which says so
		b.begin(now)
		return b.look
	case whole < b.look:
		return b.look - whole
	}
	b.look = breakerLook
	share := Share(b.Took()-b.took, b.cpu()-b.used, time.Duration(leastBusy*float64(whole)))
	if share <= b.share {
		b.begin(now)
		return breakerLook
	}
	if t, ok := b.Costly.(Trimmer); ok {
		if n, err := t.Trim(b.share / share * aim); err == nil {
			b.cut.Took, b.cut.Counted = max(b.cut.Took, share), n
			b.begin(now)
			return breakerLook
		}
	}
	if b.Pause(true) != nil {
		b.begin(now)
		return breakerLook
	}
	b.cut.Took = max(b.cut.Took, share)
	times := share/b.share - 1
	if float64(breakerLook)*times > float64(mostRest) {
		b.look = briefLook
	}
	rest := time.Duration(min(float64(whole)*times, float64(mostRest)))
	b.since, b.paused = now, now.Add(rest)
	return rest
}

// Next implements Task.
func (b *breaker) Next() News {
	n := b.Costly.Next()
	b.mu.Lock()
	defer b.mu.Unlock()
	now, rested := b.now(), b.rested
	if !b.paused.IsZero() {
		rested += now.Sub(b.since)
	}
	if b.cut.Took > 0 {
		cut := b.cut
		cut.On = on(rested, now.Sub(b.began))
		cut.Period = on(rested-b.toldRested, now.Sub(b.told))
		n.Cut = &cut
	}
	b.told, b.toldRested = now, rested
	return n
}

// on returns the share of the time in which a task was not paused.
func on(rested, of time.Duration) float64 { return 1 - float64(rested)/float64(max(of, rested, 1)) }
