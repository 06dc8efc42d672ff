package budget

import (
	"cmp"
	"slices"

	"github.com/waymark-go/waymark/internal/format"
)

// A move takes a site to another level.
type move struct {
	site  uint32
	level uint8
	rank  int
	cost  float64 // saved, or more, in the period, ns
	worth float64 // cost over information
	undo  bool
}

// worthOfOne is the worth of a function by itself, as a share of the time, whatever its calls are.
const worthOfOne = 0.001

// valuesWorth is the share of a call's information that is in its values.
const valuesWorth = 0.25

// information returns what so many calls of a site tell: the time that they describe.
func (c *Controller) information(f *site, calls float64) float64 {
	return c.seen.ns*worthOfOne + calls*f.length
}

// demote returns the changes that bring the predicted cost within the budget, if there are such.
func (c *Controller) demote() []Change {
	target := c.allowed() * aim
	if c.balance < -c.income(2*reserve) {
		target = c.allowed() * aimDebt
	}
	excess := c.predicted() - target
	if excess <= 0 {
		return nil // it is: the account fills up again
	}
	moves := c.demotions()
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
	n := 0
	for ; n < len(moves) && excess > 0; n++ {
		excess -= moves[n].cost
	}
	moves = moves[:n]
	// A later move may have made earlier ones needless that save little.
	further := make(map[uint32]bool) // sites that are demoted by one more move
	for i := n - 1; i >= 0; i-- {
		m := &moves[i]
		if excess+m.cost <= 0 && !further[m.site] {
			m.undo = true
			excess += m.cost
			continue
		}
		further[m.site] = true
	}
	var changes []Change
	at := make(map[uint32]int, n) // of the change of a site
	for _, m := range moves {
		if m.undo {
			continue
		}
		if k, ok := at[m.site]; ok {
			changes[k].Level = max(changes[k].Level, m.level)
			continue
		}
		at[m.site] = len(changes)
		changes = append(changes, Change{m.site, m.level})
	}
	for _, ch := range changes {
		c.fall(&c.sites[ch.Site], ch.Level)
	}
	return changes
}

// demotions returns all moves that save something.
func (c *Controller) demotions() (moves []move) {
	for i := range c.sites {
		f := &c.sites[i]
		if f.calls == 0 || f.level >= format.LevelCounted {
			continue
		}
		id, calls, rank := uint32(i), float64(f.calls), 0
		if c.Rank != nil {
			rank = c.Rank(id)
		}
		whole := c.information(f, calls)
		events := calls * (c.price(f, format.LevelUnvalued) - c.costs.Counted)
		if f.length >= LongCall {
			events = 0 // they would be recorded all the same
		}
		values := 0.0
		if f.level == format.LevelFull {
			values = calls * (c.price(f, format.LevelFull) - c.price(f, format.LevelUnvalued))
		}
		first := move{id, format.LevelUnvalued, rank, values, values / (whole * valuesWorth), false}
		second := move{id, format.LevelCounted, rank, events, events / (whole * (1 - valuesWorth)), false}
		switch {
		case values > 0 && events > 0 && first.worth >= second.worth:
			moves = append(moves, first, second)
		case events > 0:
			second.cost += values
			second.worth = second.cost / whole
			moves = append(moves, second)
		case values > 0:
			moves = append(moves, first)
		}
	}
	return moves
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
	left := c.allowed()*room - c.predicted()
	if left <= 0 {
		return nil
	}
	var moves []move
	for i := range c.sites {
		f := &c.sites[i]
		if f.level == format.LevelFull || c.last.Now < f.retry {
			continue
		}
		to := uint8(format.LevelFull)
		if f.level == format.LevelCounted && f.bytes > 0 {
			to = format.LevelUnvalued
		}
		calls := max(float64(f.calls), f.rate*c.seen.ns)
		m := move{site: uint32(i), level: to, cost: calls * (c.price(f, to) - c.price(f, f.level))}
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
	var changes []Change
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
	return changes
}
