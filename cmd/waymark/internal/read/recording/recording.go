// Package recording is the model of recordings from which every output is made. It has the
// processes with their names and clocks, the calls that a filter reads of them, and what they lack.
//
//	filter := recording.Filter{From: time.Second, To: 2 * time.Second, Show: isMine}
//	if err := filter.Check(set); err != nil {
//		return err
//	}
//	for _, p := range recording.Processes(set) {
//		result, err := calltree.ReadFile(p.File, filter.Options(p), p.End, workers, nil)
//		...
//		summaries = append(summaries, filter.Summary(p, result))
//	}
//	lines := recording.Lacks(summaries)
//
// Package calltree counts by the numbers of sites and in ticks; this package knows what they stand
// for. Packages that print know this one, and none knows another.
package recording

import (
	"strconv"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree"
	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/internal/text/names"
	"github.com/waymark-go/waymark/tracefile"
)

// A Process is the recording of a process.
type Process struct {
	File  *tracefile.File
	Label string         // names the process among those of its Set
	Since time.Duration  // from the beginning of the first process's recording to that of this one
	Scale calltree.Scale // of the clock
	End   uint64         // clock when the recording ended
}

// Processes returns the processes of a set, in its order. A process is named by its id. Processes
// that had the same id one after the other, or on different hosts, get their place among those too.
func Processes(set *tracefile.Set) []*Process {
	list := make([]*Process, len(set.Processes))
	seen := make(map[int]int)
	for i, file := range set.Processes {
		p := &Process{File: file, Since: set.Since(file), Scale: ScaleOf(file), End: EndOf(file)}
		pid := file.Info().PID
		p.Label = strconv.Itoa(pid)
		if seen[pid]++; seen[pid] > 1 {
			p.Label += "#" + strconv.Itoa(seen[pid])
		}
		list[i] = p
	}
	return list
}

// Matcher returns the question wanted, which is about a function, as one about the id of its site.
// It asks wanted once about each. nil stays nil.
func (p *Process) Matcher(wanted func(*function.Func) bool) func(id uint32) bool {
	if wanted == nil {
		return nil
	}
	answers := make(map[uint32]bool)
	return func(id uint32) bool {
		answer, ok := answers[id]
		if !ok {
			fn, known := p.File.Func(id)
			answer = known && wanted(&fn.Func)
			answers[id] = answer
		}
		return answer
	}
}

// AddNames adds the functions of recordings, called or not.
func AddNames(to *names.Set, files ...*tracefile.File) {
	for _, f := range files {
		f.Funcs(func(_ uint32, s tracefile.Func) bool {
			to.Add(s.Name)
			return true
		})
	}
}
