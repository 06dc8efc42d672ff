package recorder

import (
	"math"

	"github.com/waymark-go/waymark/internal/estimate"
	"github.com/waymark-go/waymark/internal/program/budget"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// Levels and counts of a recording with a budget are written in blocks of their own.

// countsOf returns what was counted of each site since the program began, in a slice that is used
// again.
func countsOf(h Hooks, counts *[]uint64) []uint64 {
	*counts = grow(*counts, int(h.Sites()))
	clear(*counts)
	h.Counts(*counts, nil)
	return *counts
}

// setLevel notes the level of a site.
func (g *governor) setLevel(ch budget.Change) {
	g.levels = grow(g.levels, int(ch.Site)+1)
	level := &g.levels[ch.Site]
	g.add(*level, -1)
	*level = ch.Level
	g.add(*level, 1)
}

// add adds n sites of a level to the numbers of sites.
func (g *governor) add(level uint8, n int) {
	if level > format.LevelFull {
		g.demoted += n
	}
	if level >= format.LevelCounted {
		g.counted += n
	}
}

// noteCounts appends a block of levels and counts: of the sites that have changed, and of those
// with counted calls since the last block. r.mu is held, and the recording goes on.
func (r *Recorder) noteCounts(clock uint64, changes []budget.Change) {
	if r.governor == nil || !r.newCounts(clock, changes, noLevel) {
		return
	}
	if !r.room(format.BlockHeader + len(r.governor.payload)) {
		if r.turn(); r.closed {
			return
		}
		// The next part begins with levels, and the counts until then.
		if !r.newCounts(clock, changes, noLevel) {
			return
		}
	}
	r.putCounts(&r.out)
}

// noLevel is above all levels.
const noLevel = format.LevelSampled + 1

// newCounts makes the payload of a block. It holds the levels of the sites that have changed, and of
// those at a level from the given one on. It also holds the counts that are not in the file. It reports
// false if there are none.
func (r *Recorder) newCounts(clock uint64, changes []budget.Change, from uint8) bool {
	g := r.governor
	counts := countsOf(r.rt, &g.read)
	n := len(counts)
	g.written, g.listed, g.levels = grow(g.written, n), grow(g.listed, n), grow(g.levels, n)
	for _, ch := range changes {
		if int(ch.Site) < len(g.listed) { // else memory is damaged
			g.listed[ch.Site] = true
		}
	}
	g.list = g.list[:0]
	for i, n := range counts {
		if n != g.written[i] || g.listed[i] || g.levels[i] >= from {
			site := uint32(i)
			g.list = append(g.list, format.Count{Site: site, Level: g.level(r, site), Calls: n - g.written[i], Guess: g.newGuess(r.rt, site)})
		}
		g.listed[i] = false
	}
	g.payload = format.AppendCounts(g.payload[:0], clock, g.list)
	return len(g.list) > 0
}

// newGuess returns what is known of a site's calls that nobody counted, without what is in the file.
func (g *governor) newGuess(h Hooks, site uint32) format.Guess {
	now, ok := h.GuessOf(site)
	if !ok {
		return format.Guess{}
	}
	g.guesses = grow(g.guesses, int(site)+1)
	before := &g.guesses[site]
	more := format.Guess{
		Windows: now.Windows - before.Windows, Root: uint64(math.Sqrt(max(now.Squares-before.Squares, 0))), Most: uint64(max(now.Most-before.Most, 0)),
	}
	return more
}

// grow returns list with n elements or more.
func grow[T any](list []T, n int) []T {
	if n > len(list) {
		list = append(list, make([]T, n-len(list))...)
	}
	return list
}

// level returns the level of a site as the file has it.
func (g *governor) level(r *Recorder, site uint32) uint8 {
	if r.config.Budget.CountsOnly() {
		return format.LevelOnly
	}
	return g.levels[site]
}

// putCounts appends the block that newCounts has made.
func (r *Recorder) putCounts(o *output) {
	g := r.governor
	o.block(format.BlockCounts, g.payload)
	for _, c := range g.list {
		g.written[c.Site] += c.Calls
		if c.Guess != (format.Guess{}) {
			g.guesses[c.Site].Add(estimate.GuessOf(c))
		}
	}
	g.entries = len(g.list)
}

// firstCounts appends to the beginning of a file the levels of all sites that are not at level
// full. It appends the counts that the part before does not have.
func (r *Recorder) firstCounts(o *output, clock uint64) {
	if r.governor != nil && r.newCounts(clock, nil, format.LevelUnvalued) {
		r.putCounts(o)
	}
}

// lastCounts appends the counts until the end of the recording, for which the file has room.
func (r *Recorder) lastCounts(clock uint64) {
	if r.governor == nil {
		return
	}
	r.governor.samples.Finish()
	if r.newCounts(clock, nil, format.LevelSampled) {
		r.putCounts(&r.out)
	}
}

// countsRoom is what the last block of counts needs, bytes.
func (r *Recorder) countsRoom() int {
	if r.governor == nil {
		return 0
	}
	const most = 45 // bytes of an entry
	return format.BlockHeader + 32 + most*max(r.governor.demoted, r.governor.entries)
}
