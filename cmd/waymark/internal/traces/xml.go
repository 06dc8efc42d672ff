package traces

import (
	"bufio"
	"io"
	"strconv"

	"github.com/waymark-go/waymark/cmd/waymark/internal/calltree"
	"github.com/waymark-go/waymark/cmd/waymark/internal/recording"
	"github.com/waymark-go/waymark/internal/actions"
	"github.com/waymark-go/waymark/tracefile"
)

// WriteXML writes traces as a file of actions, see package xmltrace: those that the options choose
// in the order of their ends, or only the trace with a key. It reads the recordings once. A trace
// that is being read is kept in memory. The limit of Options must be 0.
func WriteXML(out io.Writer, set *tracefile.Set, filter *recording.Filter, o Options, only *Key) (n int, read []recording.Summary, err error) {
	buf := bufio.NewWriterSize(out, 1<<16)
	x := xmlWriter{w: actions.NewWriter(buf, set.Processes[0].Info().Start.UnixNano()), pending: make(map[*Trace]*pending)}
	read, err = filter.Follow(set, func(p *recording.Process) recording.Follower {
		c := newCollector(p, len(set.Processes) > 1, o.Root)
		c.began = func(r *running, _ *calltree.Call) bool {
			if only != nil && r.trace.Key != *only {
				return false
			}
			r.log = &actions.Element{Key: r.trace.Key.String(), Goroutine: r.trace.Goroutine.ID}
			x.pending[r.trace] = &pending{alive: 1, logs: []*actions.Element{r.log}}
			return true
		}
		c.start = func(child, parent *running) {
			key := child.trace.Key.String()
			child.log = &actions.Element{Key: key + "/" + strconv.FormatUint(child.goroutine, 10), Goroutine: child.goroutine, Parent: parent.log.Key}
			all := x.pending[child.trace]
			if all == nil { // the trace has ended
				all = &pending{wanted: o.wants(child.trace)}
				x.pending[child.trace] = all
			}
			all.alive++
			all.logs = append(all.logs, child.log)
		}
		start := p.File.Info().Start.UnixNano()
		at := func(clock uint64) int64 { return start + p.File.Nanos(clock) }
		c.enter = func(r *running, call *calltree.Call) {
			fn, _ := p.File.Func(call.Site)
			r.log.Add(at(call.Start), actions.Start, fn.Name)
		}
		c.call = func(r *running, call *calltree.Call) {
			fn, _ := p.File.Func(call.Site)
			action := actions.End
			const recovered = calltree.Panicked | calltree.Recovered
			if call.Flags&recovered == calltree.Panicked {
				action = actions.Exception
			}
			r.log.Add(at(call.End), action, fn.Name)
		}
		c.ended = func(t *Trace) {
			all := x.pending[t]
			if all.wanted = o.wants(t); all.wanted {
				n++
			}
		}
		c.over = func(r *running) { x.over(r) }
		return c.follower()
	})
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
func (x *xmlWriter) over(r *running) {
	all := x.pending[r.trace]
	if all.alive--; all.alive > 0 {
		return
	}
	delete(x.pending, r.trace)
	for _, l := range all.logs {
		if all.wanted && x.err == nil && !l.Empty() {
			x.err = x.w.Write(l)
		}
	}
}
