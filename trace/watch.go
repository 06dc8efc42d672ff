package trace

import (
	"sync"
	"time"
	"unsafe"

	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/program/switchboard"
)

// WatchOptions say what is told of calls, and bound the trees.
type WatchOptions struct {
	// Calls are the functions whose calls are told, beside the roots: a *waymark.Group or what
	// waymark.Pattern returns. nil means all instrumented functions.
	Calls Selector

	// Enter is called when a call begins, with Func, Start, Goroutine, Args and Root set. Exit is
	// called when the call has ended. All is set then but the call's place among its caller's Calls
	// and calls of other goroutines. OnTree is called when a root call has ended, with its tree. It is
	// also called for outermost calls of other goroutines that end later, which are Detached. The
	// functions run on the goroutine of the call, which waits for them, so they may be called on
	// several goroutines at once. What they call is not traced. If one of them panics none is called
	// any more.
	Enter, Exit, OnTree func(*Call)

	MaxCalls int           // of a tree; 0: 100,000
	MaxDepth int           // of a tree: the root call has depth 1; 0: 1000
	MaxTime  time.Duration // calls that begin later than this after their root call are left out; 0: no limit
}

// Bounds of trees without others.
const (
	defaultCalls = 100_000
	defaultDepth = 1000
)

// A Watcher tells the program of calls.
type Watcher struct {
	options WatchOptions
	roots   switchboard.Selection
	owner   *switchboard.Owner
	held    func() *spot // what the calling goroutine holds
	hold    func(*spot)

	mu       sync.Mutex
	branches map[uint64]*branch // by goroutine
	roles    map[*Func]bool     // whether calls of a function begin trees
}

// Watch has the program told of the calls of root calls, with their arguments and results. It tells
// of each call from the root call's start to its end. The calls are on the root call's goroutine
// and on those that are started below it, as in traces. roots is a *waymark.Group or what
// waymark.Pattern returns. Any number of watchers may go on side by side, and beside collectors.
//
// A goroutine that is started in the tree of a root call keeps that tree in memory until it ends.
//
// Watch costs more than a Collector: it is for some requests, not for all. Errors are those of
// waymark.Attach, and ErrNotBuilt.
func Watch(roots Selector, o WatchOptions) (*Watcher, error) {
	selected, err := switchboard.SelectionOf(roots)
	if err != nil {
		return nil, err
	}
	var calls switchboard.Selection
	if o.Calls != nil {
		if calls, err = switchboard.SelectionOf(o.Calls); err != nil {
			return nil, err
		}
	}
	if !rt.Enabled {
		return nil, ErrNotBuilt
	}
	w := newWatcher(selected, o)
	w.held, w.hold = func() *spot { return (*spot)(rt.Above()) }, func(s *spot) { rt.SetAbove(unsafe.Pointer(s)) }
	w.owner = switchboard.Default.Join("Watch", switchboard.Program)
	observer := func(string) switchboard.Observer { return w }
	err = w.owner.Set(
		switchboard.Wish{Want: rt.Watched, Select: calls, Kind: "Watch", Observer: observer},
		switchboard.Wish{Want: rt.Watched, Select: selected, Kind: "Watch", Observer: observer},
	)
	if err != nil {
		return nil, err
	}
	return w, nil
}

func newWatcher(roots switchboard.Selection, o WatchOptions) *Watcher {
	if o.MaxCalls <= 0 {
		o.MaxCalls = defaultCalls
	}
	if o.MaxDepth <= 0 {
		o.MaxDepth = defaultDepth
	}
	return &Watcher{options: o, roots: roots, branches: make(map[uint64]*branch), roles: make(map[*Func]bool)}
}

// Stop ends that new calls are told. Calls in progress are still told when they end.
func (w *Watcher) Stop() { w.owner.Close() }

// Observe implements waymark.Observer.
func (w *Watcher) Observe(e *Event) {
	now := time.Now()
	b := w.branch(e)
	if b == nil {
		return
	}
	switch e.Kind {
	case switchboard.Enter:
		w.enter(b, e, now)
	case switchboard.Exit:
		w.exit(b, e, now)
	case switchboard.Panic:
		if b.out == 0 {
			b.at.Panicked, b.at.Value = true, e.Value
		}
	case switchboard.Goexit:
		if b.out == 0 {
			b.at.Exited = true
		}
	}
}

// branch returns the branch that the event's call is in, or begins; nil if there is none.
func (w *Watcher) branch(e *Event) *branch {
	w.mu.Lock()
	defer w.mu.Unlock()
	b := w.branches[e.Goroutine]
	if b != nil || e.Kind != switchboard.Enter {
		return b
	}
	if s := w.held().of(w, e.Goroutine); s != nil && !s.branch.tree.over.Load() {
		b = &branch{tree: s.branch.tree, above: s, depth: s.depth}
	} else if w.isRoot(e.Func) {
		b = &branch{tree: new(watched)}
	} else {
		return nil
	}
	w.branches[e.Goroutine] = b
	return b
}

// leave ends that calls of a goroutine are in a branch.
func (w *Watcher) leave(goroutine uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.branches, goroutine)
}

func (w *Watcher) isRoot(f *Func) bool {
	is, known := w.roles[f]
	if !known {
		is = w.roots.Contains(f)
		w.roles[f] = is
	}
	return is
}

func (w *Watcher) enter(b *branch, e *Event, now time.Time) {
	o, t := &w.options, b.tree
	late := t.root != nil && o.MaxTime > 0 && now.Sub(t.root.Start) > o.MaxTime
	if b.out > 0 || late || b.depth >= o.MaxDepth || t.calls.Add(1) > int64(o.MaxCalls) {
		b.out++
		t.lost.Add(1)
		return
	}
	c := &Call{Func: e.Func, Start: now, Goroutine: e.Goroutine, Args: e.Args(), Root: t.root, up: b.at}
	switch {
	case b.at != nil:
		b.at.Calls = append(b.at.Calls, c)
	case b.above != nil:
		c.Go, c.Handed = true, b.above.handed
	default:
		t.root, c.Root = c, c
	}
	b.at = c
	b.depth++
	w.hold(b.push(w, e.Goroutine, w.held()))
	if o.Enter != nil {
		o.Enter(c)
	}
}

func (w *Watcher) exit(b *branch, e *Event, now time.Time) {
	if b.out > 0 {
		if b.out--; b.out == 0 && b.at == nil {
			w.leave(e.Goroutine)
		}
		return
	}
	c := b.at
	c.Duration = max(now.Sub(c.Start), 0)
	c.Self = max(c.Self+c.Duration, 0)
	c.Detached = b.tree.over.Load()
	if c.up != nil {
		c.up.Self -= c.Duration
	}
	if e.Returned {
		if c.Recovered = c.Panicked && switchboard.Recovered(e); !c.Recovered { // a function has recovered it that the call made
			c.Panicked, c.Value = false, nil
		}
		if c.Results = e.Results(); len(c.Results) > 0 {
			err, ok := c.Results[len(c.Results)-1].(error)
			c.Failed = ok && err != nil
		}
	}
	w.hold(b.pop(c, e.Goroutine, w.held()))
	b.at = c.up
	b.depth--
	if b.at == nil { // whatever the program's functions do below, the branch is over
		w.leave(e.Goroutine)
	}
	if w.options.Exit != nil {
		w.options.Exit(c)
	}
	if b.at == nil && b.end(c) && w.options.OnTree != nil {
		w.options.OnTree(c)
	}
}
