package recording

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/waymark-go/waymark/internal/estimate"
	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/internal/text/units"
	"github.com/waymark-go/waymark/internal/wire/setting"
	"github.com/waymark-go/waymark/tracefile"
)

// A Counting says which calls of a process were counted and not recorded, because the program kept
// to a budget. It has those that the filter has read and accounted for, except where it can't
// tell.
type Counting struct {
	Calls     map[uint32]uint64         // by site; with the calls of Long events. 0: in a window no counter was read
	Guessed   map[uint32]estimate.Guess // of these, those that nobody counted
	Sum       uint64
	Long      uint64 // calls of Long events, which have times
	Functions map[function.Identity]Counted

	LeftOut uint64 // calls of which nobody knows whether the filter wants them
	Coarse  bool   // the filter has a time window, and counters are read now and then
	Budget  string // as the user wrote it
}

// A Counted is what was counted of a function.
type Counted struct {
	Calls uint64
	Gaps  bool // their number is an estimate
}

// Add adds counted calls of a function.
func (c *Counting) Add(f function.Identity, n Counted) {
	sum := c.Functions[f]
	c.Functions[f] = Counted{sum.Calls + n.Calls, sum.Gaps || n.Gaps}
}

// Counting returns the calls of a process that were counted.
func (f *Filter) Counting(p *Process) Counting {
	o := f.Options(p)
	c := Counting{Calls: make(map[uint32]uint64), Guessed: make(map[uint32]estimate.Guess), Functions: make(map[function.Identity]Counted), Budget: p.File.Info().Budget}
	window := tracefile.Range{From: o.From, To: o.To}
	calls, guessed := p.File.Counted(window), p.File.Guessed(window)
	if window != (tracefile.Range{}) {
		for _, site := range demoted(p.File.Demotions(), window) {
			calls[site] += 0 // of which no counter may have been read
		}
	}
	for site := range guessed {
		calls[site] += 0 // which may have been called, although no window has met it
	}
	for site, n := range calls {
		switch {
		case o.Keep != nil && !o.Keep(site):
		case f.Goroutine != nil || f.Shortest > 0:
			c.LeftOut += n
		default:
			c.Calls[site] = n
			about, gaps := guessed[site]
			if gaps {
				c.Guessed[site] = about
			}
			c.Sum += n
			fn, _ := p.File.Func(site)
			c.Add(fn.Identity(), Counted{n, gaps})
		}
	}
	c.Coarse = len(c.Calls) > 0 && window != (tracefile.Range{})
	return c
}

// demoted returns the functions whose calls were only counted at some time in a window.
func demoted(list []tracefile.Demotion, window tracefile.Range) (sites []uint32) {
	latest := make(map[uint32]bool)
	for _, d := range list {
		if window.To > 0 && d.Clock > window.To {
			break
		}
		latest[d.Func] = d.Level >= tracefile.Counted || latest[d.Func] && d.Clock > window.From
	}
	for site, is := range latest {
		if is {
			sites = append(sites, site)
		}
	}
	return sites
}

// countedLines returns what a reader should know of the counted calls of some recordings.
func countedLines(list []Summary) (lines []string) {
	s := Sum(list).Counted
	if s.Sum > 0 {
		were := "were"
		if len(s.Functions) == 1 {
			were = "was"
		}
		guessed, gaps := "", uint64(0)
		for _, f := range s.Functions {
			if f.Gaps {
				gaps++
			}
		}
		if gaps > 0 {
			guessed = "; the number of calls of " + units.Things(gaps, "function") + " is an estimate, too"
		}
		budget := ""
		if s.Budget != "" {
			budget = " of " + s.Budget
		}
		lines = append(lines, fmt.Sprintf("≈ %s %s only counted at times, to keep to the budget%s: for %s times, panics and errors are estimated from samples; - where there are none: that time is in the self time of callers%s",
			units.Things(uint64(len(s.Functions)), "function"), were, budget, units.Things(s.Sum-min(s.Long, s.Sum), "call"), guessed))
	}
	for i := range list {
		if line := list[i].exceeded(); line != "" {
			lines = append(lines, line)
		}
	}
	switch {
	case s.Coarse && s.Sum > 0:
		lines = append(lines, "counters are read about once a second: the counted calls of the window are those between two readings")
	case s.Coarse:
		lines = append(lines, "≈ counters are read about once a second, and none was read in the window: counted calls are missing, and their time is in the self time of callers")
	}
	if s.LeftOut > 0 {
		lines = append(lines, "≈ "+units.Things(s.LeftOut, "counted call")+" left out: their goroutines and durations are not known")
	}
	return lines
}

// exceeded says that tracing has added more than the budget allows, "" if it has not.
func (s *Summary) exceeded() string {
	const noise = 1.2 // costs aren't known better
	i, c := &s.Info, &s.Counted
	limit, err := setting.Find("budget").Parse("budget", c.Budget)
	added := Added(i.CPU, i.CPUTracing)
	if err != nil || limit.Share == 0 || limit.Strict || added < limit.Share*noise || len(c.Functions) == 0 {
		return ""
	}
	most := slices.SortedFunc(maps.Keys(c.Functions), func(a, b function.Identity) int {
		return cmp.Or(cmp.Compare(c.Functions[b].Calls, c.Functions[a].Calls), cmp.Compare(a.Name, b.Name))
	})
	names := make([]string, min(len(most), 3))
	for i := range names {
		names[i] = most[i].Name
	}
	return fmt.Sprintf("tracing has added %.0f %% to the program's own CPU time, more than the budget of %s; most of the calls that were counted are those of %s; with --budget %s,strict numbers of calls are estimated where counting costs too much",
		100*added, c.Budget, strings.Join(names, ", "), c.Budget)
}

// countedUntil says that a program ended before it had read its counters, "" if it had not.
func countedUntil(i tracefile.Info) string {
	if i.Demoted == 0 || i.Stopped != tracefile.StoppedFailed && (i.Complete || i.Stopped != tracefile.NotStopped) {
		return ""
	}
	return fmt.Sprintf("calls that were counted after %s are missing", units.Duration(int64(i.CountedUntil)))
}
