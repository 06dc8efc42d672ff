package switchboard

import (
	"slices"

	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// A budget gives sites levels, which cut what is recorded and timed of their calls. What observers
// are told is not cut. There may be two budgets: of the recording that is going on, and of
// statistics. The lower level holds for both.
const (
	ofRecordings = iota
	ofStatistics
)

// Limit gives a site a level, for the budget of a recording, or for that of statistics if r is nil.
// The levels of a recording end with it.
func (b *Board) Limit(r *Recording, site uint32, level uint8) {
	defer b.lock().unlock()
	t := b.tableOf(site)
	if t == nil || r != nil && b.recording != r {
		return
	}
	levels := &t.levels[ofStatistics]
	if r != nil {
		levels = &t.levels[ofRecordings]
	}
	if *levels == nil {
		*levels = make([]uint8, len(t.words))
	}
	i := int(site - t.Base)
	(*levels)[i] = level
	b.want(t, i, b.cut(t, i))
}

// LimitAll gives all sites, also those of packages that register later, this level at least, for
// the budget of statistics. Recording.Least does that for a recording.
func (b *Board) LimitAll(level uint8) {
	defer b.lock().unlock()
	b.least[ofStatistics] = level
	b.applyAll()
}

// Sample has calls recorded and timed as samples, as far as they are wanted. They are calls of the
// sites that a budget has counted. The samples are of a group, from 1 to format.SampleGroups, until
// Sample is called with group 0. With a greater group calls of all sites that a budget has demoted
// are counted instead, also those that nobody counts else. It is for the budget of a recording, or
// for that of statistics if r is nil. Sites that observers see are left out.
func (b *Board) Sample(r *Recording, group uint32) {
	defer b.lock().unlock()
	limits := ofStatistics
	if r != nil {
		if limits = ofRecordings; b.recording != r {
			return
		}
	}
	b.sampling[limits] = group
	for _, t := range b.tables {
		for _, levels := range t.levels { // of both: a window of the other budget may have left samples
			for i, level := range levels {
				if level >= format.LevelCounted {
					b.want(t, i, b.cut(t, i))
				}
			}
		}
	}
}

// sample returns what is done with calls of a site while calls are sampled; false: no more
// than to count them.
func (b *Board) sample(want uint32) (uint32, bool) {
	const most = 1 << format.SampleShift // ids
	group := b.sampled()
	last := b.tables[len(b.tables)-1]
	if group == 0 || group > format.SampleGroups || want&^(rt.Recorded|rt.Timed|rt.Seen) != 0 || int(last.Base)+len(last.words) > most {
		return 0, false
	}
	if want&rt.Recorded != 0 {
		want |= rt.Unvalued
	}
	return want | group<<format.SampleShift, true
}

// sampled returns the group of the samples that are taken, see Sample.
func (b *Board) sampled() uint32 { return max(b.sampling[ofRecordings], b.sampling[ofStatistics]) }

// keepLevels has the levels of a recording hold beyond its end. Nobody samples calls then: they are counted.
func (b *Board) keepLevels() {
	b.sampling[ofRecordings] = 0
	for _, t := range b.tables {
		for i, level := range t.levels[ofRecordings] {
			t.levels[ofRecordings][i] = min(level, format.LevelCounted)
		}
	}
}

// unlimit has all sites at level full again. The caller applies that.
func (b *Board) unlimit(limits int) {
	b.least[limits], b.sampling[limits] = format.LevelFull, 0
	for _, t := range b.tables {
		t.levels[limits] = nil
	}
}

// cut returns what is done with calls of the i-th site of t: what is wanted, as far as its level
// allows.
func (b *Board) cut(t *Table, i int) uint32 {
	want := t.wants[i]
	if want&(rt.Recorded|rt.Timed) == 0 {
		return want
	}
	level := b.level(t, i)
	if level <= format.LevelUnvalued {
		if want&rt.Recorded != 0 {
			if want&rt.Counted != 0 {
				want = want&^rt.Counted | rt.Timed // a recording takes calls that are counted for more than its events
			}
			if level == format.LevelUnvalued {
				want |= rt.Unvalued
			}
		}
		return want
	}
	if sampled, ok := b.sample(want); ok {
		return sampled
	}
	if level == format.LevelSampled && b.sampled() <= format.SampleGroups {
		return want &^ (rt.Recorded | rt.Timed)
	}
	if want&rt.Recorded != 0 && level == format.LevelCounted {
		want |= rt.Long
	}
	return want&^(rt.Recorded|rt.Timed) | rt.Counted
}

// level returns the lower level of the i-th site of t, which holds for both budgets.
func (b *Board) level(t *Table, i int) uint8 {
	level := max(b.least[ofRecordings], b.least[ofStatistics])
	for _, levels := range t.levels {
		if levels != nil {
			level = max(level, levels[i])
		}
	}
	return level
}

// tableOf returns the table that has a site, nil if there is none.
func (b *Board) tableOf(site uint32) *Table {
	at, _ := slices.BinarySearchFunc(b.tables, site, func(t *Table, id uint32) int {
		if t.Base+uint32(len(t.words)) <= id {
			return -1
		}
		return 1
	})
	if at < len(b.tables) && b.tables[at].Base <= site {
		return b.tables[at]
	}
	return nil
}

// Rank returns 1 if an owner has named the function of a site, by a pattern or a group, for
// recording or timing. Else it returns 0: owners want the function because they want all functions.
// A budget demotes functions of rank 1 last.
func (b *Board) Rank(site uint32) int {
	defer b.lock().unlock()
	t := b.tableOf(site)
	if t == nil || t.funcs.Load() == nil {
		return 0
	}
	for _, o := range b.owners {
		for _, w := range o.wishes {
			if w.Want&(rt.Recorded|rt.Timed) != 0 && !w.Select.all() && w.of(t, int(site-t.Base)) {
				return 1
			}
		}
	}
	return 0
}

// Timed reports by site whether the program itself or its environment wants calls timed: then commands cost nothing more
// that time them, too.
func (b *Board) Timed() (list []bool) {
	b.list()
	defer b.lock().unlock()
	for _, t := range b.tables {
		b.load(t)
		list = append(list, make([]bool, max(int(t.Base)+len(t.words)-len(list), 0))...)
		for _, o := range b.owners {
			for _, w := range o.wishes {
				if o.Origin == Command || w.Want&rt.Timed == 0 {
					continue
				}
				for i, f := range t.Funcs() {
					if w.of(t, i) && b.allows(w, f) {
						list[int(t.Base)+i] = true
					}
				}
			}
		}
	}
	return list
}
