package levels

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/recording"
	"github.com/waymark-go/waymark/tracefile"
)

const (
	maxLanes = 200  // of a window, or of a page of lanes
	maxBins  = 4000 // of counts
)

// A Timeline answers the requests of the timeline page. It is the recordings of a set's processes,
// whose indexes are made when they are first asked for, or by Prepare.
type Timeline struct {
	processes []*process
	options   Options
	ctx       context.Context // ends with Close
	stop      context.CancelFunc
}

type process struct {
	*recording.Process
	mu    sync.Mutex // held while the index is opened
	index *Index
	err   error
	state sync.Mutex // guards what follows
	read  uint64     // events of the index that is being made
	all   uint64
	ready bool

	failed error // there is no index
}

// NewTimeline returns a Timeline of the processes of a set, which must stay open.
func NewTimeline(set *tracefile.Set, o Options) *Timeline {
	t := &Timeline{options: o}
	t.ctx, t.stop = context.WithCancel(context.Background())
	for _, p := range recording.Processes(set) {
		t.processes = append(t.processes, &process{Process: p})
	}
	return t
}

// Prepare opens the indexes of all processes. Requests meanwhile are answered, or wait.
func (t *Timeline) Prepare() error {
	var errs []error
	for _, p := range t.processes {
		_, err := t.open(p)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// Index returns the index of a process of the set.
func (t *Timeline) Index(process int) (*Index, error) { return t.open(t.processes[process]) }

// Close closes the indexes, and ends the making of others.
func (t *Timeline) Close() error {
	t.stop()
	var errs []error
	for _, p := range t.processes {
		p.mu.Lock()
		if p.index != nil {
			errs = append(errs, p.index.Close())
		}
		p.index, p.err = nil, errors.New("the timeline was closed")
		p.mu.Unlock()
	}
	return errors.Join(errs...)
}

// open returns the index of a process. What has gone wrong once is told again.
func (t *Timeline) open(p *process) (*Index, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.index == nil && p.err == nil {
		o := t.options
		o.Progress = func(read, all uint64) {
			p.state.Lock()
			p.read, p.all = read, all
			p.state.Unlock()
			if t.options.Progress != nil {
				t.options.Progress(read, all)
			}
		}
		p.index, p.err = Open(t.ctx, p.Process, o)
		p.state.Lock()
		if p.ready, p.failed = p.err == nil, p.err; p.ready {
			p.all = p.File.Info().Events
			p.read = p.all
		}
		p.state.Unlock()
	}
	return p.index, p.err
}

// A mistake is an error of who asks.
type mistake struct{ error }

// ServeHTTP answers a request. The path is one of those in the package comment.
func (t *Timeline) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q := query{Values: r.URL.Query(), ctx: r.Context()}
	answer, err := t.answer(strings.Trim(r.URL.Path, "/"), &q)
	w.Header().Set("Content-Type", "application/json")
	if err != nil {
		status := http.StatusInternalServerError
		if errors.As(err, new(mistake)) {
			status = http.StatusBadRequest
		} else if errors.Is(err, ErrNoCall) {
			status = http.StatusNotFound
		}
		w.WriteHeader(status)
		json.NewEncoder(w).Encode(map[string]string{"error": err.Error()})
		return
	}
	if body, ok := answer.([]byte); ok {
		w.Write(body)
		return
	}
	json.NewEncoder(w).Encode(answer)
}

func (t *Timeline) answer(path string, q *query) (any, error) {
	if path == "state" {
		return t.state(), nil
	}
	n := int(q.number("process", 0))
	if q.err == nil && (n < 0 || n >= len(t.processes)) {
		q.err = mistake{fmt.Errorf("process=%d: want 0 to %d", n, len(t.processes)-1)}
	}
	if q.err != nil {
		return nil, q.err
	}
	p := t.processes[n]
	x, err := t.open(p)
	if err != nil {
		return nil, err
	}
	do := map[string]func(*Index, *query) (any, error){
		"info": answerInfo, "functions": answerFunctions, "groups": answerGroups, "lanes": answerLanes, "window": answerWindow,
		"call": answerCall, "find": answerFind, "table": answerTable, "counts": answerCounts,
	}[path]
	if do == nil {
		return nil, mistake{fmt.Errorf("%q: there is no such request", path)}
	}
	return do(x, q)
}

type jsonProcess struct {
	Label string `json:"label"`
	Since int64  `json:"since_ns"`
	Ready bool   `json:"ready"`
	Read  uint64 `json:"read"`
	All   uint64 `json:"all"`
	Error string `json:"error,omitempty"`
}

func (t *Timeline) state() any {
	list := []jsonProcess{}
	for _, p := range t.processes {
		p.state.Lock()
		one := jsonProcess{Label: p.Label, Since: int64(p.Since), Ready: p.ready, Read: p.read, All: p.all}
		if p.failed != nil {
			one.Error = p.failed.Error()
		}
		list = append(list, one)
		p.state.Unlock()
	}
	return map[string]any{"processes": list}
}

// A query is the parameters of a request, and the first mistake in them.
type query struct {
	url.Values
	ctx context.Context
	err error
}

func (q *query) number(key string, otherwise int64) int64 {
	text := q.Get(key)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil && q.err == nil {
		q.err = mistake{fmt.Errorf("%s=%s: want a whole number", key, text)}
	}
	return n
}

// within is number for a number that has bounds.
func (q *query) within(key string, otherwise, low, high int64) int64 {
	n := q.number(key, otherwise)
	if (n < low || n > high) && q.err == nil {
		q.err = mistake{fmt.Errorf("%s=%d: want %d to %d", key, n, low, high)}
	}
	return n
}

// clocks returns the range of clock readings of the parameters from and to, which are ns since the
// beginning of the process's recording. The range begins with the first reading at from, and ends
// before to.
func (q *query) clocks(x *Index) tracefile.Range {
	from, to := q.number("from", 0), q.number("to", -1)
	r := tracefile.Range{From: x.Begin(), To: x.End}
	if from > 0 {
		r.From = x.clock(from)
	}
	if to >= 0 {
		r.To = max(x.clock(to), 1) - 1
	}
	if q.err == nil && to >= 0 && to <= from {
		q.err = mistake{fmt.Errorf("from=%d&to=%d: ends before it begins", from, to)}
	}
	r.From = min(r.From, r.To)
	return r
}

// clock returns the first clock reading at a time.
func (x *Index) clock(ns int64) uint64 { return x.p.File.ClockAt(time.Duration(max(ns, 0))) }

// ns returns the time of a clock reading.
func (x *Index) ns(clock uint64) int64 { return x.p.File.Nanos(clock) }
