package report

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/calltree"
	"github.com/waymark-go/waymark/cmd/waymark/internal/recording"
	"github.com/waymark-go/waymark/internal/table"
	"github.com/waymark-go/waymark/internal/units"
	"github.com/waymark-go/waymark/tracefile"
)

// An off is the part of a time in which goroutines did not run, ns. With the rest, in which they ran, it
// adds up to that time exactly.
type off struct {
	Runnable int64                        // they were ready, and had no processor
	Waiting  [tracefile.WaitReasons]int64 // by tracefile.WaitReason
}

// add adds what ticks are. Each number is the difference of two sums that were rounded, so that what
// they add up to is what the whole comes to.
func (o *off) add(ticks *calltree.Off, scale calltree.Scale) {
	sum, before := ticks.Runnable, scale.Nanoseconds(ticks.Runnable)
	o.Runnable += before
	for i, n := range ticks.Waiting {
		if n == 0 {
			continue
		}
		sum += n
		after := scale.Nanoseconds(sum)
		o.Waiting[i] += after - before
		before = after
	}
}

func (o *off) join(p *off) {
	o.Runnable += p.Runnable
	for i, n := range p.Waiting {
		o.Waiting[i] += n
	}
}

// waiting returns the sum of all reasons.
func (o *off) waiting() (sum int64) {
	for _, n := range o.Waiting {
		sum += n
	}
	return sum
}

// running returns what is left of a time.
func (o *off) running(of int64) int64 { return of - o.Runnable - o.waiting() }

// Offs are those of Total and of Self.
type offs struct{ total, self off }

func (o *offs) add(ticks *calltree.Offs, scale calltree.Scale) {
	if ticks != nil {
		o.total.add(&ticks.Total, scale)
		o.self.add(&ticks.Self, scale)
	}
}

// jsonOff has the keys of Total, and with self_ before those of Self.
type jsonOff struct {
	Running      int64   `json:"running_ns"`
	Runnable     int64   `json:"runnable_ns"`
	Waiting      int64   `json:"waiting_ns"`
	Reasons      reasons `json:"waiting"`
	SelfRunning  int64   `json:"self_running_ns"`
	SelfRunnable int64   `json:"self_runnable_ns"`
	SelfWaiting  int64   `json:"self_waiting_ns"`
	SelfReasons  reasons `json:"self_waiting"`
}

// reasons are times by reason, ns. Those without one are left out of JSON.
type reasons [tracefile.WaitReasons]int64

func (r reasons) MarshalJSON() ([]byte, error) {
	some := make(map[string]int64)
	for i, n := range r {
		if n != 0 {
			some[tracefile.WaitReason(i).String()] = n
		}
	}
	return json.Marshal(some)
}

func (o *offs) json(total, self int64) *jsonOff {
	t, s := &o.total, &o.self
	return &jsonOff{
		t.running(total), t.Runnable, t.waiting(), t.Waiting,
		s.running(self), s.Runnable, s.waiting(), s.Waiting,
	}
}

// members returns the keys with their values, one after the other.
func (j *jsonOff) members() (list []string) {
	v := reflect.ValueOf(*j)
	for i := range v.NumField() {
		value, _ := json.Marshal(v.Field(i).Interface()) // numbers have no errors
		list = append(list, fmt.Sprintf("%q: %s", v.Type().Field(i).Tag.Get("json"), value))
	}
	return list
}

// waits reports whether the recordings say when goroutines ran.
func (r *Report) waits() bool {
	return slices.ContainsFunc(r.Recordings, func(s recording.Summary) bool { return s.Info.Waiting })
}

// offHeads are the columns of CSV for a row's Total.
func offHeads() []string {
	heads := []string{"running_ns", "runnable_ns", "waiting_ns"}
	for i := tracefile.WaitOther; i < tracefile.WaitReasons; i++ {
		heads = append(heads, "waiting_"+i.String()+"_ns")
	}
	return heads
}

func (o *off) fields(total int64) []string {
	list := []string{signed(o.running(total)), signed(o.Runnable), signed(o.waiting())}
	for _, n := range o.Waiting[tracefile.WaitOther:] {
		list = append(list, signed(n))
	}
	return list
}

// offColumns are the columns of text.
var offColumns = []table.Column{
	{Head: "Total time", Right: true}, {Head: "Running", Right: true}, {Head: "Runnable", Right: true}, {Head: "Waiting", Right: true},
}

func (o *off) cells(total int64) []table.Cell {
	return []table.Cell{table.Duration(total), table.Duration(o.running(total)), table.Duration(o.Runnable), table.Duration(o.waiting())}
}

// longest says what most of the waiting was for: "channel 12 ms, lock 3 ms".
func (o *off) longest() string {
	var list []tracefile.WaitReason
	for i, n := range o.Waiting {
		if n > 0 {
			list = append(list, tracefile.WaitReason(i))
		}
	}
	slices.SortStableFunc(list, func(a, b tracefile.WaitReason) int { return int(min(max(o.Waiting[b]-o.Waiting[a], -1), 1)) })
	var texts []string
	for _, reason := range list[:min(len(list), 3)] {
		texts = append(texts, reason.String()+" "+units.Duration(time.Duration(o.Waiting[reason])))
	}
	return strings.Join(texts, ", ")
}

// waitingTable returns the table of --waiting.
func (r *Report) waitingTable(rows []*Row) *table.Table {
	head := heads[r.By]
	if r.By == ByGoroutine {
		head = "Goroutine"
	}
	t := &table.Table{Columns: append(slices.Clone(offColumns), table.Column{Head: "Calls", Right: true}, table.Column{Head: head}, table.Column{Head: "Waiting for"})}
	for i, calls := range r.calls(rows) {
		o := &rows[i].Off.total
		name := calls.Name
		if g := &rows[i].Goroutine; r.By == ByGoroutine {
			name = units.Count(g.ID)
			if from := g.creation(r.names); from != "" {
				name += " by " + from
			}
		}
		t.Rows = append(t.Rows, append(o.cells(rows[i].Total), table.Count(calls.Calls), table.Cell{Text: name}, table.Cell{Text: o.longest()}))
	}
	return t
}
