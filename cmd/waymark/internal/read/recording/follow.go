package recording

import (
	"cmp"
	"slices"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree"
	"github.com/waymark-go/waymark/tracefile"
)

// A Follower is told of the calls of a process.
type Follower struct {
	Enter, Call func(*calltree.Call) // a call begins, and ends
	Wait        func(*calltree.Call) // unless nil: as calltree's OnWait

	// Start, unless nil, is told that a goroutine begins, which one has started it, and the id of
	// the go statement. End, unless nil, is told that it has ended, or the recording. Spawn, unless nil, is
	// told that a goroutine executes a go statement.
	Start func(goroutine, parent uint64, origin uint32)
	End   func(*calltree.Goroutine)
	Spawn func(goroutine, child, clock uint64)

	Event func(*tracefile.Event) // unless nil: is told of each event that is read, before what comes of it

	Until func(goroutine uint64) uint64 // unless nil: as calltree's Until

	Done func(clock uint64) bool // unless nil: reports whether nothing is wanted from that clock on
}

// Follow follows the calls of all processes of a set, and tells those that the filter shows in
// the order of time. tell returns what is to be told the calls of a process. Calls of a process
// that have not ended are told when its recording ends. The result summarises the processes,
// Calls counting what was told.
func (f *Filter) Follow(set *tracefile.Set, tell func(*Process) Follower) ([]Summary, error) {
	if err := f.Check(set); err != nil {
		return nil, err
	}
	type following struct {
		*calltree.Builder
		index int
		end   time.Duration // of the recording, since the start of the first one
		calls func(*calltree.Result) uint64
		event func(*tracefile.Event)
		done  func(clock uint64) bool
		long  *calltree.Unfolder
	}
	var alive []*following
	processes := Processes(set)
	byIndex := make([]*following, len(processes))
	ranges := make([]tracefile.Range, len(processes))
	for i, p := range processes {
		to := tell(p)
		o, calls := f.telling(p, to.Enter, to.Call, to.Wait)
		o.OnStart, o.OnEnd, o.OnSpawn, o.Until = to.Start, to.End, to.Spawn, to.Until
		byIndex[i] = &following{index: i, end: p.Since + p.File.Info().Duration, calls: calls, event: to.Event, done: to.Done}
		byIndex[i].Builder, ranges[i] = calltree.NewAt(p.File, o)
		var err error
		if byIndex[i].long, err = calltree.NewUnfolder(p.File, tracefile.Range{From: ranges[i].From, To: o.To}); err != nil {
			return nil, err
		}
		alive = append(alive, byIndex[i])
	}
	slices.SortStableFunc(alive, func(a, b *following) int { return cmp.Compare(a.end, b.end) })
	results := make([]*calltree.Result, len(processes))
	end := func() {
		p := alive[0]
		r := p.Close(processes[p.index].End)
		r.Calls = p.calls(r)
		results[p.index] = r
		alive = alive[1:]
	}
	var ev tracefile.Event
	events := set.EventsIn(ranges)
	for events.Next(&ev) {
		now := time.Duration(events.Nanos())
		if f.To > 0 && now > f.To {
			break
		}
		for alive[0].end < now && events.Ended(alive[0].index) {
			end()
		}
		p := byIndex[events.Process()]
		if p.done != nil && p.done(ev.Clock) {
			break
		}
		if p.event != nil {
			p.event(&ev)
		}
		p.long.Add(&ev, p.Add)
	}
	for len(alive) > 0 {
		end()
	}
	var list []Summary
	for i, p := range processes {
		s := f.told(p, results[i])
		s.Counted.Long += byIndex[i].long.Calls()
		list = append(list, s)
	}
	return list, events.Err()
}

// Read is Follow for the events of a set's only process, which src holds. onWait may be nil.
func (f *Filter) Read(src calltree.Source, set *tracefile.Set, onEnter, onCall, onWait func(*calltree.Call)) (Summary, error) {
	p := Processes(set)[0]
	o, calls := f.telling(p, onEnter, onCall, onWait)
	result, err := calltree.Read(src, o, p.End)
	result.Calls = calls(result)
	return f.told(p, result), err
}

// told is Summary where calls have been told: the calls say themselves that their ends are missing.
func (f *Filter) told(p *Process, result *calltree.Result) Summary {
	s := f.Summary(p, result)
	s.Problems.Cut = 0
	return s
}

// telling returns the options with which the calls of a process that the filter shows are told;
// calls returns their number in the end.
func (f *Filter) telling(p *Process, onEnter, onCall, onWait func(*calltree.Call)) (
	o calltree.Options, calls func(*calltree.Result) uint64,
) {
	o = f.Options(p)
	o.Min = 0 // a call that is left out is as good as one that isn't shown
	s := calltree.Selection{
		Show: p.Matcher(f.Show), Root: p.Matcher(f.Root), Callers: p.Matcher(f.Callers),
		Min: p.Scale.TicksOf(int64(max(f.Min, f.Shortest))), Depth: f.Depth,
	}
	if f.If != nil {
		s.If = f.If.Matcher(p.File, p.Scale.Nanoseconds)
	}
	if s.All() {
		o.OnEnter, o.OnCall, o.OnWait = onEnter, onCall, onWait
		return o, func(r *calltree.Result) uint64 { return r.Calls }
	}
	told := uint64(0)
	o.OnEnter, o.OnCall, o.OnWait = s.Of(onEnter, func(c *calltree.Call) { told++; onCall(c) }, onWait)
	return o, func(*calltree.Result) uint64 { return told }
}
