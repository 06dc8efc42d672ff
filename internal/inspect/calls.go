package inspect

import (
	"slices"
	"sync"
	"time"

	"github.com/waymark-go/waymark/internal/control"
	"github.com/waymark-go/waymark/internal/goroutine"
	"github.com/waymark-go/waymark/internal/rt"
	"github.com/waymark-go/waymark/internal/switchboard"
	"github.com/waymark-go/waymark/internal/text"
)

// calls tells calls one by one.
type calls struct {
	wish
	enters, returns, panics bool
	callers, bare           bool
	least                   time.Duration
	limit                   uint64
	kept                    *Kept // nil: calls are not kept
	wished                  *switchboard.Wish

	open  goroutine.Local[[]open]
	whole bool // what is told of a call is known when it begins
	pace  pace

	mu      sync.Mutex
	list    []control.Call
	hits    uint64
	skipped uint64
	closed  bool // nothing more is kept
}

// An open call is in progress.
type open struct {
	began    time.Time
	args     string
	caller   *control.Frame
	full     valueList // if calls are kept
	panic    string
	panicked bool
	goexit   bool // and that was the last
	quiet    bool // nothing is told: it began when too much was, and is counted, if its beginning was to be told
	hidden   bool
}

func newCalls(w control.Watch, k *Kept, wished *switchboard.Wish) *calls {
	on := func(what string, usual bool) bool { return slices.Contains(w.On, what) || usual && len(w.On) == 0 }
	if !w.Keep {
		k = nil
	}
	c := &calls{
		kept: k, wished: wished,
		enters: on(control.OnEnter, false), returns: on(control.OnReturn, true), panics: on(control.OnPanic, true),
		callers: w.Caller, bare: w.Bare, least: time.Duration(w.MinNS), limit: w.Limit,
	}
	c.whole = c.least == 0 && c.returns == c.panics
	return c
}

// Passes implements switchboard.Passer: calls that come too fast are counted and not observed, where it
// doesn't depend on their ends whether they would be told.
func (c *calls) Passes() bool { return c.whole && c.pace.passes() }

// Observe implements switchboard.Observer.
func (c *calls) Observe(e *switchboard.Event) {
	switch e.Kind {
	case switchboard.Enter:
		c.enter(e)
	case switchboard.Exit:
		c.exit(e)
	case switchboard.Panic, switchboard.Goexit:
		if list := c.open.Get(false); list != nil && len(*list) > 0 {
			o := &(*list)[len(*list)-1]
			o.goexit = e.Kind == switchboard.Goexit
			o.panicked = o.panicked || !o.goexit
			if o.panic = "runtime.Goexit"; e.Kind == switchboard.Panic && !e.Hidden() && !c.bare && switchboard.PanicValues() {
				o.panic = values([]any{e.Value})
			} else if e.Kind == switchboard.Panic {
				o.panic = "a panic"
			}
		}
	}
}

func (c *calls) enter(e *switchboard.Event) {
	o := open{began: time.Now(), hidden: e.Hidden()}
	if c.pace.rests() {
		if o.quiet = true; c.enters {
			c.skip()
		}
	} else {
		if c.callers {
			o.caller = callerOf(e.Func)
		}
		if !c.bare {
			args := e.Args()
			o.args = values(args)
			if c.kept != nil {
				o.full = fully(args)
			}
		}
		if c.enters {
			k := &kept{f: e.Func, args: o.full}
			if c.returns || c.panics {
				k = nil // it is kept when it ends
			}
			o.quiet = !c.tell(o.call(e, control.OnEnter), k)
		}
		o.began = time.Now().Add(-switchboard.Ago(e)) // what was done here is not the call's time
	}
	list := c.open.Get(true)
	*list = append(*list, o)
}

func (c *calls) exit(e *switchboard.Event) {
	list := c.open.Get(false)
	if list == nil || len(*list) == 0 {
		return
	}
	o := (*list)[len(*list)-1]
	if *list = (*list)[:len(*list)-1]; len(*list) == 0 {
		c.open.Drop()
	}
	end := control.OnPanic
	if e.Returned {
		end = control.OnReturn
	}
	took := time.Since(o.began) - late()
	if took < c.least || end == control.OnReturn && !c.returns || end == control.OnPanic && !c.panics {
		return
	}
	if o.quiet {
		if !c.enters {
			c.skip()
		}
		return
	}
	told := o.call(e, end)
	told.DurationNS, told.Panic = int64(took), o.panic
	k := &kept{f: e.Func, args: o.full, panicked: o.panicked || !e.Returned && !o.goexit}
	if e.Returned && !c.bare {
		results := e.Results()
		told.Results = values(results)
		if c.kept != nil {
			k.results = fully(results)
		}
	}
	c.tell(told, k)
}

func (o *open) call(e *switchboard.Event, end string) control.Call {
	return control.Call{Function: e.Func.Name, Goroutine: e.Goroutine, StartUnix: o.began.UnixNano(), End: end, Args: o.args, Hidden: o.hidden, Caller: o.caller}
}

// late returns how long ago the call ended whose end is told.
func late() time.Duration {
	if rt.Enabled {
		return time.Duration(rt.Late())
	}
	return 0
}

// values returns values as text.
func values(list []any) string {
	if len(list) == 0 {
		return ""
	}
	b := text.AppendList(nil, list)
	if len(b) > mostText {
		b = append(b[:mostText:mostText], "..."...)
	}
	return string(b)
}

func (c *calls) skip() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.limit == 0 || c.hits < c.limit {
		c.skipped++
	}
}

// tell tells a call, and reports whether it did: unless that is too much. If calls are kept it keeps k, unless
// that is nil.
func (c *calls) tell(call control.Call, k *kept) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.limit > 0 && c.hits >= c.limit {
		return false
	}
	if !c.pace.take(len(c.list)) {
		c.skipped++
		return false
	}
	if k != nil && c.kept != nil && !c.closed {
		k.call, k.wish = call, c.wished
		call.Number = c.kept.add(k)
	}
	c.list = append(c.list, call)
	if c.hits++; c.hits == c.limit {
		c.pace.stop()
	}
	return true
}

// Close implements control.Task. Calls in progress may still end.
func (c *calls) Close() error {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	return c.wish.Close()
}

// Next implements control.Task.
func (c *calls) Next() control.News {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, size := 0, 0
	for n < min(len(c.list), mostCalls) && size < mostNews {
		call := &c.list[n]
		size += len(call.Args) + len(call.Results) + len(call.Panic)
		n++
	}
	news := control.News{Calls: slices.Clone(c.list[:n]), Hits: c.hits, Skipped: c.skipped + c.pace.passed.Load()}
	c.list = slices.Delete(c.list, 0, n)
	news.Quiet = c.pace.renew()
	if news.More = len(c.list) > 0; !news.More {
		if c.end(&news); c.limit > 0 && c.hits >= c.limit {
			news.Done, news.Why = true, control.WhyEnough
		}
	}
	return news
}
