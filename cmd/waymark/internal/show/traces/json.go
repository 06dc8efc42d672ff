package traces

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/waymark-go/waymark/internal/calls"
)

// jsonTrace has the members of a trace in JSON.
type jsonTrace struct {
	Key        string `json:"key"`
	Process    string `json:"process,omitempty"`
	Goroutine  uint64 `json:"goroutine"`
	Parent     uint64 `json:"parent_goroutine"`
	Root       string `json:"root"`
	Args       string `json:"args,omitempty"` // of the root call, as (n=1)
	Start      int64  `json:"start_unix_ns"`
	Duration   int64  `json:"duration_ns"`
	Calls      uint64 `json:"calls"`
	Panics     uint64 `json:"panics"`
	Errors     uint64 `json:"errors"`
	Goroutines uint64 `json:"goroutines"`
	Detached   uint64 `json:"detached_calls,omitempty"`
	Open       bool   `json:"open,omitempty"`
	Failed     bool   `json:"failed,omitempty"`
	Objects    uint64 `json:"objects,omitempty"`
	Bytes      uint64 `json:"bytes,omitempty"`
	*calls.JSONOff
	Ready *time.Duration `json:"ready_before_ns,omitempty"` // with JSONOff
}

func (t *Trace) json() jsonTrace {
	j := jsonTrace{
		Key: t.Key.String(), Process: t.Goroutine.Process, Goroutine: t.Goroutine.ID, Parent: t.Parent, Root: t.Root.Name, Args: t.Args,
		Start: t.StartTime.UnixNano(), Duration: int64(t.Duration), Calls: t.Calls, Panics: t.Panics, Errors: t.Errors,
		Goroutines: 1 + t.Goroutines, Detached: t.Detached, Open: t.Open, Failed: t.Failed, Objects: t.Objects, Bytes: t.Bytes,
	}
	if t.Waiting {
		j.JSONOff, j.Ready = t.Off.Total.JSON(int64(t.Duration)), &t.Ready
	}
	return j
}

// jsonNode has the members of a node in JSON. Nodes are a list, callees behind their callers: JSON
// readers limit how deep objects may be nested, and recursions don't.
type jsonNode struct {
	Depth int `json:"depth"`
	calls.JSONTraced
	*calls.JSONOffs
	Ready int64  `json:"ready_before_ns,omitempty"`
	Args  string `json:"args,omitempty"` // as (n=1)
}

// WriteListJSON prints traces as a list of objects.
func WriteListJSON(w io.Writer, list []*Trace) error {
	out := make([]jsonTrace, len(list))
	for i, t := range list {
		out[i] = t.json()
	}
	return write(w, out)
}

// WriteTreeJSON prints a tree as an object: the trace, with a list of nodes.
func WriteTreeJSON(w io.Writer, t *Tree, depth int) error {
	out := struct {
		jsonTrace
		Nodes   []jsonNode `json:"nodes"`
		Omitted uint64     `json:"omitted_calls,omitempty"`
	}{t.Of.json(), []jsonNode{}, t.Left}
	order := t.Order()
	order.Visit(func(i uint32, level int) bool {
		n := &t.Nodes[i].Sum
		if depth > 0 && level >= depth {
			out.Omitted += n.Calls
			return true
		}
		node := jsonNode{level, n.JSON(), nil, n.Ready, n.Args}
		if t.Of.Waiting {
			node.JSONOffs = n.Offs().JSON(n.Total, n.Self)
		}
		out.Nodes = append(out.Nodes, node)
		return true
	}, nil)
	return write(w, out)
}

func write(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// WriteListCSV prints a head and the traces. Columns have the names of the JSON keys.
func WriteListCSV(w io.Writer, list []*Trace) error {
	c := csv.NewWriter(w)
	head := []string{"key", "goroutine", "parent_goroutine", "root", "start_unix_ns", "duration_ns", "calls", "panics", "errors", "goroutines"}
	waits := slices.ContainsFunc(list, func(t *Trace) bool { return t.Waiting })
	if waits {
		head = append(append(head, calls.OffHeads()...), "ready_before_ns")
	}
	makes := slices.ContainsFunc(list, func(t *Trace) bool { return t.Objects > 0 })
	if makes {
		head = append(head, "objects", "bytes")
	}
	args := slices.ContainsFunc(list, func(t *Trace) bool { return t.Args != "" })
	if args {
		head = append(head, "args")
	}
	c.Write(head)
	for _, tr := range list {
		t := tr.json()
		record := []string{
			t.Key, unsigned(t.Goroutine), unsigned(t.Parent), t.Root, strconv.FormatInt(t.Start, 10), strconv.FormatInt(t.Duration, 10),
			unsigned(t.Calls), unsigned(t.Panics), unsigned(t.Errors), unsigned(t.Goroutines)}
		if waits {
			record = append(append(record, tr.Off.Total.Fields(t.Duration)...), strconv.FormatInt(int64(tr.Ready), 10))
		}
		if makes {
			record = append(record, unsigned(t.Objects), unsigned(t.Bytes))
		}
		if args {
			record = append(record, t.Args)
		}
		c.Write(record)
	}
	c.Flush()
	return c.Error()
}

func unsigned(n uint64) string { return strconv.FormatUint(n, 10) }

// jsonSegment has the members of a segment in JSON.
type jsonSegment struct {
	Start     time.Duration `json:"start_ns"`
	Duration  time.Duration `json:"duration_ns"`
	Goroutine uint64        `json:"goroutine"`
	State     string        `json:"state"`
	Reason    string        `json:"reason,omitempty"`
	Function  string        `json:"function,omitempty"`
	Args      string        `json:"args,omitempty"`
	Waker     uint64        `json:"woken_by,omitempty"`
	Started   uint64        `json:"started_by,omitempty"`
	Ender     uint64        `json:"ended_by,omitempty"`  // of waiting
	Parts     []jsonPart    `json:"functions,omitempty"` // if there are several
}

// jsonPart has the members of a part of a segment in JSON.
type jsonPart struct {
	Function string        `json:"function,omitempty"`
	Args     string        `json:"args,omitempty"`
	Duration time.Duration `json:"duration_ns"`
}

// WriteCriticalJSON prints a critical path as an object: the trace, with a list of segments.
func WriteCriticalJSON(w io.Writer, c *Critical) error {
	out := struct {
		jsonTrace
		Segments []jsonSegment `json:"critical"`
	}{c.Trace.json(), []jsonSegment{}}
	for i := range c.Segments {
		s := &c.Segments[i]
		j := jsonSegment{Start: s.Start, Duration: s.Duration, Goroutine: s.Goroutine, State: s.State.String(), Waker: s.Waker, Ender: s.Ender}
		if s.Started {
			j.Started, j.Waker = s.Waker, 0
		}
		if s.State == Waiting {
			j.Reason = s.Reason.String()
		}
		if s.Func != nil {
			j.Function, j.Args = s.Func.Name, s.Parts[0].Args
		}
		if len(s.Parts) > 1 {
			for _, p := range s.Parts {
				one := jsonPart{Duration: p.Duration, Args: p.Args}
				if p.Func != nil {
					one.Function = p.Func.Name
				}
				j.Parts = append(j.Parts, one)
			}
		}
		out.Segments = append(out.Segments, j)
	}
	return write(w, out)
}
