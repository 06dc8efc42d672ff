package traces

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recorded"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/internal/calls"
	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/tracefile"
	"github.com/waymark-go/waymark/value"
)

// A Key names a trace: the goroutine of its root call, and when that call began. It does not depend
// on what else is looked for.
type Key struct {
	Goroutine recording.GoroutineID
	Start     time.Duration // since the start of the first recording
}

func (k Key) String() string {
	return k.Goroutine.String() + "-" + strconv.FormatInt(int64(k.Start), 10)
}

// ParseKey parses what Key.String returns.
func ParseKey(text string) (Key, error) {
	goroutine, start, ok := cutLast(text, '-')
	if ok {
		ids, err := recording.ParseGoroutines(goroutine)
		ns, numErr := strconv.ParseUint(start, 10, 63)
		if err == nil && numErr == nil && len(ids) == 1 {
			return Key{ids[0], time.Duration(ns)}, nil
		}
	}
	return Key{}, fmt.Errorf("%q is no key of a trace: want one as waymark traces lists it, such as 18-1503201", text)
}

func cutLast(s string, sep byte) (before, after string, ok bool) {
	i := strings.LastIndexByte(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+1:], true
}

// A Trace is what is known of a trace as a whole.
type Trace struct {
	Key
	Root      *function.Func
	Parent    uint64        // the goroutine that has started the trace's goroutine; 0 if that is unknown
	StartTime time.Time     // when the root call began
	Duration  time.Duration // of the root call
	Open      bool          // the root call has not ended: Duration is until the end of the recording

	Args string // of the root call, as (n=1); "" if they were not recorded, or are not printed

	sums
	Failed bool // a panic has ended the root call, or it has returned an error

	Waiting bool          // the recording says when goroutines ran
	Off     calls.Offs    // of the root call: when its goroutine did not
	Ready   time.Duration // how long the goroutine was ready before it ran, if the root call is its first one
}

// sums are what the calls of a trace add up to.
type sums struct {
	Calls      uint64 // all, with the root call
	Panics     uint64 // calls that a panic ended, or that recovered one
	Errors     uint64 // calls that returned an error
	Goroutines uint64 // that were started
	Detached   uint64 // calls that ended after the root call

	Objects uint64 // heap objects that its calls made, on all its goroutines
	Bytes   uint64
}

func (s *sums) add(o *sums) {
	s.Calls += o.Calls
	s.Panics += o.Panics
	s.Errors += o.Errors
	s.Goroutines += o.Goroutines
	s.Detached += o.Detached
	s.Objects += o.Objects
	s.Bytes += o.Bytes
}

// Options choose traces.
type Options struct {
	Root    func(*function.Func) bool // root calls: the outermost ones of these functions; nil: see package traces
	Show    func(*function.Func) bool // traces whose root calls are of these functions, unless nil
	Min     time.Duration             // traces that take as long
	Failed  bool                      // traces that have failed
	Slowest int                       // only so many, those that take longest; 0 is no limit

	// Requests leaves out, if there is no Root and no Show, root calls of functions that don't look like
	// requests, see roots. If there are no others, nothing is left out. Left is told how many traces
	// are, and the slowest ones.
	Requests bool
	Left     func(list []*Trace, n int)

	If     *recorded.Condition // traces whose root calls it chooses, unless nil
	Values *value.Printer      // prints the arguments of root calls; nil: they are not printed
	Brief  bool                // of arguments, only what tells calls apart

	// Tell, unless nil, is told the clock of each event that List reads, and reports whether it has
	// read enough.
	Tell func(clock uint64) bool
}

func (o *Options) wants(t *Trace) bool {
	return t.Duration >= o.Min && (!o.Failed || t.Failed) && (o.Show == nil || o.Show(t.Root))
}

// List returns the traces of all processes of a set that the options choose, the slowest first, and
// how many there are without the limit. On an error it returns what could be read.
func List(set *tracefile.Set, filter *recording.Filter, o Options) (list []*Trace, n int, read []recording.Summary, err error) {
	byName := make(map[string]*roots)
	read, err = filter.Follow(set, func(p *recording.Process) recording.Follower {
		c := newCollector(p, len(set.Processes) > 1, o.Root)
		c.values, c.brief = o.Values, o.Brief
		if o.If != nil {
			c.If = o.If.Matcher(p.File, p.Scale.Nanoseconds)
		}
		c.ended = func(r *running, call *calltree.Call) {
			t := r.Data.trace
			f := byName[t.Root.Name]
			if f == nil {
				f = &roots{heap: heap{limit: o.Slowest}}
				byName[t.Root.Name] = f
			}
			f.calls++
			f.ended = f.ended || !t.Open
			if t.Duration > set.Duration()/2 {
				f.long++
			}
			if o.wants(t) && c.chooses(r, call) {
				f.add(t)
			}
		}
		to := c.follower()
		to.Done = o.Tell
		return to
	})
	requests, others := &heap{limit: o.Slowest}, &heap{limit: o.Slowest}
	for _, f := range byName {
		to := requests
		if o.Requests && o.Root == nil && o.Show == nil && !f.requests() {
			to = others
		}
		to.list, to.n = append(to.list, f.list...), to.n+f.n
	}
	if requests.n == 0 {
		requests, others = others, requests
	}
	if others.n > 0 {
		o.Left(slowest(others.list, others.limit), others.n)
	}
	return slowest(requests.list, o.Slowest), requests.n, read, err
}

// roots are the root calls of a function.
type roots struct {
	heap
	calls int
	ended bool // one has
	long  int  // those that took more than half of the recording's time
}

// requests reports whether the root calls look like requests. A single one doesn't, such as that of
// main.main or of a loop that accepts connections. Nor do those of which none has ended, or half of
// which took more than half of the recording's time: workers and clients that run on do so.
func (f *roots) requests() bool { return f.calls > 1 && f.ended && 2*f.long < f.calls }

// A heap keeps the slowest traces.
type heap struct {
	limit int // 0: all
	list  []*Trace
	n     int // all
}

func (h *heap) add(t *Trace) {
	h.n++
	h.list = append(h.list, t)
	if h.limit > 0 && len(h.list) >= 2*h.limit+1024 {
		h.list = slowest(h.list, h.limit)
	}
}

// slowest sorts traces, and returns the first ones.
func slowest(list []*Trace, limit int) []*Trace {
	slices.SortStableFunc(list, func(a, b *Trace) int {
		return cmp.Or(cmp.Compare(b.Duration, a.Duration), cmp.Compare(a.Start, b.Start), cmp.Compare(a.Goroutine.String(), b.Goroutine.String()))
	})
	if limit > 0 && len(list) > limit {
		clear(list[limit:])
		list = list[:limit]
	}
	return list
}
