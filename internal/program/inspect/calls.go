package inspect

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/internal/program/control"
	"github.com/waymark-go/waymark/internal/program/goroutine"
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/program/switchboard"
	"github.com/waymark-go/waymark/internal/program/text"
	"github.com/waymark-go/waymark/value"
)

// calls tells calls one by one.
type calls struct {
	wish
	enters, returns, panics bool
	callers, bare           bool
	least                   time.Duration
	limit                   uint64
	limits                  text.Limits
	kept                    *Kept // nil: calls are not kept
	wished                  *switchboard.Wish

	open  goroutine.Local[[]open]
	whole bool // what is told of a call is known when it begins
	pace  pace

	mu      sync.Mutex
	list    []toldCall
	hits    uint64
	skipped uint64
	closed  bool // nothing more is kept
	names   signatures
}

// An open call is in progress.
type open struct {
	began    time.Time
	args     []string
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
		callers: w.Caller, bare: w.Bare, least: time.Duration(w.MinNS), limit: w.Limit, limits: text.Usual,
	}
	if w.Width != 0 {
		c.limits = text.Full
		c.limits.Width = max(w.Width, 0)
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
				o.panic = strings.Join(c.values([]any{e.Value}), "")
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
			o.args = c.values(args)
			if c.kept != nil {
				o.full = fully(args)
			}
		}
		if c.enters {
			k := &kept{f: e.Func, args: o.full}
			if c.returns || c.panics {
				k = nil // it is kept when it ends
			}
			o.quiet = !c.tell(toldCall{Call: o.call(e, control.OnEnter), f: e.Func, args: o.args}, k)
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
	if e.Returned && !switchboard.Recovered(e) {
		o.panic = "" // a function has recovered it that the call made
	}
	told := toldCall{Call: o.call(e, end), f: e.Func, args: o.args}
	told.DurationNS, told.Panic = int64(took), o.panic
	k := &kept{f: e.Func, args: o.full, panicked: o.panicked || !e.Returned && !o.goexit}
	if e.Returned && !c.bare {
		results := e.Results()
		told.results = c.values(results)
		if c.kept != nil {
			k.results = fully(results)
		}
	}
	c.tell(told, k)
}

func (o *open) call(e *switchboard.Event, end string) control.Call {
	return control.Call{Function: e.Func.Name, Goroutine: e.Goroutine, StartUnix: o.began.UnixNano(), End: end, Hidden: o.hidden, Caller: o.caller}
}

// late returns how long ago the call ended whose end is told.
func late() time.Duration {
	if rt.Enabled {
		return time.Duration(rt.Late())
	}
	return 0
}

// A toldCall gets the names of its values when the client asks.
type toldCall struct {
	control.Call
	f             *function.Func // nil: it is a firing
	args, results []string       // nil if they weren't asked for
}

// size returns the length of the values' text.
func (t *toldCall) size() int {
	n := len(t.Args) + len(t.Results) + len(t.Panic)
	for _, text := range append(t.args[:len(t.args):len(t.args)], t.results...) {
		n += len(text) + len(", ")
	}
	return n
}

// named returns the call with its values and their names.
func (t *toldCall) named(s *signatures) control.Call {
	c := t.Call
	// Values within runtime/secret.Do are told to nobody: "…".
	if args, _ := s.of(t.f); len(t.args) > 0 || t.args != nil && len(args) > 0 && !t.Hidden {
		c.Args = strings.TrimSuffix(strings.TrimPrefix(value.Join(t.args, args, false), "("), ")")
	}
	if len(t.results) > 0 {
		_, results := s.of(t.f)
		if c.Results = value.Join(t.results, results, false); len(t.results) == 1 && len(results) == 1 {
			c.Results = t.results[0]
		}
	}
	return c
}

// signatures are the names of functions' arguments and results.
type signatures map[*function.Func][2][]string

func (s *signatures) of(f *function.Func) (args, results []string) {
	if f == nil {
		return nil, nil
	}
	both, ok := (*s)[f]
	if !ok {
		if *s == nil {
			*s = make(signatures)
		}
		both[0], both[1] = switchboard.Default.Signature(f)
		(*s)[f] = both
	}
	return both[0], both[1]
}

// values returns values as text.
func (c *calls) values(list []any) []string {
	texts := make([]string, len(list))
	room := mostText
	if c.limits != text.Usual {
		room = mostFull
	}
	for i, v := range list {
		if texts[i] = "..."; room > 0 {
			texts[i] = string(c.limits.Append(nil, v))
		}
		room -= len(texts[i])
	}
	return texts
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
func (c *calls) tell(call toldCall, k *kept) bool {
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
		size += call.size()
		n++
	}
	news := control.News{Hits: c.hits, Skipped: c.skipped + c.pace.passed.Load()}
	for i := range c.list[:n] {
		news.Calls = append(news.Calls, c.list[i].named(&c.names))
	}
	c.list = slices.Delete(c.list, 0, n)
	news.Quiet = c.pace.renew()
	if news.More = len(c.list) > 0; !news.More {
		if c.end(&news); c.limit > 0 && c.hits >= c.limit {
			news.Done, news.Why = true, control.WhyEnough
		}
	}
	return news
}
