package recorded

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/cmd/waymark/internal/screen/ui"
	"github.com/waymark-go/waymark/cmd/waymark/internal/show/traces"
)

// A traceList is what is known of all traces.
type traceList struct {
	List  []json.RawMessage // as waymark traces --format json prints them, the slowest first
	N     int               // of them, also without mostTraces
	Left  int               // what doesn't look like requests, see traces.Options
	Roots []string          // functions of root calls
}

// mostTraces is how many traces are listed, the slowest ones: a screen has no place for more points.
const mostTraces = 20000

func (r *Recordings) readTraces(progress func(read, all uint64)) (*traceList, error) {
	filter, l := recording.Filter{}, new(traceList)
	list, n, _, err := traces.List(r.set, &filter, traces.Options{
		Slowest: mostTraces, Tell: r.telling(progress),
		Requests: true, Left: func(_ []*traces.Trace, n int) { l.Left = n },
	})
	if n == 0 && err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := traces.WriteListJSON(&b, list); err != nil {
		return nil, err
	}
	l.N = n
	if err := json.Unmarshal(b.Bytes(), &l.List); err != nil {
		return nil, err
	}
	roots := make(map[string]bool)
	for _, t := range list {
		if !roots[t.Root.Name] {
			roots[t.Root.Name] = true
			l.Roots = append(l.Roots, t.Root.Name)
		}
	}
	return l, nil
}

// traces answers with traces as waymark traces --format json prints them: all, or the first top ones.
func (r *Recordings) traces(req *http.Request) (any, error) {
	top := mostTraces
	if text := req.URL.Query().Get("top"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			return nil, ui.BadRequest("top=%s: want 0 or more", text)
		}
		top = n
	}
	p, err := r.profile.Get()
	if err != nil {
		return nil, err
	}
	l, err := r.list.Get()
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	short := make(map[string]string)
	for _, name := range l.Roots {
		if i, ok := p.now.number[name]; ok {
			short[name] = p.now.short[i]
		}
	}
	info := r.set.Processes[0].Info()
	return struct {
		Traces []json.RawMessage `json:"traces"`
		All    int               `json:"all"`
		Left   int               `json:"left_out"`
		Start  int64             `json:"start_unix_ns"` // of the first recording
		Span   int64             `json:"duration_ns"`
		Short  map[string]string `json:"short"`
		Waits  bool              `json:"waits"`
	}{append([]json.RawMessage{}, l.List[:min(top, len(l.List))]...), l.N, l.Left, info.Start.UnixNano(), int64(r.set.Duration()), short, info.Waiting}, nil
}

// traceDepth is how deep the nodes of a trace are that are sent.
const traceDepth = 400

// trace answers with the tree of a trace, and with its critical path if the recording tells it.
func (r *Recordings) trace(req *http.Request) (any, error) {
	p, err := r.profile.Get()
	if err != nil {
		return nil, err
	}
	key, err := traces.ParseKey(req.URL.Query().Get("key"))
	if err != nil {
		return nil, ui.BadRequest("%w", err)
	}
	r.reads.Lock()
	defer r.reads.Unlock()
	var filter recording.Filter
	tree, _, err := traces.Find(r.set, &filter, nil, key, nil)
	if errors.Is(err, traces.ErrNoTrace) {
		return nil, ui.BadRequest("%w", err)
	}
	if tree == nil {
		return nil, err
	}
	var b, path bytes.Buffer
	if err := traces.WriteTreeJSON(&b, tree, traceDepth); err != nil {
		return nil, err
	}
	why := ""
	if !tree.Of.Waiting {
		why = "the recording does not say when goroutines ran: record with --waiting"
		path.WriteString("null")
	} else if c, _, err := traces.FindCritical(r.set, &filter, key, nil); c == nil {
		why = text(err)
		path.WriteString("null")
	} else if err := traces.WriteCriticalJSON(&path, c); err != nil {
		return nil, err
	}
	short := make(map[string]string)
	r.mu.Lock()
	for i := range p.now.Functions {
		short[p.now.Functions[i].Name] = p.now.short[i]
	}
	r.mu.Unlock()
	return struct {
		Tree     json.RawMessage   `json:"tree"`
		Critical json.RawMessage   `json:"critical"`
		Why      string            `json:"why"` // there is no critical path
		Short    map[string]string `json:"short"`
	}{b.Bytes(), path.Bytes(), why, short}, nil
}
