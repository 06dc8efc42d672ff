package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/calltree"
	"github.com/waymark-go/waymark/internal/format"
	"github.com/waymark-go/waymark/internal/units"
	"github.com/waymark-go/waymark/tracefile"
)

// A Filter says what of some recordings is read, accounted for and shown. The zero value leaves
// nothing out.
type Filter struct {
	// What is read: that time, and these goroutines. Numbers are of what happened there.
	From, To  time.Duration          // since the start of the first recording; To 0 is no end
	Goroutine func(GoroutineID) bool // nil is all; asked about each, by one goroutine at a time

	// The account. Calls that are left out of it count as part of their callers, as if
	// their functions had not been instrumented. See package calltree.
	Account  func(tracefile.Site) bool // of these functions only, unless nil
	Shortest time.Duration             // without calls that are shorter

	// What is shown: rows of tables, or calls in Follow. Their numbers don't depend on it.
	Show    func(tracefile.Site) bool // these functions only, unless nil
	Min     time.Duration             // rows with at least that total, calls that take as long
	Depth   int                       // what has fewer callers; 0 is no limit
	Root    func(tracefile.Site) bool // of a tree or in Follow: these functions and what they call, unless nil
	Callers func(tracefile.Site) bool // of a tree or in Follow: who calls these functions, unless nil

	// Prepare, if not nil, is called with the recordings before any of the other functions. It may
	// be called again.
	Prepare func(*tracefile.Set) error
}

// Follow follows the calls of all processes of a set, and tells those that the filter shows in
// the order of time. tell gives, for the process with the given index, what is to
// be told its calls; ScaleOf gives the length of the ticks that they are in. Calls
// of a process that have not ended are told when its recording ends. The result has
// what is known about the recordings of the processes, Calls counting what was told.
func (f *Filter) Follow(set *tracefile.Set, tell func(process int) (onEnter, onCall func(*calltree.Call))) ([]Recording, error) {
	if err := f.Check(set); err != nil {
		return nil, err
	}
	type process struct {
		*calltree.Builder
		index int
		end   time.Duration // of its recording, since the start of the first one
		calls func(*calltree.Result) uint64
	}
	var processes []*process // alive
	labels := Labels(set)
	byIndex := make([]*process, len(set.Processes))
	for i, file := range set.Processes {
		onEnter, onCall := tell(i)
		o, calls := f.telling(file, labels[i], set.Since(file), onEnter, onCall)
		byIndex[i] = &process{calltree.New(o), i, set.Since(file) + file.Info().Duration, calls}
		processes = append(processes, byIndex[i])
	}
	slices.SortStableFunc(processes, func(a, b *process) int { return cmp.Compare(a.end, b.end) })
	results := make([]*calltree.Result, len(set.Processes))
	end := func() {
		p := processes[0]
		file := set.Processes[p.index]
		r := p.Close(clockAt(file, file.Info().Duration))
		r.Calls = p.calls(r)
		results[p.index] = r
		processes = processes[1:]
	}
	var ev format.Event
	events := set.Events()
	for events.Next(&ev) {
		now := time.Duration(events.Nanos())
		if f.To > 0 && now > f.To {
			break
		}
		for processes[0].end < now && events.Ended(processes[0].index) {
			end()
		}
		byIndex[events.Process()].Add(&ev)
	}
	for len(processes) > 0 {
		end()
	}
	var list []Recording
	for i, file := range set.Processes {
		list = append(list, f.told(file, labels[i], set.Since(file), results[i]))
	}
	return list, events.Err()
}

// Read is Follow for the events of a set's only process that src gives.
func (f *Filter) Read(src calltree.Source, set *tracefile.Set, onEnter, onCall func(*calltree.Call)) (Recording, error) {
	file, label := set.Processes[0], Labels(set)[0]
	o, calls := f.telling(file, label, 0, onEnter, onCall)
	result, err := calltree.Read(src, o, EndOf(file))
	result.Calls = calls(result)
	return f.told(file, label, 0, result), err
}

// told is recording where calls have been told: they say themselves that their ends are missing.
func (f *Filter) told(file *tracefile.File, label string, since time.Duration, result *calltree.Result) Recording {
	rec := f.recording(file, label, since, result)
	rec.Problems.Cut = 0
	return rec
}

// telling gives the options with which the calls of a process that the filter shows are told; calls
// gives their number in the end.
func (f *Filter) telling(file *tracefile.File, label string, since time.Duration, onEnter, onCall func(*calltree.Call)) (
	o calltree.Options, calls func(*calltree.Result) uint64,
) {
	scale := ScaleOf(file)
	o = f.options(file, label, since, scale)
	o.Min = 0 // a call that is left out is as good as one that isn't shown
	s := calltree.Selection{
		Show: ofSites(file, f.Show), Root: ofSites(file, f.Root), Callers: ofSites(file, f.Callers),
		Min: scale.TicksOf(int64(max(f.Min, f.Shortest))), Depth: f.Depth,
	}
	if s.All() {
		o.OnEnter, o.OnCall = onEnter, onCall
		return o, func(r *calltree.Result) uint64 { return r.Calls }
	}
	told := uint64(0)
	o.OnEnter, o.OnCall = s.Of(onEnter, func(c *calltree.Call) { told++; onCall(c) })
	return o, func(*calltree.Result) uint64 { return told }
}

// ofSites makes a question about a function one about the id of its site. It asks once about each.
func ofSites(file *tracefile.File, wanted func(tracefile.Site) bool) func(id uint32) bool {
	if wanted == nil {
		return nil
	}
	answers := make(map[uint32]bool)
	return func(id uint32) bool {
		answer, ok := answers[id]
		if !ok {
			s, known := file.Site(id)
			answer = known && wanted(s)
			answers[id] = answer
		}
		return answer
	}
}

// Check tells whether the time window has a part in the recordings, and calls Prepare.
func (f *Filter) Check(set *tracefile.Set) error {
	if d := set.Duration(); f.From > 0 && f.From >= d {
		return fmt.Errorf("--time: begins at %s, but the recording ends at %s: choose an earlier beginning", units.Duration(int64(f.From)), units.Duration(int64(d)))
	}
	if f.Prepare != nil {
		return f.Prepare(set)
	}
	return nil
}

// options gives what is read and accounted for, in terms of the clock and the sites of a process's
// file, which begins at a time since the start of the first one.
func (f *Filter) options(file *tracefile.File, label string, since time.Duration, scale calltree.Scale) calltree.Options {
	o := calltree.Options{Min: scale.TicksOf(int64(f.Shortest)), Keep: ofSites(file, f.Account)}
	if f.Goroutine != nil {
		o.Goroutine = func(id uint64) bool { return f.Goroutine(GoroutineID{label, id}) }
	}
	if f.From > since {
		o.From = clockAt(file, f.From-since)
	}
	if f.To > 0 {
		// What happened in that nanosecond is part of it. 0 would be no end.
		o.To = max(clockAt(file, f.To-since+1), 2) - 1
	}
	return o
}

// clockAt gives the first clock reading at t or later.
func clockAt(file *tracefile.File, t time.Duration) uint64 {
	low, high := uint64(0), uint64(1)<<63
	for low < high {
		if mid := low + (high-low)/2; file.Nanos(mid) < int64(t) {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

// EndOf gives the clock when the recording ended.
func EndOf(file *tracefile.File) uint64 { return clockAt(file, file.Info().Duration) }

// ScaleOf gives the length of a tick of the file's clock.
func ScaleOf(file *tracefile.File) calltree.Scale {
	const ticks = 1 << 40 // some minutes: enough for a nanosecond more or less not to matter
	start := clockAt(file, 0)
	return calltree.Scale{Ticks: ticks, Nanos: uint64(max(file.Nanos(start+ticks), 1))}
}

// ParseWindow reads a time window, "FROM..TO", as in "1.5s..2s". Either side may
// be missing.
func ParseWindow(text string) (from, to time.Duration, err error) {
	a, b, ok := strings.Cut(text, "..")
	if !ok {
		return 0, 0, fmt.Errorf("time window %q: want FROM..TO, as in 1.5s..2s", text)
	}
	for _, side := range []struct {
		text string
		d    *time.Duration
	}{{a, &from}, {b, &to}} {
		if side.text == "" {
			continue
		}
		d, err := time.ParseDuration(side.text)
		if err != nil || d < 0 {
			return 0, 0, fmt.Errorf("time window %q: %q is not a time since the start, as in 1.5s", text, side.text)
		}
		*side.d = d
	}
	if b != "" && to <= from {
		return 0, 0, fmt.Errorf("time window %q: ends before it begins", text)
	}
	return from, to, nil
}

// A GoroutineID names a goroutine. Process is one of Labels, or "" for any.
type GoroutineID struct {
	Process string
	ID      uint64
}

func (g GoroutineID) String() string {
	id := strconv.FormatUint(g.ID, 10)
	if g.Process == "" {
		return id
	}
	return g.Process + "/" + id
}

// ParseGoroutines reads a list of goroutines, "1,17", with processes "4711/1,4712/1".
func ParseGoroutines(text string) ([]GoroutineID, error) {
	var ids []GoroutineID
	for _, s := range strings.Split(text, ",") {
		s = strings.TrimSpace(s)
		process, number, ok := strings.Cut(s, "/")
		if !ok {
			process, number = "", s
		}
		id, err := strconv.ParseUint(number, 10, 64)
		if err != nil || id == 0 || ok && process == "" {
			return nil, fmt.Errorf("goroutine %q: want a goroutine's number, or several as in 1,17, or of processes as in 4711/1,4712/1", s)
		}
		ids = append(ids, GoroutineID{process, id})
	}
	return ids, nil
}
