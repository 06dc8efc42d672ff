//go:build linux && amd64

package host

import (
	"slices"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/patch"
	"github.com/waymark-go/waymark/internal/program/control"
)

// told tells calls one by one.
type told struct {
	*task
	enters, returns, panics, callers bool
	least                            time.Duration
	width                            int // columns of a value; 0: no limit
	second                           time.Time
	now                              int // told in this second
	list                             []control.Call
}

// Limits of what is told, as in programs that waymark has built.
const (
	perSecond  = 1000
	inMessage  = 500
	usualWidth = 72 // columns
)

func newCalls(t *task, w control.Watch) *told {
	on := func(what string, usual bool) bool { return slices.Contains(w.On, what) || usual && len(w.On) == 0 }
	width := w.Width
	switch {
	case width == 0:
		width = usualWidth
	case width < 0:
		width = 0
	}
	return &told{task: t, width: width, enters: on(control.OnEnter, false), returns: on(control.OnReturn, true), panics: on(control.OnPanic, true),
		callers: w.Caller, least: time.Duration(w.MinNS)}
}

func (k *told) begin(c *patch.Call) {
	if k.enters && k.has(c) && k.decides() && k.accepts(c) {
		k.tell(c, control.OnEnter)
	}
}

func (k *told) end(c *patch.Call) {
	if c.Unsure {
		if k.has(c) {
			k.mu.Lock()
			k.skipped++
			k.mu.Unlock()
		}
		return
	}
	end := control.OnReturn
	returned := c.End == patch.Returned
	if !returned {
		end = control.OnPanic
	}
	if !k.has(c) {
		return
	}
	k.meets(c)
	if (returned && k.returns || !returned && k.panics) && k.accepts(c) {
		k.tell(c, end)
	}
}

func (k *told) tell(c *patch.Call, end string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	tick := k.h.tick
	took := time.Duration(float64(c.Ended-min(c.Began, c.Ended)) * tick)
	if k.full() || end != control.OnEnter && took < k.least {
		return
	}
	if now := time.Now(); now.Sub(k.second) >= time.Second {
		k.second, k.now = now, 0
	}
	if k.now++; k.now > perSecond {
		k.skipped++
		return
	}
	k.hits++
	since := time.Duration((float64(c.Began) - float64(k.scale.clock)) * tick)
	call := control.Call{Function: c.Site.Name(), Goroutine: c.Goroutine, StartUnix: k.scale.wall.Add(since).UnixNano(), End: end, DurationNS: int64(took)}
	switch {
	case end == control.OnEnter:
		call.DurationNS = 0
	case c.End == patch.Exited:
		call.Panic = "runtime.Goexit"
	}
	if k.values != nil {
		call.Args, call.Results = k.values.args(c, k.width), k.values.results(c, k.width)
		call.TraceID, call.SpanID = k.values.Span(c)
		call.Labels, call.MoreLabels = k.values.labels(c)
	}
	if l := c.Site.Line; l != nil {
		call.File, call.Line = l.File, l.Line
		if len(c.Stack) > 0 {
			call.Stack = append(framesOf(l.Around), k.h.frames(c.Stack)...)
		}
	} else if k.callers && len(c.Stack) > 0 {
		if frames := k.h.frames(c.Stack); len(frames) > 0 {
			call.Caller = &frames[0]
		}
	}
	k.list = append(k.list, call)
}

// Next implements control.Task.
func (k *told) Next() (n control.News) {
	k.last()
	k.mu.Lock()
	defer k.mu.Unlock()
	some := min(len(k.list), inMessage)
	n = k.news()
	n.Calls = slices.Clone(k.list[:some])
	k.list = slices.Delete(k.list, 0, some)
	if n.More = len(k.list) > 0; !n.More {
		k.done(&n)
	}
	return n
}

// Close implements control.Task.
func (k *told) Close() error { return k.h.stop(k) }
