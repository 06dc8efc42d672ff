package trace

import (
	"sync"
	"time"

	"github.com/waymark-go/waymark/internal/rt"
	"github.com/waymark-go/waymark/internal/switchboard"
)

// WatchOptions say what is told of calls, and bound the trees.
type WatchOptions struct {
	// Calls are the functions whose calls are told, beside the roots: a *waymark.Group or what
	// waymark.Pattern returns. nil means all instrumented functions.
	Calls switchboard.Selector

	// Enter is called when a call begins, with Func, Start, Goroutine and Args set, and Exit when it
	// has ended, with all but its place among its caller's Calls. OnTree is called when a root call
	// has ended. They run on the goroutine of the call, which waits for them. What they call is not
	// traced. If one of them panics none is called any more.
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

	mu    sync.Mutex
	trees map[uint64]*watched // by goroutine
	roles map[*Func]bool      // whether calls of a function begin trees
}

// A watched is the tree of a root call in progress. Only its goroutine uses it.
type watched struct {
	at    *Call
	out   int // calls in progress that are left out
	depth int // of at
	calls int
	root  *Call
}

// Watch has the program told of the calls of root calls, with their arguments and results: of each
// call on the goroutine of the root call, from the root call's start to its end. roots is a
// *waymark.Group or what waymark.Pattern returns. Any number of watchers and a collector may go on
// side by side.
//
// Watch costs more than a Collector: it is for some requests, not for all. Errors are those of
// waymark.Attach, and ErrNotBuilt.
func Watch(roots switchboard.Selector, o WatchOptions) (*Watcher, error) {
	selected, err := selection(roots)
	if err != nil {
		return nil, err
	}
	var calls switchboard.Selection
	if o.Calls != nil {
		if calls, err = selection(o.Calls); err != nil {
			return nil, err
		}
	}
	if !rt.Enabled {
		return nil, ErrNotBuilt
	}
	w := newWatcher(selected, o)
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
	return &Watcher{options: o, roots: roots, trees: make(map[uint64]*watched), roles: make(map[*Func]bool)}
}

// Stop ends that new calls are told. Calls in progress are still told when they end.
func (w *Watcher) Stop() { w.owner.Close() }

// Observe implements waymark.Observer.
func (w *Watcher) Observe(e *switchboard.Event) {
	now := time.Now()
	t := w.tree(e)
	if t == nil {
		return
	}
	switch e.Kind {
	case switchboard.Enter:
		w.enter(t, e, now)
	case switchboard.Exit:
		w.exit(t, e, now)
	case switchboard.Panic:
		if t.out == 0 {
			t.at.Panicked, t.at.Value = true, e.Value
		}
	case switchboard.Goexit:
		if t.out == 0 {
			t.at.Exited = true
		}
	}
}

// tree returns the tree that the event's call is in, or begins; nil if there is none.
func (w *Watcher) tree(e *switchboard.Event) *watched {
	w.mu.Lock()
	defer w.mu.Unlock()
	t := w.trees[e.Goroutine]
	if t == nil && e.Kind == switchboard.Enter && w.isRoot(e.Func) {
		t = new(watched)
		w.trees[e.Goroutine] = t
	}
	return t
}

func (w *Watcher) isRoot(f *Func) bool {
	is, known := w.roles[f]
	if !known {
		is = w.roots.Contains(f)
		w.roles[f] = is
	}
	return is
}

func (w *Watcher) enter(t *watched, e *switchboard.Event, now time.Time) {
	o := &w.options
	late := t.root != nil && o.MaxTime > 0 && now.Sub(t.root.Start) > o.MaxTime
	if t.out > 0 || late || t.calls >= o.MaxCalls || t.depth >= o.MaxDepth {
		t.out++
		t.root.Lost++
		return
	}
	c := &Call{Func: e.Func, Start: now, Goroutine: e.Goroutine, Args: e.Args(), up: t.at}
	if t.root == nil {
		t.root = c
	} else {
		t.at.Calls = append(t.at.Calls, c)
	}
	t.at = c
	t.depth++
	t.calls++
	if o.Enter != nil {
		o.Enter(c)
	}
}

func (w *Watcher) exit(t *watched, e *switchboard.Event, now time.Time) {
	if t.out > 0 {
		t.out--
		return
	}
	c := t.at
	c.Duration = max(now.Sub(c.Start), 0)
	c.Self = max(c.Self+c.Duration, 0)
	if c.up != nil {
		c.up.Self -= c.Duration
	}
	if e.Returned {
		if c.Results = e.Results(); len(c.Results) > 0 {
			err, ok := c.Results[len(c.Results)-1].(error)
			c.Failed = ok && err != nil
		}
	}
	t.at = c.up
	t.depth--
	if t.at == nil { // whatever the program's functions do below, the tree is over
		w.mu.Lock()
		delete(w.trees, e.Goroutine)
		w.mu.Unlock()
	}
	if w.options.Exit != nil {
		w.options.Exit(c)
	}
	if t.at == nil && w.options.OnTree != nil {
		w.options.OnTree(c)
	}
}
