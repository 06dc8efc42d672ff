package budget

import (
	"cmp"
	"math"
	"slices"

	"github.com/waymark-go/waymark/internal/wire/format"
)

// A move takes a site to another level.
type move struct {
	site  uint32
	level uint8
	rank  int
	cost  float64 // saved, or more, in the period, ns
	lost  float64 // information, in the period, ns
	worth float64 // cost over information
	undo  bool
}

// worthOfOne is the worth of a function by itself, as a share of the time, whatever its calls are.
const worthOfOne = 0.001

// leastSampled is the part of the budget that counting a function takes on average before that is saved.
const leastSampled = 0.002

// trifle is the share of what is to be saved that is not worth a demotion.
const trifle = 0.02

// named is how much more the calls of functions tell that the user has named.
const named = 1e6

// lost is the share of the information in a function's calls that is lost with each level.
var lost = [...]float64{format.LevelUnvalued: 0.25, format.LevelCounted: 0.75, format.LevelOnly: 1, format.LevelSampled: 1.25}

// information returns what so many calls of a site tell: the time that they describe.
func (c *Controller) information(f *site, calls float64) float64 {
	return c.seen.ns*worthOfOne + calls*f.length
}

// shorts are the lengths of calls, in ns, below which functions are only counted when they are
// demoted. To look for long calls among theirs would cost more than it tells. Several lengths may
// keep the budget. The one that loses the least information is taken.
var shorts = [...]float64{150, 1e3, 5e3, LongCall}

// A work is memory of decisions, which is used again: the controller runs in programs whose tests
// count mallocs.
type work struct {
	moves   [2][]move
	changes []Change
	news    []uint32 // see Controller.news
}

// demote returns the changes that bring the predicted cost within the budget, if there are such.
func (c *Controller) demote() []Change {
	target := c.seen.income * aim
	if c.balance < -c.income(2*reserve) {
		if target = c.seen.income * aimDebt; c.Strict {
			target = c.seen.income * aimStrict
		}
	}
	excess := c.predicted() - target
	if excess <= 0 {
		return nil // it is: the account fills up again
	}
	for _, i := range c.called {
		if f := &c.sites[i]; f.calls > 0 && c.Rank != nil {
			f.rank = c.Rank(i)
		}
	}
	moves, next := &c.work.moves[0], &c.work.moves[1]
	best, least := math.Inf(1), math.Inf(1)
	for _, short := range shorts {
		left, lost := c.plan(next, short, excess)
		if left <= excess*trifle {
			left = 0
		}
		if left < best || left == best && lost < least {
			moves, next, best, least = next, moves, left, lost
		}
		if c.Times {
			break // they are all the same
		}
	}
	changes := c.work.changes[:0]
	for _, m := range *moves {
		if m.undo {
			continue
		}
		f := &c.sites[m.site]
		if f.change > 0 {
			ch := &changes[f.change-1]
			ch.Level = max(ch.Level, m.level)
			continue
		}
		changes = append(changes, Change{m.site, m.level})
		f.change = len(changes)
	}
	for _, ch := range changes {
		f := &c.sites[ch.Site]
		f.change = 0
		c.fall(f, ch.Level)
	}
	c.work.changes = changes
	return changes
}

// plan puts the moves that save excess into list. It returns what is left of excess, and the
// information that the moves lose.
func (c *Controller) plan(list *[]move, short, excess float64) (left, lost float64) {
	moves := c.demotions((*list)[:0], short)
	slices.SortFunc(moves, func(a, b move) int {
		switch {
		case a.rank != b.rank:
			return cmp.Compare(a.rank, b.rank)
		case a.worth != b.worth:
			return cmp.Compare(b.worth, a.worth)
		case a.site != b.site:
			return cmp.Compare(a.site, b.site)
		}
		return cmp.Compare(a.level, b.level)
	})
	slack := excess * trifle
	n := 0
	for ; n < len(moves) && excess > 0; n++ {
		excess -= moves[n].cost
	}
	moves = moves[:n]
	*list = moves
	for i := range moves {
		c.sites[moves[i].site].further = false
	}
	most := max(excess, 0) + slack
	// A later move may have made earlier ones needless that save little. And functions that are
	// called seldom stay, whether the others suffice or not.
	for i := n - 1; i >= 0; i-- {
		m := &moves[i]
		f := &c.sites[m.site]
		if excess+m.cost <= most && !f.further {
			m.undo = true
			excess += m.cost
			continue
		}
		f.further = true
		if lost += m.lost; m.rank > 0 {
			lost += m.lost * named
		}
	}
	return excess, lost
}

// demotions appends all moves that save something.
func (c *Controller) demotions(moves []move, short float64) []move {
	for _, id := range c.called {
		f := &c.sites[id]
		if f.calls == 0 || f.level == c.lowest() {
			continue
		}
		lowest := uint8(format.LevelCounted)
		if f.length < short || c.Times {
			lowest = format.LevelOnly
		}
		calls, rank := float64(f.calls), f.rank
		whole := c.information(f, calls)
		to := func(level uint8, cost float64) move {
			tells := whole * (lost[level] - lost[f.level])
			return move{site: id, level: level, rank: rank, cost: cost, lost: tells, worth: cost / tells}
		}
		if lowest == format.LevelOnly && c.maySample(f) {
			m := to(format.LevelSampled, calls*c.price(f, lowest))
			m.lost -= whole * max(lost[lowest]-lost[f.level], 0)
			m.worth = m.cost / m.lost
			moves = append(moves, m)
		}
		if f.level >= format.LevelCounted {
			if rest := calls * (c.price(f, f.level) - c.price(f, lowest)); lowest > f.level && rest > 0 {
				moves = append(moves, to(lowest, rest))
			}
			continue
		}
		events := calls * (c.price(f, format.LevelUnvalued) - c.price(f, lowest))
		if f.length >= LongCall && !c.Times {
			events = 0 // they would be recorded all the same
		}
		values := 0.0
		if f.level == format.LevelFull {
			values = calls * (c.price(f, format.LevelFull) - c.price(f, format.LevelUnvalued))
		}
		first, second := to(format.LevelUnvalued, values), to(lowest, events)
		if f.level == format.LevelFull {
			second.lost -= first.lost
			second.worth = second.cost / second.lost
		}
		switch {
		case values > 0 && events > 0 && first.worth >= second.worth:
			moves = append(moves, first, second)
		case events > 0:
			moves = append(moves, to(lowest, values+events))
		case values > 0:
			moves = append(moves, first)
		}
	}
	return moves
}

// maySample reports whether the site's calls may not even be counted. Functions that are called much in a phase of the
// program, and seldom on average, stay: few windows would meet that phase.
func (c *Controller) maySample(f *site) bool {
	return c.Strict && f.rate*c.count(f) >= c.share*c.cpus*leastSampled
}

// lowest returns the lowest level of all.
func (c *Controller) lowest() uint8 {
	if c.Strict {
		return format.LevelSampled
	}
	return format.LevelOnly
}

// fall gives a site a lower level.
func (c *Controller) fall(f *site, level uint8) {
	if f.level == format.LevelFull {
		c.demoted++
	}
	switch {
	case f.promoted == 0 && f.wait > 0: // it falls further, by one more level
	case f.wait > 0 && c.last.Now-f.promoted < 10*f.wait:
		f.wait = min(2*f.wait, mostWait)
	default:
		f.wait = firstWait
	}
	f.level, f.promoted, f.retry = level, 0, c.last.Now+f.wait
}

// promote returns the changes for which there is room.
func (c *Controller) promote() []Change {
	left := c.seen.income*room - c.predicted()
	if left <= 0 {
		return nil
	}
	moves := c.work.moves[0][:0]
	for i := range c.sites {
		f := &c.sites[i]
		if f.level == format.LevelFull || c.last.Now < f.retry {
			continue
		}
		to := uint8(format.LevelFull)
		if f.level >= format.LevelCounted && f.values+f.others > 0 {
			to = format.LevelUnvalued
		}
		calls := max(float64(f.calls), f.rate*c.seen.ns)
		m := move{site: uint32(i), level: to, cost: calls * (c.price(f, to) - c.price(f, f.level))}
		for m.cost > left && m.level+1 < f.level { // a lower one may fit
			if m.level++; m.level == format.LevelUnvalued || m.level == format.LevelCounted && c.Times {
				continue
			}
			m.cost = calls * (c.price(f, m.level) - c.price(f, f.level))
		}
		if m.cost > left {
			continue
		}
		if c.Rank != nil {
			m.rank = c.Rank(m.site)
		}
		m.worth = m.cost / c.information(f, calls)
		moves = append(moves, m)
	}
	slices.SortFunc(moves, func(a, b move) int {
		switch {
		case a.rank != b.rank:
			return cmp.Compare(b.rank, a.rank)
		case a.worth != b.worth:
			return cmp.Compare(a.worth, b.worth)
		}
		return cmp.Compare(a.site, b.site)
	})
	changes := c.work.changes[:0]
	for _, m := range moves {
		if m.cost > left {
			continue
		}
		left -= m.cost
		f := &c.sites[m.site]
		f.level, f.promoted, f.retry = m.level, c.last.Now, c.last.Now+f.wait
		if m.level == format.LevelFull {
			c.demoted--
		}
		changes = append(changes, Change{m.site, m.level})
	}
	c.work.moves[0], c.work.changes = moves, changes
	return changes
}

// Empty reports whether the account is empty. Decisions should not wait then.
func (c *Controller) Empty() bool { return c.balance < 0 }

// Beginning reports whether a test has begun that is recorded in full, until it has taken its part.
func (c *Controller) Beginning() bool { return c.beginning }
