// Package parquet writes a table of calls in Parquet, for SQL engines: a row for each call, in the
// order of their ends.
//
//	SELECT function, count(*), sum(self_ns), sum(duration_ns) FILTER (NOT recursive) FROM 'calls.parquet' GROUP BY ALL
package parquet

import (
	"errors"
	"io"
	"strconv"
	"sync/atomic"

	"github.com/parquet-go/parquet-go"

	"github.com/waymark-go/waymark/cmd/waymark/internal/export/calls"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree"
	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/tracefile"
)

// A Row is a call. Columns of values that were not recorded are null.
type Row struct {
	ID              int64  `parquet:"id"`
	Caller          int64  `parquet:"caller"`  // 0 for root calls
	Starter         int64  `parquet:"starter"` // of root calls: the call that has started the goroutine, 0 if unknown
	Trace           int64  `parquet:"trace"`   // id of the trace's root call, 0 if there is none
	PID             int32  `parquet:"pid"`
	Goroutine       int64  `parquet:"goroutine"`
	ParentGoroutine int64  `parquet:"parent_goroutine"`
	Function        string `parquet:"function,dict"`
	Package         string `parquet:"package,dict"`
	File            string `parquet:"file,dict"`
	Line            int32  `parquet:"line"`
	Depth           int32  `parquet:"depth"`
	Start           int64  `parquet:"start,timestamp(nanosecond)"` // wall-clock time
	Duration        int64  `parquet:"duration_ns"`
	Self            int64  `parquet:"self_ns"`
	SelfRunnable    int64  `parquet:"self_runnable_ns"`      // of that, ready without a processor
	SelfWaiting     string `parquet:"self_waiting,optional"` // of that, waiting: a JSON object, ns by reason
	Recursive       bool   `parquet:"recursive"`
	Panicked        bool   `parquet:"panicked"`
	Recovered       bool   `parquet:"recovered"`
	Goexit          bool   `parquet:"goexit"`
	Error           bool   `parquet:"error"`
	Open            bool   `parquet:"open"`
	EndUnknown      bool   `parquet:"end_unknown"`
	Info            bool   `parquet:"info"`
	Counted         bool   `parquet:"counted"`
	Args            string `parquet:"args,optional"` // a JSON object of texts
	Results         string `parquet:"results,optional"`
	Panic           string `parquet:"panic,optional"`
}

// Rows in memory: those of batches, and those of a group, of which columns are kept until the group
// is complete.
const (
	batches  = 4
	perBatch = 1 << 13
	perGroup = 1 << 18
)

// NewWriter returns the writer of a table.
func NewWriter(w io.Writer) *parquet.GenericWriter[Row] {
	return parquet.NewGenericWriter[Row](w, parquet.Compression(&parquet.Snappy), parquet.MaxRowsPerRowGroup(perGroup), parquet.CreatedBy("waymark", "", ""))
}

// Write writes the calls of a set that the filter shows. Columns are encoded by a goroutine of their
// own, while the next calls are read.
func Write(w io.Writer, set *tracefile.Set, filter *recording.Filter, o calls.Options) ([]recording.Summary, error) {
	out := &writer{w: NewWriter(w), full: make(chan []Row, batches), free: make(chan []Row, batches), done: make(chan error)}
	for range batches {
		out.free <- make([]Row, 0, perBatch)
	}
	out.rows = <-out.free
	go out.run()
	o.Whole, o.Traces = true, true
	read, err := calls.Tell(set, filter, o, calls.Listener{End: out.end})
	out.full <- out.rows
	close(out.full)
	if writeErr := <-out.done; writeErr != nil {
		err = writeErr
	}
	return read, err
}

type writer struct {
	w     *parquet.GenericWriter[Row]
	rows  []Row
	start int64 // of the first recording, since 1970 in ns; known with the first call

	full, free chan []Row
	failed     atomic.Bool
	done       chan error
}

// run writes batches.
func (w *writer) run() {
	var err error
	for rows := range w.full {
		if err == nil {
			_, err = w.w.Write(rows)
			w.failed.Store(err != nil)
		}
		w.free <- rows[:0]
	}
	if err == nil {
		err = w.w.Close()
	}
	w.done <- err
}

// errFailed ends the reading; the error that did is another one.
var errFailed = errors.New("writing failed")

func (w *writer) end(c *calls.Call) error {
	p := c.Goroutine.Process
	if w.start == 0 {
		w.start = p.File.Info().Start.UnixNano() - int64(p.Since)
	}
	trace := int64(0)
	if c.Trace != nil {
		trace = int64(c.Trace.ID)
	}
	is := func(f calltree.Flags) bool { return c.Flags&f != 0 }
	// In place, as a row has 400 bytes: all of an earlier row is overwritten.
	w.rows = w.rows[:len(w.rows)+1]
	r := &w.rows[len(w.rows)-1]
	r.ID, r.Caller, r.Starter, r.Trace = int64(c.ID), int64(c.Caller), int64(c.Starter), trace
	r.PID, r.Goroutine, r.ParentGoroutine = int32(p.PID), int64(c.Goroutine.ID), int64(c.Goroutine.Parent)
	r.Function, r.Package, r.File = c.Function.Name, c.Function.Package, c.Function.File
	r.Line, r.Depth = int32(c.Function.Line), int32(c.Depth)
	r.Start, r.Duration, r.Self = w.start+c.Start, c.Duration, c.Self
	r.SelfRunnable, r.SelfWaiting = 0, ""
	if c.SelfOff != nil {
		r.SelfRunnable, r.SelfWaiting = c.SelfOff.Runnable, reasons(&c.SelfOff.Waiting)
	}
	r.Recursive = c.Recursive
	r.Panicked, r.Recovered, r.Goexit, r.Error = is(calltree.Panicked), is(calltree.Recovered), is(calltree.Exited), is(calltree.Failed)
	r.Open, r.EndUnknown, r.Info, r.Counted = is(calltree.Open), is(calltree.Cut), is(calltree.Info), is(calltree.Long|calltree.Unfolded)
	r.Args, r.Results, r.Panic = object(c.Args()), object(c.Results()), c.Panic()
	if len(w.rows) == perBatch {
		w.full <- w.rows
		w.rows = <-w.free
	}
	if w.failed.Load() {
		return errFailed
	}
	return nil
}

// reasons returns times as a JSON object, "" if all are 0.
func reasons(times *[tracefile.WaitReasons]int64) string {
	var b []byte
	for reason, ns := range times {
		if ns != 0 {
			b = append(b, ",\""+tracefile.WaitReason(reason).String()+"\":"...)
			b = strconv.AppendInt(b, ns, 10)
		}
	}
	if b != nil {
		b[0] = '{'
		b = append(b, '}')
	}
	return string(b)
}

// object returns values as a JSON object, "" if there are none.
func object(list []calls.Value) string {
	if len(list) == 0 {
		return ""
	}
	return string(calls.AppendObject(nil, list))
}
