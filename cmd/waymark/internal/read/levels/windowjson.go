package levels

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/waymark-go/waymark/cmd/waymark/internal/read/calltree"
	"github.com/waymark-go/waymark/tracefile"
	"github.com/waymark-go/waymark/value"
)

// How many numbers there are for a call and for a wait in the answer to window.
const (
	callNumbers = 8
	waitNumbers = 8
)

const maxBirths = 400

func answerWindow(x *Index, q *query) (any, error) {
	w := Query{
		Range: q.clocks(x), Pixels: int(q.within("px", 1000, 1, 10_000)),
		Skip: uint32(q.within("skip", 0, 0, 1<<31)), Rows: uint32(q.within("rows", 16, 1, 1000)),
	}
	if text := q.Get("lanes"); text != "" {
		for one := range strings.SplitSeq(text, ",") {
			id, err := strconv.ParseUint(one, 10, 64)
			if err != nil && q.err == nil {
				q.err = mistake{fmt.Errorf("lanes: %q: want ids of goroutines, as in 1,17", one)}
			}
			w.Lanes = append(w.Lanes, id)
		}
	}
	if len(w.Lanes) > maxLanes && q.err == nil {
		q.err = mistake{fmt.Errorf("lanes: %d: want at most %d", len(w.Lanes), maxLanes)}
	}
	if q.err != nil {
		return nil, q.err
	}
	window, err := x.Window(w)
	if err != nil {
		return nil, err
	}
	return x.appendWindow(nil, &w, window), nil
}

// appendWindow writes the answer: package encoding/json takes longer for it than finding it out.
func (x *Index) appendWindow(b []byte, q *Query, w *Window) []byte {
	number := func(n uint64) { b = strconv.AppendUint(b, n, 10) }
	time := func(clock uint64) { b = strconv.AppendInt(b, x.ns(clock), 10) }
	length := func(ticks uint64) { b = strconv.AppendInt(b, x.p.Scale.Nanoseconds(ticks), 10) }
	text := func(s string) { b = append(b, s...) }
	text(`{"from_ns":`)
	time(q.From)
	text(`,"to_ns":`)
	time(q.To)
	text(`,"limit_ns":`)
	length(w.Limit)
	text(`,"exact":`)
	b = strconv.AppendBool(b, w.Exact)
	text(`,"lanes":[`)
	ids := make(map[uint64]bool)
	for i := range w.Lanes {
		l := &w.Lanes[i]
		ids[l.ID] = true
		if i > 0 {
			text(",")
		}
		text(`{"id":`)
		number(l.ID)
		text(`,"calls":[`)
		for i := range l.Calls {
			st := &l.Calls[i]
			if i > 0 {
				text(",")
			}
			time(st.Start)
			text(",")
			time(st.End)
			for _, n := range [callNumbers - 2]uint64{uint64(st.Depth), uint64(st.Site), st.Calls, uint64(st.Flags), uint64(st.Deep), uint64(st.Kind)} {
				text(",")
				number(n)
			}
		}
		text(`],"waits":[`)
		for i := range l.Waits {
			st := &l.Waits[i]
			if i > 0 {
				text(",")
			}
			time(st.Start)
			text(",")
			time(st.End)
			text(",")
			length(st.Busy)
			text(",")
			length(st.Ready)
			for _, n := range [waitNumbers - 4]uint64{uint64(st.Site), st.Calls, st.Waker, uint64(st.Kind)} {
				text(",")
				number(n)
			}
		}
		text(`]}`)
	}
	text(`],"starts":[`)
	births, all := x.Births(ids, q.Range, maxBirths)
	for i, l := range births {
		if i > 0 {
			text(",")
		}
		number(l.Parent)
		text(",")
		number(l.ID)
		text(",")
		time(l.Start)
	}
	text(`],"all_starts":`)
	b = strconv.AppendInt(b, int64(all), 10)
	return append(b, '}', '\n')
}

type jsonWait struct {
	Start    int64  `json:"start_ns"`
	End      int64  `json:"end_ns"`
	Waiting  int64  `json:"waiting_ns"`
	Runnable int64  `json:"runnable_ns"`
	Reason   string `json:"reason"`
	Waits    uint64 `json:"waits"`
	Waker    uint64 `json:"waker,omitempty"`
}

type jsonCaller struct {
	Function uint32 `json:"function"`
	Name     string `json:"name"`
	Start    int64  `json:"start_ns"`
	Depth    int    `json:"depth"`
}

type jsonCall struct {
	Goroutine uint64   `json:"goroutine"`
	Function  uint32   `json:"function"`
	Name      string   `json:"name"`
	File      string   `json:"file,omitempty"`
	Line      int      `json:"line,omitempty"`
	Depth     int      `json:"depth"`
	Start     int64    `json:"start_ns"`
	End       int64    `json:"end_ns"`
	Duration  int64    `json:"duration_ns"`
	Self      *int64   `json:"self_ns,omitempty"`
	Args      []string `json:"args,omitempty"`
	Results   []string `json:"results,omitempty"`
	Panicked  bool     `json:"panicked"`
	Recovered bool     `json:"recovered"`
	Exited    bool     `json:"exited"`
	Failed    bool     `json:"failed"`
	Open      bool     `json:"open"`
	Cut       bool     `json:"cut"`
	Counted   bool     `json:"counted"`
	Panic     []string `json:"panic,omitempty"`
	Objects   uint64   `json:"objects,omitempty"`

	Callers     []jsonCaller `json:"callers"`
	Children    []jsonLane   `json:"children"`
	AllChildren int          `json:"all_children"`
	Waits       []jsonWait   `json:"waits"`
	AllWaits    uint64       `json:"all_waits"`
	Running     *int64       `json:"running_ns,omitempty"`
	Runnable    *int64       `json:"runnable_ns,omitempty"`
	Waiting     *int64       `json:"waiting_ns,omitempty"`
	Far         bool         `json:"far"`
}

func (x *Index) jsonCall(c *Call) *jsonCall {
	s := x.p.Scale
	j := &jsonCall{
		Goroutine: c.Goroutine, Function: c.Site, Name: x.function(c.Site), Depth: c.Depth, Start: x.ns(c.Began), End: x.ns(c.End),
		Duration: s.Nanoseconds(c.End - c.Began), AllChildren: c.AllChildren, AllWaits: c.AllWaits, Objects: c.Made.Objects, Far: c.Far,
		Callers: []jsonCaller{}, Children: []jsonLane{}, Waits: []jsonWait{},
	}
	has := func(f calltree.Flags) bool { return c.Flags&f != 0 }
	j.Panicked, j.Recovered, j.Exited, j.Failed = has(calltree.Panicked), has(calltree.Recovered), has(calltree.Exited), has(calltree.Failed)
	j.Open, j.Cut, j.Counted = has(calltree.Open), has(calltree.Cut), has(calltree.Long)
	if fn, ok := x.p.File.Func(c.Site); ok {
		j.File, j.Line = fn.File, fn.Line
		j.Args, j.Results = x.values(c.Args, fn.Args), x.values(c.Results, fn.Results)
	}
	if len(c.Panic) > 0 {
		if values, err := value.Decode(c.Panic, x.p.File.Type); err == nil && len(values) > 0 {
			j.Panic = []string{new(value.Printer).Panic(&values[0])}
		}
	}
	if !c.Far && !j.Counted {
		self := s.Nanoseconds(c.Self)
		j.Self = &self
	}
	for i, caller := range c.Callers {
		j.Callers = append(j.Callers, jsonCaller{caller.Site, x.function(caller.Site), x.ns(caller.Start), i})
	}
	for _, l := range c.Children {
		j.Children = append(j.Children, x.jsonLane(l))
	}
	for i := range c.Waits {
		w := &c.Waits[i]
		j.Waits = append(j.Waits, jsonWait{
			x.ns(w.Start), x.ns(w.End), s.Nanoseconds(w.Busy), s.Nanoseconds(w.Ready), tracefile.ReasonOf(uint64(w.Site)).String(), w.Calls, w.Waker,
		})
	}
	if x.p.File.Info().Waiting {
		runnable := s.Nanoseconds(c.Runnable)
		off := s.Nanoseconds(c.Runnable + c.Waiting)
		running, waiting := j.Duration-off, off-runnable
		j.Running, j.Runnable, j.Waiting = &running, &runnable, &waiting
	}
	return j
}

func answerCall(x *Index, q *query) (any, error) {
	goroutine, at := q.number("goroutine", 0), q.number("at", 0)
	site, depth := q.within("function", 0, 0, 1<<31), q.within("depth", 0, 0, 1<<31)
	if q.err != nil {
		return nil, q.err
	}
	r := tracefile.Range{From: x.clock(at), To: max(x.clock(at+1), 1) - 1}
	r.To = max(r.To, r.From)
	c, err := x.Call(uint64(goroutine), r, uint32(site), int(depth))
	if err != nil {
		return nil, err
	}
	return x.jsonCall(c), nil
}

func answerFind(x *Index, q *query) (any, error) {
	site, from, goroutine := q.within("function", 0, 0, 1<<31), q.number("from", 0), q.number("goroutine", 0)
	find := x.Next
	clock := x.clock(from)
	if q.Get("direction") == "previous" {
		find = x.Previous
		clock = max(x.clock(from+1), 1) - 1
	}
	if q.err != nil {
		return nil, q.err
	}
	c, err := find(uint32(site), clock, uint64(goroutine))
	if err != nil {
		return nil, err
	}
	return x.jsonCall(c), nil
}
