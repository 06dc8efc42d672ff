package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/calltree"
	"github.com/waymark-go/waymark/format"
	"github.com/waymark-go/waymark/internal/units"
	"github.com/waymark-go/waymark/tracefile"
)

// A Filter leaves calls out of a report, as if their functions had not been
// instrumented: their time is then that of their callers. See package calltree.
// The zero value leaves nothing out.
type Filter struct {
	From, To  time.Duration             // since the start of the first recording; To 0 is no end
	Goroutine func(GoroutineID) bool    // these goroutines only, unless nil; asked about each, by one goroutine at a time
	Keep      func(tracefile.Site) bool // these functions only, unless nil
	Min       time.Duration             // without calls that are shorter
	Depth     int                       // without calls that have as many callers; 0 is no limit
}

// Follow follows the calls of all processes of a set that the filter lets through,
// in the order of time. tell gives, for the process with the given index, what is to
// be told its calls; ScaleOf gives the length of the ticks that they are in. Calls
// of a process that have not ended are told when its recording ends. The result has
// how many calls there were.
func (f *Filter) Follow(set *tracefile.Set, tell func(process int) (onEnter, onCall func(*calltree.Call))) (calls uint64, err error) {
	if err := f.Check(set); err != nil {
		return 0, err
	}
	type process struct {
		*calltree.Builder
		index int
		end   time.Duration // of its recording, since the start of the first one
	}
	var processes []*process // alive
	labels := Labels(set)
	byIndex := make([]*process, len(set.Processes))
	for i, file := range set.Processes {
		o := f.options(file, labels[i], set.Since(file), ScaleOf(file))
		o.OnEnter, o.OnCall = tell(i)
		byIndex[i] = &process{calltree.New(o), i, set.Since(file) + file.Info().Duration}
		processes = append(processes, byIndex[i])
	}
	slices.SortStableFunc(processes, func(a, b *process) int { return cmp.Compare(a.end, b.end) })
	end := func() {
		file := set.Processes[processes[0].index]
		calls += processes[0].Close(clockAt(file, file.Info().Duration)).Calls
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
	return calls, events.Err()
}

// Read follows the calls in events of a set's only process that src gives. o says
// what is to be told.
func (f *Filter) Read(src calltree.Source, set *tracefile.Set, o calltree.Options) (*calltree.Result, error) {
	file := set.Processes[0]
	only := f.options(file, Labels(set)[0], 0, ScaleOf(file))
	only.OnEnter, only.OnCall = o.OnEnter, o.OnCall
	return calltree.Read(src, only, EndOf(file))
}

// Check tells whether the time window has a part in the recordings.
func (f *Filter) Check(set *tracefile.Set) error {
	if d := set.Duration(); f.From > 0 && f.From >= d {
		return fmt.Errorf("--time: begins at %s, but the recording ends at %s: choose an earlier beginning", units.Duration(int64(f.From)), units.Duration(int64(d)))
	}
	return nil
}

// options gives the filter in terms of the clock and the sites of a process's file,
// which begins at a time since the start of the first one.
func (f *Filter) options(file *tracefile.File, label string, since time.Duration, scale calltree.Scale) calltree.Options {
	o := calltree.Options{Min: scale.TicksOf(int64(f.Min)), Depth: f.Depth}
	if f.Goroutine != nil {
		o.Goroutine = func(id uint64) bool { return f.Goroutine(GoroutineID{label, id}) }
	}
	if f.From > since {
		o.From = clockAt(file, f.From-since)
	}
	if f.To > 0 {
		o.To = max(clockAt(file, f.To-since), 1) // 0 would be no end
	}
	if f.Keep != nil {
		o.Keep = func(id uint32) bool {
			s, ok := file.Site(id)
			return ok && f.Keep(s)
		}
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
