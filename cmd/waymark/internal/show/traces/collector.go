package traces

import (
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recorded"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/internal/wire/actions"
	"github.com/waymark-go/waymark/value"
)

// A strand is what a goroutine does in a trace.
type strand struct {
	trace *Trace
	other bool          // its trace is not the one that is looked for
	late  sums          // of what it did after the end of the root call
	may   bool          // the condition may choose the root call
	slots uint64        // of the condition
	ready time.Duration // how long the goroutine was ready before it ran, until its first call

	at   uint32 // in a tree: the node of the innermost call
	left int    // in a tree: calls in progress that have no node

	// In a file of actions: log is its element. kept is that without the calls that began after the
	// end of the root call. open are the functions of its open calls; early of them began before that
	// end.
	log   *actions.Element
	kept  actions.Element
	open  []string
	early int
}

type running = recording.Strand[strand]

// A collector follows the goroutines of a process.
type collector struct {
	*recording.Members[strand]
	p       *recording.Process
	label   string // of the process, if there are several
	waits   bool   // the recording says when goroutines ran
	parents map[uint64]uint64
	ready   map[uint64]time.Duration // of goroutines without a call yet: how long they were ready before they ran

	values    *value.Printer // of arguments of root calls; nil: they are not printed
	receivers recorded.Receivers
	brief     bool              // arguments are for rows
	If        *recorded.Matcher // of root calls; nil: all

	ended func(r *running, call *calltree.Call) // the root call, which is of r, has ended

	// Unless nil they are told of each call in a trace, before and after.
	enter func(r *running, c *calltree.Call)
	call  func(r *running, c *calltree.Call)

	began func(r *running, call *calltree.Call) bool // unless nil: reports whether the trace is wanted
	start func(child, parent *running)
	leave func(r *running, stays bool) // the goroutine has nothing more to do in the trace
}

func newCollector(p *recording.Process, several bool, root func(*function.Func) bool) *collector {
	c := &collector{
		Members: recording.NewMembers[strand](p), p: p, waits: p.File.Info().Waiting,
		parents: make(map[uint64]uint64), ready: make(map[uint64]time.Duration), ended: func(*running, *calltree.Call) {},
		receivers: recorded.NewReceivers(true),
	}
	if several {
		c.label = p.Label
	}
	matches := p.Matcher(root)
	if c.Default = matches == nil; !c.Default {
		c.Root = func(call *calltree.Call) bool { return matches(call.Site) }
		c.Again = c.Root
	}
	c.Begin, c.Join, c.Over, c.Leave = c.onBegin, c.onJoin, c.onOver, c.onLeave
	return c
}

func (c *collector) follower() recording.Follower {
	return recording.Follower{Enter: c.onEnter, Call: c.onCall, Wait: c.onWait, Start: c.onStart, End: c.onEnd, Spawn: c.Spawn}
}

func (c *collector) onStart(goroutine, parent uint64, origin uint32) {
	c.parents[goroutine] = parent
	c.Start(goroutine, parent, origin)
}

func (c *collector) onJoin(r, starter *running) {
	r.Data.trace = starter.Data.trace
	c.sums(r).Goroutines++
	r.Data.other = starter.Data.other
	if c.start != nil && !r.Data.other {
		c.start(r, starter)
	}
}

// onWait notes how long a new goroutine was ready.
func (c *collector) onWait(w *calltree.Call) {
	if w.Site == 0 {
		c.ready[w.Goroutine] = time.Duration(c.p.Scale.Nanoseconds(w.End - w.Wait.Ready))
	}
}

func (c *collector) onEnd(g *calltree.Goroutine) {
	delete(c.parents, g.ID)
	delete(c.ready, g.ID)
	c.End(g)
}

func (c *collector) onLeave(r *running, stays bool) {
	if stays {
		r.Data.trace.add(&r.Data.late)
	}
	if c.leave != nil && !r.Data.other {
		c.leave(r, stays)
	}
}

// sums returns where to add what a strand does.
func (c *collector) sums(r *running) *sums {
	if r.Late() {
		return &r.Data.late
	}
	return &r.Data.trace.sums
}

func (c *collector) onBegin(r *running, call *calltree.Call) bool {
	t := &Trace{Root: r.Trace.Root, Parent: c.parents[call.Goroutine], Open: true, Waiting: c.waits, Ready: c.ready[call.Goroutine]}
	t.Goroutine = recording.GoroutineID{Process: c.label, ID: call.Goroutine}
	at := c.p.File.Nanos(call.Began)
	t.Start = c.p.Since + time.Duration(at)
	t.StartTime = c.p.File.Info().Start.Add(time.Duration(at))
	if c.brief && c.values != nil && call.Args != nil {
		t.Args = brief(c.values, c.p, call)
	} else {
		t.Args = arguments(c.values, &c.receivers, c.p, call)
	}
	r.Data.trace = t
	if c.If != nil {
		r.Data.slots, r.Data.may = c.If.Enter(call)
	}
	return c.began == nil || c.began(r, call)
}

// chooses reports whether the condition chooses the root call, which has ended.
func (c *collector) chooses(r *running, call *calltree.Call) bool {
	return c.If == nil || r.Data.may && c.If.Exit(call, r.Data.slots)
}

// arguments returns the arguments of a call, "" without a printer, or if they were not recorded. The
// receiver is printed by its label if receivers have one for it.
func arguments(values *value.Printer, receivers *recorded.Receivers, p *recording.Process, c *calltree.Call) string {
	if values == nil || c.Args == nil {
		return ""
	}
	fn, _ := p.File.Func(c.Site)
	list, err := value.Decode(c.Args, p.File.Type)
	texts := make([]string, len(list))
	receiver := receivers.Of(fn.Name, list)
	for i := range list {
		if i == 0 && receiver != nil {
			texts[i] = receiver.Label
		} else {
			texts[i] = values.Value(&list[i])
		}
	}
	return value.Join(texts, fn.Args, err != nil)
}

func (c *collector) onEnter(call *calltree.Call) {
	r := c.Enter(call)
	ready := c.ready[call.Goroutine]
	delete(c.ready, call.Goroutine)
	if r == nil {
		return
	}
	c.sums(r).Calls++
	r.Data.ready = ready
	if c.enter != nil && !r.Data.other {
		c.enter(r, call)
	}
}

func (c *collector) onCall(call *calltree.Call) {
	r := c.Of(call.Goroutine)
	if r == nil || call.Flags&calltree.Info != 0 {
		return
	}
	s := c.sums(r)
	if call.Flags&calltree.Long != 0 {
		s.Calls++
		return
	}
	if call.Flags&calltree.Panicked != 0 {
		s.Panics++
	}
	if call.Flags&calltree.Failed != 0 {
		s.Errors++
	}
	if r.Late() {
		s.Detached++
	}
	s.Objects += call.Made.Objects
	s.Bytes += call.Made.Bytes
	if c.call != nil && !r.Data.other {
		c.call(r, call)
	}
	c.Exit(r, call)
}

func (c *collector) onOver(r *running, call *calltree.Call) {
	t := r.Data.trace
	t.Duration = time.Duration(c.p.Scale.Nanoseconds(call.End - call.Began))
	t.Open = call.Flags&calltree.Open != 0
	call.Off.AddTo(&t.Off, c.p.Scale)
	const recovered = calltree.Panicked | calltree.Recovered
	t.Failed = call.Flags&calltree.Failed != 0 || call.Flags&recovered == calltree.Panicked
	if !r.Data.other {
		c.ended(r, call)
	}
}
