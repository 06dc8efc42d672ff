package trace

import (
	"fmt"
	"time"

	"github.com/waymark-go/waymark/internal/program/console"
)

// maxQueue is how many traces may wait for callbacks.
const maxQueue = 256

// callbacks are the traces that OnTrace and Keep are to be told of. A goroutine tells them: it is
// started for the first one, and ends when there are no more.
type callbacks struct {
	queue     []told
	most      int // of these, if that is more than maxQueue
	running   bool
	goroutine uint64 // that runs
	broken    bool   // a callback has panicked
	untold    uint64
}

// A told is a trace that callbacks are told of.
type told struct {
	trace *Trace
	ask   bool // Keep
	kept  bool // OnTrace is called, whatever Keep returns
}

// add has callbacks told of a trace. It reports whether a goroutine is to be started.
func (c *callbacks) add(t told) (begin bool) {
	if c.broken || len(c.queue) >= max(maxQueue, c.most) {
		c.untold++
		return false
	}
	c.queue = append(c.queue, t)
	begin = !c.running
	c.running = true
	return begin
}

// call tells callbacks of all traces that wait.
func (c *Collector) call() {
	returned := false
	defer func() {
		if !returned {
			c.broke(recover())
		}
	}()
	q := &c.calls
	c.mu.Lock()
	q.goroutine = c.world.goroutine()
	for len(q.queue) > 0 {
		next := q.queue[0]
		q.queue[0] = told{}
		q.queue = q.queue[1:]
		c.mu.Unlock()
		c.tell(next)
		c.mu.Lock()
	}
	q.queue, q.running, q.goroutine = nil, false, 0
	c.mu.Unlock()
	returned = true
}

func (c *Collector) tell(next told) {
	if next.ask && c.options.Keep(next.trace) {
		c.mu.Lock()
		turned := next.trace.other && !next.kept // the end of a period has OnTrace called
		next.kept = c.store.add(next.trace, true) && !turned || next.kept
		c.mu.Unlock()
	}
	if c.options.OnTrace != nil && next.kept {
		c.options.OnTrace(next.trace)
	}
}

// broke notes that a callback has panicked with this value; nil: runtime.Goexit has ended it.
func (c *Collector) broke(value any) {
	c.mu.Lock()
	q := &c.calls
	q.untold += uint64(len(q.queue))
	q.queue, q.running, q.goroutine, q.broken = nil, false, 0, true
	c.mu.Unlock()
	said := "has ended its goroutine"
	if value != nil {
		said = fmt.Sprintf("panicked: %v", value)
	}
	console.Say("traces of %s: OnTrace or Keep is not called any more, as it %s", c.roots, said)
}

// How long the end waits for callbacks.
const (
	callPatience = 2 * time.Second
	callLook     = time.Millisecond
)

// await waits until all callbacks have returned, but not for ever, and not for its caller.
func (c *Collector) await() {
	self := c.world.goroutine()
	for waited := time.Duration(0); waited < callPatience; waited += callLook {
		c.mu.Lock()
		over := !c.calls.running || self != 0 && c.calls.goroutine == self
		c.mu.Unlock()
		if over {
			return
		}
		time.Sleep(callLook)
	}
}
