package trace

import (
	"bytes"
	"encoding/binary"
	"math/rand"
	"strconv"
	"strings"
	"time"

	"github.com/waymark-go/waymark/internal/function"
	"github.com/waymark-go/waymark/internal/program/gather"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// A Func is an instrumented function.
//
//	Name    string // as runtime.FuncForPC returns it: example.com/app/store.(*Store).Get
//	Package string // import path
//	File    string
//	Line    int // of the keyword func
type Func = function.Func

// A Trace is the life of a root call that has ended.
type Trace struct {
	// Key names the trace: the id of its goroutine, and when the root call began in ns since the
	// collector was started.
	Key string

	Root      *Func         // what the root call called
	Start     time.Time     // when the root call began
	Duration  time.Duration // of the root call
	Goroutine uint64        // id of the goroutine that made the root call
	Parent    uint64        // id of the goroutine that started that goroutine

	// Failed: Panicked, or the root call returned an error, or net/http has answered a request in the trace
	// with a status of 500 or more.
	Failed   bool
	Panicked bool // a panic ended the root call, or the root call recovered a panic
	Exited   bool // runtime.Goexit ended the root call

	Calls      uint64 // all calls, with the root call
	Panics     uint64 // calls that a panic ended, or that recovered a panic
	Errors     uint64 // calls that returned an error
	Goroutines int    // of the trace, with that of the root call

	// ID is the trace id of W3C's Trace Context: that of Within, or one of its own. It names the trace in a collector.
	ID [16]byte

	// Request is the method and the path of the HTTP request that the root call handles, as in "GET /order". Like
	// Within, it is known if a sink has started.
	Request string

	Status int // that net/http answered the request with; 0: unknown

	// Within is the span of the program's own tracing that the root call is in. It is known in programs that
	// link package otlp and have started a sink.
	Within Span

	// Lost is the number of calls that are missing, because the trace had Options.MaxCalls calls or
	// there was no memory.
	Lost uint64

	began   int64         // when the collector was started, ns since 1970
	after   time.Duration // from then to Start
	strands []gather.Strand
	types   *gather.Types
	bytes   int64 // of memory, about
	chosen  bool  // Options.Tail or HTTP selects it
	slow    bool  // it is among the slowest of its store
	other   bool  // it is in the store for another reason
}

// A Span is a span as W3C's Trace Context names it. One with ids of zeros is none.
type Span struct {
	TraceID [16]byte
	SpanID  [8]byte
	Sampled bool
}

// Sizes in memory, about.
const (
	traceBytes  = 300
	strandBytes = 120
	eventBytes  = 32
)

// Size returns how much memory the trace takes, in bytes, about. Options.MaxBytes bounds their sum.
func (t *Trace) Size() int64 { return t.bytes }

// newTrace returns a trace that was gathered, of a collector that began at a time, in ns since 1970.
func newTrace(g *gather.Trace, began int64) *Trace {
	t := &Trace{
		Root: g.Root, Start: g.Start, Duration: g.Duration, Goroutine: g.Goroutine, Parent: g.Parent,
		Failed: g.Failed, Panicked: g.Panicked, Exited: g.Exited, Goroutines: goroutines(g.Strands), Lost: g.Lost,
		Within: Span{g.Within.TraceID, g.Within.SpanID, g.Within.Sampled}, Request: textOf(g.Within.Request[:]), Status: g.Status, chosen: g.Chosen,
		began: began, after: after(g.Start, began), strands: g.Strands, types: g.Types, bytes: traceBytes,
	}
	t.Key = key(t.Goroutine, t.after)
	if t.ID = t.Within.TraceID; t.ID == [16]byte{} {
		binary.BigEndian.PutUint64(t.ID[:], rand.Uint64()|1) // which is not zero
		binary.BigEndian.PutUint64(t.ID[8:], rand.Uint64())
	}
	if len(t.strands) > 0 { // its last event, at the end of the root call, is read a few ns before the trace's end
		if list := t.strands[0].Events; len(list) > 0 && list[len(list)-1].Kind == format.Exit {
			t.Duration = list[len(list)-1].At
		}
	}
	for i := range t.strands {
		s := &t.strands[i]
		t.bytes += strandBytes + eventBytes*int64(cap(s.Events)) + int64(cap(s.Values))
		walk(s, func(*gather.Event) { t.Calls++ }, func(_ *gather.Event, how outcome) {
			if how.panicked {
				t.Panics++
			}
			if how.failed {
				t.Errors++
			}
		})
	}
	return t
}

// textOf returns the text up to the first byte that is 0.
func textOf(b []byte) string {
	if i := bytes.IndexByte(b, 0); i >= 0 {
		b = b[:i]
	}
	return strings.ToValidUTF8(string(b), "") // a long path may end within a rune
}

// key names the trace of a root call that began so long after its collector.
func key(goroutine uint64, began time.Duration) string {
	return strconv.FormatUint(goroutine, 10) + "-" + strconv.FormatInt(int64(began), 10)
}

// goroutines returns how many goroutines have strands. One that work was handed to may have several.
func goroutines(list []gather.Strand) int {
	n := len(list)
	seen := make(map[uint64]bool)
	for i := range list {
		if s := &list[i]; s.Handed {
			if seen[s.Goroutine] {
				n--
			}
			seen[s.Goroutine] = true
		}
	}
	return n
}

// after returns how long after a collector, which began at a time in ns since 1970, a root call began.
func after(start time.Time, began int64) time.Duration {
	return time.Duration(max(start.UnixNano()-began, 0))
}
