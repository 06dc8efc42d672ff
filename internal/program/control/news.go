package control

import (
	"encoding/json"
	"math"
	"time"

	"github.com/waymark-go/waymark/internal/calls"
)

// Kinds of Watch.
const (
	KindCalls   = "calls"   // calls one by one
	KindStacks  = "stacks"  // who called, with counts
	KindPeriods = "periods" // numbers since the last News
	KindSums    = "sums"    // numbers since the beginning, with self time
	KindTraces  = "traces"  // trees of calls, through goroutines
	KindSamples = "samples" // one tree of all goroutines' calls, by samples, at the end
)

// Ends of calls, for Watch.On.
const (
	OnEnter  = "enter"
	OnReturn = "return"
	OnPanic  = "panic" // or runtime.Goexit
	OnFire   = "fire"  // Call.End only: it is a firing of a probe
	OnLine   = "line"  // Call.End only: a line was reached
)

// A Watch says what is to be told of calls.
type Watch struct {
	Kind   string   `json:"kind"`
	If     []byte   `json:"if,omitempty"`     // condition, encoded; none: all calls
	On     []string `json:"on,omitempty"`     // calls: what is told; none: return and panic
	MinNS  int64    `json:"min_ns,omitempty"` // calls and traces: those that took less are left out
	Panics bool     `json:"panics,omitempty"` // traces: those whose root call panicked
	Waits  bool     `json:"waits,omitempty"`  // sums: how long goroutines ran, were ready and waited is told
	Count  bool     `json:"count,omitempty"`  // sums: calls are counted where they begin, and nothing else is told of them
	Keep   bool     `json:"keep,omitempty"`   // calls: they get numbers, and DoCalls returns them later
	Nodes  bool     `json:"nodes,omitempty"`  // traces: trees are nodes, not text
	Caller bool     `json:"caller,omitempty"` // calls: who made each is told
	Width  int      `json:"width,omitempty"`  // calls: columns of each value; 0: values are cut as lines want it; below 0: no limit
	Stack  int      `json:"stack,omitempty"`  // lines: so many callers are told, at most
	Values string   `json:"values,omitempty"` // of a program that is patched: how much values show, as WAYMARK has it
	Bare   bool     `json:"bare,omitempty"`   // calls: arguments, results and values of panics are left out
	Probes []string `json:"probes,omitempty"` // calls: firings of these probes are told, too, see MatchProbe; without Targets, only these
	Root   string   `json:"root,omitempty"`   // samples: the function that the tree begins at; none: where goroutines began
	Rate   float64  `json:"rate,omitempty"`   // samples per second; 0: as the program chooses
	Budget float64  `json:"budget,omitempty"` // the share of the program's own CPU time that it may take; 0: no limit
	Limit  uint64   `json:"limit,omitempty"`  // calls, stacks and traces that are told, then it ends; 0: no limit
}

// News is what has happened since the last News of the same watch or recording.
type News struct {
	Calls     []Call          `json:"calls,omitempty"`
	Stacks    []Stack         `json:"stacks,omitempty"` // since the beginning, the most frequent first
	Functions []Numbers       `json:"functions,omitempty"`
	Traces    []Trace         `json:"traces,omitempty"`
	Sampled   json.RawMessage `json:"sampled,omitempty"`    // samples: a callgraph.Tree
	Notes     []string        `json:"notes,omitempty"`      // what a condition does not fit
	Hits      uint64          `json:"hits"`                 // calls or traces that were told since the beginning
	Met       uint64          `json:"met,omitempty"`        // those among which they were chosen; only programs that are patched count them
	LongestNS int64           `json:"longest_ns,omitempty"` // of Met, those that have ended
	Skipped   uint64          `json:"skipped"`              // those that came too fast
	Cut       *Cut            `json:"cut,omitempty"`        // nil: it was not cut back
	More      bool            `json:"-"`                    // there are further news already
	Quiet     time.Duration   `json:"-"`                    // so long there will be none; 0: nobody knows
	Done      bool            `json:"done,omitempty"`       // there are no further news
	Why       string          `json:"why,omitempty"`        // it is done
}

// MostNotes is how many functions that a condition does not fit a program names in notes.
const MostNotes = 10

// What News.Why may be.
const (
	WhyEnough = "as many as wanted"     // all was told that was wanted
	WhyEnded  = "the program has ended" // these are the last calls before
)

// Empty reports whether there is nothing to tell.
func (n *News) Empty() bool {
	return !n.Done && len(n.Calls)+len(n.Stacks)+len(n.Functions)+len(n.Traces)+len(n.Notes) == 0
}

// A Call is one call of a function, or its beginning.
type Call struct {
	Number     uint64 `json:"number,omitempty"` // of a call that is kept, from 1
	Function   string `json:"function"`         // of a firing: PROVIDER:PROBE
	Goroutine  uint64 `json:"goroutine"`
	StartUnix  int64  `json:"start_unix_ns"`
	End        string `json:"end"` // enter, return, panic, fire or line
	DurationNS int64  `json:"duration_ns,omitempty"`
	Args       string `json:"args,omitempty"`     // with their names, as i=7, s="x"
	Results    string `json:"results,omitempty"`  // one value, or a list as (n=7, err=<nil>)
	Panic      string `json:"panic,omitempty"`    // value of the panic, which the call may have recovered
	Hidden     bool   `json:"hidden,omitempty"`   // a policy hides values
	TraceID    string `json:"trace_id,omitempty"` // of OpenTelemetry's span in a context among Args
	SpanID     string `json:"span_id,omitempty"`

	Labels     map[string]string `json:"labels,omitempty"`      // of runtime/pprof that the goroutine has, of programs that are patched
	MoreLabels int               `json:"more_labels,omitempty"` // that aren't among Labels

	File   string  `json:"file,omitempty"` // of a line
	Line   int     `json:"line,omitempty"`
	Stack  []Frame `json:"stack,omitempty"`  // of a line: who made the calls, the innermost first
	Caller *Frame  `json:"caller,omitempty"` // who made the call, if that was asked for; nil: the runtime
}

// A Stack is who called a function.
type Stack struct {
	Function string  `json:"function"`
	Calls    uint64  `json:"calls"`
	Callers  []Frame `json:"callers"` // the innermost first
}

// A Frame is a call in progress.
type Frame struct {
	Function string `json:"function"`
	File     string `json:"file"`
	Line     int    `json:"line"`
}

// Numbers are those of a function's calls.
type Numbers struct {
	Function string `json:"function"`
	Calls    uint64 `json:"calls"`
	Returned uint64 `json:"returned"`
	Panics   uint64 `json:"panics"`
	Errors   uint64 `json:"errors,omitempty"`  // sums: calls that returned an error
	Open     uint64 `json:"open,omitempty"`    // sums: calls in progress
	Untimed  uint64 `json:"untimed,omitempty"` // sums and periods: calls that came too fast to be timed; with them other numbers than Calls and Open are estimated
	Gaps     bool   `json:"gaps,omitempty"`    // sums: for some time nobody counted, under a strict budget: Calls is estimated, too
	TotalNS  int64  `json:"total_ns"`
	SelfNS   int64  `json:"self_ns,omitempty"` // sums
	MinNS    int64  `json:"min_ns"`
	AvgNS    int64  `json:"avg_ns"`
	MaxNS    int64  `json:"max_ns"`
	P99NS    int64  `json:"p99_ns,omitempty"` // periods

	*Parts // sums, with Watch.Waits
}

// Estimate makes numbers of some calls those of all calls, which are times as many.
func (n *Numbers) Estimate(times float64) {
	for _, ns := range []*int64{&n.TotalNS, &n.SelfNS} {
		*ns = int64(float64(*ns) * times)
	}
	for _, count := range []*uint64{&n.Panics, &n.Errors} {
		*count = uint64(math.Round(float64(*count) * times))
	}
}

// Parts of a function's TotalNS.
type Parts struct {
	RunningNS  int64 `json:"running_ns"`
	RunnableNS int64 `json:"runnable_ns"` // ready, without a CPU
	WaitingNS  int64 `json:"waiting_ns"`
}

// A Trace is the tree of one call.
type Trace struct {
	Key        string `json:"key"`
	Root       string `json:"root"`
	Goroutine  uint64 `json:"goroutine"`
	StartUnix  int64  `json:"start_unix_ns"`
	DurationNS int64  `json:"duration_ns"`
	Calls      uint64 `json:"calls"`
	Panics     uint64 `json:"panics"`
	Tree       string `json:"tree,omitempty" text:"lines"` // for people
	Call       *Node  `json:"call,omitempty"`              // the same for programs, see Watch.Nodes
	Omitted    uint64 `json:"omitted_calls,omitempty"`     // that Call has no room for
}

// A Node adds up the calls of a function that the calls of the node above made.
type Node struct {
	calls.JSONTraced
	Children []*Node `json:"children,omitempty"` // in the order of their first calls
}

// Limits of a trace's tree.
const (
	MostDepth = 100 // as readers of JSON have limits, too
	NodeBytes = 250 // of a node in a message, about, and its name
)

// NodesOf returns the nodes of a trace for which as many bytes are room. omitted is the number of calls that are in none.
func NodesOf(t *calls.Trace, bytes int) (root *Node, omitted uint64) {
	out := make([]*Node, len(t.Nodes)) // nil: left out
	out[0] = new(Node)
	order := t.Order()
	order.Visit(func(i uint32, depth int) bool {
		n := &t.Nodes[i].Sum
		above := out[t.Nodes[i].Parent]
		if above != nil {
			bytes -= NodeBytes + len(n.Name)
		}
		if above == nil || bytes < 0 || depth == MostDepth {
			omitted += n.Calls
			return true
		}
		out[i] = &Node{JSONTraced: n.JSON()}
		above.Children = append(above.Children, out[i])
		return true
	}, nil)
	return out[1], omitted
}
