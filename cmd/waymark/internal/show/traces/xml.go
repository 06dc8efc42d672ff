package traces

import (
	"bufio"
	"cmp"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/internal/wire/actions"
	"github.com/waymark-go/waymark/tracefile"
)

// WriteXML writes traces as a file of actions, see package xmltrace. It writes those that the
// options choose, in the order of their ends, or only the trace with a key. It reads the
// recordings once. A trace that is being read is kept in memory. The limit of Options must be 0.
func WriteXML(out io.Writer, set *tracefile.Set, filter *recording.Filter, o Options, only *Key) (n int, read []recording.Summary, err error) {
	buf := bufio.NewWriterSize(out, 1<<16)
	x := xmlWriter{w: actions.NewWriter(buf, set.Processes[0].Info().Start.UnixNano()), pending: make(map[*Trace]*pending)}
	read, err = filter.Follow(set, func(p *recording.Process) recording.Follower {
		c := newCollector(p, len(set.Processes) > 1, o.Root)
		if only != nil {
			c = keyed(p, set, o.Root, *only)
		}
		wanted := c.began
		c.began = func(r *running, call *calltree.Call) bool {
			if wanted != nil && !wanted(r, call) {
				return false
			}
			if r.Data.other {
				return true
			}
			r.Data.log = &actions.Element{Key: r.Data.trace.Key.String(), Goroutine: r.Goroutine}
			x.pending[r.Data.trace] = &pending{alive: 1, logs: []*actions.Element{r.Data.log}}
			return true
		}
		c.start = func(child, starter *running) {
			t := child.Data.trace
			child.Data.log = &actions.Element{Key: t.Key.String() + "/" + strconv.FormatUint(child.Goroutine, 10), Goroutine: child.Goroutine, Parent: starter.Data.log.Key}
			all := x.pending[t]
			if all == nil { // the trace has ended
				all = &pending{wanted: o.wants(t)}
				x.pending[t] = all
			}
			all.alive++
			all.logs = append(all.logs, child.Data.log)
			child.Data.mark()
		}
		start := p.File.Info().Start.UnixNano()
		at := func(clock uint64) int64 { return start + p.File.Nanos(clock) }
		c.enter = func(r *running, call *calltree.Call) {
			fn, _ := p.File.Func(call.Site)
			r.Data.log.Add(at(call.Start), actions.Start, fn.Name)
			r.Data.open = append(r.Data.open, fn.Name)
		}
		c.call = func(r *running, call *calltree.Call) {
			action := actions.End
			const recovered = calltree.Panicked | calltree.Recovered
			if call.Flags&recovered == calltree.Panicked {
				action = actions.Exception
			}
			n := len(r.Data.open) - 1
			r.Data.log.Add(at(call.End), action, r.Data.open[n])
			if n < r.Data.early {
				r.Data.kept.Add(at(call.End), action, r.Data.open[n])
				r.Data.early = n
			}
			r.Data.open = r.Data.open[:n]
		}
		c.ended = func(r *running, _ *calltree.Call) {
			t := r.Data.trace
			all := x.pending[t]
			if all.wanted = o.wants(t); all.wanted {
				n++
			}
			for _, s := range r.Trace.Strands {
				s.Data.mark()
			}
		}
		c.leave = func(r *running, stays bool) {
			if !stays {
				*r.Data.log = r.Data.kept
			}
			x.over(r.Data.trace)
		}
		return c.follower()
	})
	x.rest()
	if err == nil {
		err = x.err
	}
	if closeErr := x.w.Close(); err == nil {
		err = closeErr
	}
	if flushErr := buf.Flush(); err == nil {
		err = flushErr
	}
	return n, read, err
}

// mark notes that the root call has ended: of what the strand does from then on kept gets the ends of its open
// calls only.
func (s *strand) mark() { s.kept, s.early = s.log.Copy(), len(s.open) }

// A pending is a trace whose goroutines have not all ended.
type pending struct {
	alive  int
	wanted bool
	logs   []*actions.Element // of its goroutines
}

type xmlWriter struct {
	w       *actions.Writer
	pending map[*Trace]*pending
	err     error
}

// over notes that a goroutine has nothing more to do in its trace. Goroutines come behind those that
// have started them, as a reader needs to know these first.
func (x *xmlWriter) over(t *Trace) {
	all := x.pending[t]
	if all.alive--; all.alive > 0 {
		return
	}
	x.write(t)
}

// rest writes the traces with goroutines of which nobody knows whether they have ended.
func (x *xmlWriter) rest() {
	left := slices.Collect(maps.Keys(x.pending))
	slices.SortFunc(left, func(a, b *Trace) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), strings.Compare(a.Key.String(), b.Key.String()))
	})
	for _, t := range left {
		x.write(t)
	}
}

// write writes the goroutines of a trace.
func (x *xmlWriter) write(t *Trace) {
	all := x.pending[t]
	delete(x.pending, t)
	for _, l := range all.logs {
		if all.wanted && x.err == nil && !l.Empty() {
			x.err = x.w.Write(l)
		}
	}
}
