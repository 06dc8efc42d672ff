package report

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/waymark-go/waymark/internal/names"
	"github.com/waymark-go/waymark/tracefile"
)

// Labels gives a name for each process of a set: its id. Processes that had the
// same id one after the other, or on different hosts, get their place among those too.
func Labels(set *tracefile.Set) []string {
	labels := make([]string, len(set.Processes))
	seen := make(map[int]int)
	for i, p := range set.Processes {
		pid := p.Info().PID
		labels[i] = strconv.Itoa(pid)
		if seen[pid]++; seen[pid] > 1 {
			labels[i] += "#" + strconv.Itoa(seen[pid])
		}
	}
	return labels
}

// AddNames adds the functions of recordings, called or not.
func AddNames(to *names.Set, files ...*tracefile.File) {
	for _, p := range files {
		p.Sites(func(_ uint32, s tracefile.Site) bool {
			to.Add(s.Name)
			return true
		})
	}
}

// A span is a part of the time that a set of recordings covers.
type span struct{ from, to time.Duration }

// covered gives how long at least one of the spans lasts.
func covered(spans []span) time.Duration {
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	var sum, end time.Duration
	for _, s := range spans {
		if from := max(s.from, end); s.to > from {
			sum += s.to - from
			end = s.to
		}
	}
	return sum
}
