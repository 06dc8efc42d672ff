package gather

import (
	"time"

	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/program/switchboard"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// A decoder makes traces of what the runtime has gathered.
type decoder struct {
	base, now uint64           // clock when the decoder began, and when it measured
	mono      int64            // ns, at base
	wall      time.Time        // at now
	perTick   float64          // ns
	funcs     []*function.Func // by site
	types     *Types           // that were read last
}

// start notes what the time is.
func (d *decoder) start() { d.base, d.mono = clocks() }

// clocks reads the clock of events and the monotonic clock, at the same time. It takes a few
// readings, and uses the one in which the thread was not interrupted.
func clocks() (clock uint64, mono int64) {
	least := ^uint64(0)
	for i := 0; i < 3; i++ {
		c, m := rt.Clock()
		if later, _ := rt.Clock(); later-c < least {
			clock, mono, least = c, m, later-c
		}
	}
	return clock, mono
}

// shortest is how far two readings of clocks are apart at least that give the clock's rate.
const shortest = int64(time.Millisecond)

// measure finds the rate of the clock.
func (d *decoder) measure() {
	for {
		clock, mono := clocks()
		if mono-d.mono >= shortest && clock > d.base {
			d.now, d.wall, d.perTick = clock, time.Now(), float64(mono-d.mono)/float64(clock-d.base)
			return
		}
	}
}

// decode returns the trace that t holds.
func (d *decoder) decode(t *rt.Trace) *Trace {
	d.measure()
	out := d.trace(t, d.function)
	if t.Era != 0 {
		out.Types = d.typesOf(t.Era)
	}
	return out
}

// function returns the function of a site, nil if there is none.
func (d *decoder) function(site uint32) *function.Func {
	if int(site) >= len(d.funcs) || d.funcs[site] == nil {
		d.list()
	}
	if int(site) >= len(d.funcs) {
		return nil
	}
	return d.funcs[site]
}

// list notes the functions of the program.
func (d *decoder) list() {
	for _, t := range switchboard.Default.Tables() {
		list := t.Funcs()
		if n := int(t.Base) + len(list); n > len(d.funcs) {
			d.funcs = append(d.funcs, make([]*function.Func, n-len(d.funcs))...)
		}
		copy(d.funcs[t.Base:], list)
	}
}

// since returns the time from one reading of the clock to another; 0 if the other is earlier, as
// clocks of CPUs may differ.
func (d *decoder) since(from, to uint64) time.Duration {
	if to <= from {
		return 0
	}
	return time.Duration(float64(to-from) * d.perTick)
}

// active returns the traces in list. It leaves d alone, which another goroutine uses.
func (d *decoder) active(list []rt.ActiveTrace) (out []Active) {
	own := decoder{base: d.base, mono: d.mono}
	own.measure()
	for i := range list {
		a := &list[i]
		out = append(out, Active{
			Root: own.function(a.Site), Goroutine: a.Goroutine, Parent: a.Parent,
			Start: own.wall.Add(-own.since(a.Started, own.now)), id: id{a.Goroutine, a.Started},
			Calls: uint64(a.Calls), Goroutines: a.Goroutines, Lost: a.Lost,
		})
	}
	return out
}

func (d *decoder) trace(t *rt.Trace, funcs func(site uint32) *function.Func) *Trace {
	root := &t.Strands[0]
	out := &Trace{
		id: id{root.Goroutine, root.Started}, Key: t.Key, Root: funcs(t.Site), Goroutine: root.Goroutine, Parent: root.Parent,
		Start:    d.wall.Add(-d.since(root.Started, d.now)),
		Duration: d.since(root.Started, t.Ended),
		Within:   t.Within,
		Status:   int(t.Status),
		Panicked: t.Flags&rt.TracePanicked != 0,
		Exited:   t.Flags&rt.TraceExited != 0,
		Chosen:   t.Flags&rt.TraceChosen != 0,
		Lost:     t.Lost, Truncated: t.Lost > 0,
		Strands: make([]Strand, len(t.Strands)),
	}
	out.Failed = out.Panicked || t.Flags&rt.TraceFailed != 0
	caused := make(map[cause][]*Strand)
	for i := range t.Strands {
		s := &t.Strands[i]
		out.Strands[i] = Strand{Goroutine: s.Goroutine, Parent: s.Parent, Handed: s.Handed, Detached: s.Running}
		out.Strands[i].Started = d.since(root.Started, s.Started)
		by := cause{s.Ticket, true}
		if s.Ticket == 0 {
			by = cause{s.Goroutine, false}
		}
		caused[by] = append(caused[by], &out.Strands[i])
	}
	for i := range t.Strands {
		r := reader{d: d, from: root.Started, funcs: funcs, caused: caused, end: t.Ended}
		r.read(&t.Strands[i], &out.Strands[i], i == 0)
	}
	return out
}

// A reader makes the events of a strand from its records.
type reader struct {
	d      *decoder
	from   uint64 // clock of the root call's start
	end    uint64 // of its end
	funcs  func(site uint32) *function.Func
	caused map[cause][]*Strand
	out    []Event
	open   []call // in progress, the innermost last
	values []byte // of the records that follow
	kept   []byte // values of the events in out
}

// A cause is why a goroutine is in a trace. It is the goroutine's own id if a go statement of the
// trace started it, else the number of the ticket that it joined with.
type cause struct {
	number uint64
	ticket bool
}

// A call is in progress.
type call struct {
	site  uint32
	token uint64
}

// read sets the events of a strand. The calls of the root call's strand, and of a goroutine that has
// ended, are over at its end.
func (r *reader) read(in *rt.Strand, s *Strand, root bool) {
	r.out, r.values, r.kept = make([]Event, 0, len(in.Records)+4), in.Values, make([]byte, 0, len(in.Values))
	last := in.Started
	for i := range in.Records {
		e := &in.Records[i]
		last = max(last, e.Clock)
		switch e.Kind {
		case rt.GatheredEnter:
			r.reach(e, last)
			r.open = append(r.open, call{e.Site, e.Value})
			r.add(format.Enter, e.Site, e.Value, last, false)
			r.keep(e)
		case rt.GatheredExit:
			r.exit(e, last)
		case rt.GatheredPanic:
			r.add(format.Panic, 0, e.Value, last, false)
		case rt.GatheredRecover:
			r.goOn(e.Value, last)
			r.add(format.Recover, 0, e.Value, last, false)
		case rt.GatheredGoexit:
			r.add(format.Goexit, 0, e.Value, last, false)
		case rt.GatheredError:
			r.fail(e.Site, last)
		case rt.GatheredGo, rt.GatheredTicket:
			if len(r.open) > 0 {
				c := r.open[len(r.open)-1]
				for _, child := range r.caused[cause{e.Value, e.Kind == rt.GatheredTicket}] {
					child.By, child.Frame = r.funcs(c.site), c.token
				}
			}
		}
		r.values = r.values[e.Size:]
	}
	if root {
		last = max(last, r.end)
	}
	if root || !in.Running {
		for len(r.open) > 0 {
			r.leave(last)
		}
	}
	s.Events, s.Values = r.out, r.kept
}

// keep gives the latest event the values of its record.
func (r *reader) keep(e *rt.TraceEvent) {
	r.out[len(r.out)-1].Size = e.Size
	r.kept = append(r.kept, r.values[:e.Size]...)
}

func (r *reader) add(kind format.Kind, site uint32, token, clock uint64, left bool) {
	e := Event{Kind: kind, Left: left, Frame: token, At: r.d.since(r.from, clock)}
	if site != 0 {
		e.Func = r.funcs(site)
	}
	r.out = append(r.out, e)
}

// leave ends the innermost call, which had no exit.
func (r *reader) leave(clock uint64) {
	c := r.open[len(r.open)-1]
	r.open = r.open[:len(r.open)-1]
	r.add(format.Exit, c.site, c.token, clock, true)
}

// reach ends the calls that are over when one begins: their frames lie where that one's is, or
// deeper. A function that is inlined into another one has the same frame as that, and none is
// inlined into itself.
func (r *reader) reach(e *rt.TraceEvent, clock uint64) {
	n := len(r.open)
	for n > 0 && r.open[n-1].token > e.Value {
		n--
	}
	for i := n; i > 0 && r.open[i-1].token == e.Value; i-- {
		if r.open[i-1].site == e.Site {
			n = i - 1
		}
	}
	for len(r.open) > n {
		r.leave(clock)
	}
}

// goOn ends the calls that are over when the goroutine goes on in a frame, after a recovered panic.
// Of the calls in that frame only its own can be in progress still.
func (r *reader) goOn(token, clock uint64) {
	n := len(r.open)
	for n > 0 && r.open[n-1].token > token {
		n--
	}
	for n > 1 && r.open[n-1].token == token && r.open[n-2].token == token {
		n--
	}
	for len(r.open) > n {
		r.leave(clock)
	}
}

// exit ends a call, and those in it, whose ends are missing. It does nothing if the beginning of the
// call was not gathered.
func (r *reader) exit(e *rt.TraceEvent, clock uint64) {
	n := len(r.open)
	for n > 0 && r.open[n-1] != (call{e.Site, e.Value}) {
		n--
	}
	if n == 0 {
		return
	}
	for len(r.open) > n {
		r.leave(clock)
	}
	r.open = r.open[:n-1]
	r.add(format.Exit, e.Site, e.Value, clock, e.Left)
	r.keep(e)
}

// fail says that the innermost call of a site returns an error.
func (r *reader) fail(site uint32, clock uint64) {
	for i := len(r.open); i > 0; i-- {
		if c := r.open[i-1]; c.site == site {
			r.add(format.Error, site, c.token, clock, false)
			return
		}
	}
}
