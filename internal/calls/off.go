package calls

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/waymark-go/waymark/internal/text/units"
	"github.com/waymark-go/waymark/internal/wire/format"
)

// An Off is the part of a time in which goroutines did not run, ns. With the rest, in which they ran, it
// adds up to that time exactly.
type Off struct {
	Runnable int64                     // they were ready, and had no processor
	Waiting  [format.WaitReasons]int64 // by format.WaitReason
	Untold   int64                     // they waited; statistics don't say for what
}

// Add adds another time's.
func (o *Off) Add(p *Off) {
	o.Runnable += p.Runnable
	for i, n := range p.Waiting {
		o.Waiting[i] += n
	}
	o.Untold += p.Untold
}

// Waited returns the sum of all reasons.
func (o *Off) Waited() int64 {
	sum := o.Untold
	for _, n := range o.Waiting {
		sum += n
	}
	return sum
}

// Running returns what is left of a time.
func (o *Off) Running(of int64) int64 { return of - o.Runnable - o.Waited() }

// Parts returns how long goroutines ran, were ready and waited in a time.
func (o *Off) Parts(of int64) []time.Duration {
	return []time.Duration{time.Duration(o.Running(of)), time.Duration(o.Runnable), time.Duration(o.Waited())}
}

// Offs are those of Total and of Self.
type Offs struct{ Total, Self Off }

// Add adds those of other calls.
func (o *Offs) Add(p *Offs) {
	o.Total.Add(&p.Total)
	o.Self.Add(&p.Self)
}

// JSONOff has the members of an Off of some time.
type JSONOff struct {
	Running  int64   `json:"running_ns"`
	Runnable int64   `json:"runnable_ns"`
	Waiting  int64   `json:"waiting_ns"`
	Reasons  reasons `json:"waiting"`
}

// JSONOffs has those of a total time, and of a self time.
type JSONOffs struct {
	JSONOff
	SelfRunning  int64   `json:"self_running_ns"`
	SelfRunnable int64   `json:"self_runnable_ns"`
	SelfWaiting  int64   `json:"self_waiting_ns"`
	SelfReasons  reasons `json:"self_waiting"`
}

// reasons are times by reason, ns. Those without one are left out of JSON.
type reasons [format.WaitReasons]int64

func (r reasons) MarshalJSON() ([]byte, error) {
	some := make(map[string]int64)
	for i, n := range r {
		if n != 0 {
			some[format.WaitReason(i).String()] = n
		}
	}
	return json.Marshal(some)
}

// JSON returns the members for a time, ns.
func (o *Off) JSON(of int64) *JSONOff {
	return &JSONOff{o.Running(of), o.Runnable, o.Waited(), o.Waiting}
}

// JSON returns the members for a total and a self time, ns.
func (o *Offs) JSON(total, self int64) *JSONOffs {
	s := &o.Self
	return &JSONOffs{*o.Total.JSON(total), s.Running(self), s.Runnable, s.Waited(), s.Waiting}
}

// Members returns the keys with their values, one after the other.
func (j *JSONOffs) Members() (list []string) {
	v := reflect.ValueOf(*j)
	for _, f := range reflect.VisibleFields(v.Type()) {
		if !f.Anonymous {
			value, _ := json.Marshal(v.FieldByIndex(f.Index).Interface()) // numbers have no errors
			list = append(list, fmt.Sprintf("%q: %s", f.Tag.Get("json"), value))
		}
	}
	return list
}

// OffHeads are the columns of CSV for an Off of some time.
func OffHeads() []string {
	heads := []string{"running_ns", "runnable_ns", "waiting_ns"}
	for i := format.WaitOther; i < format.WaitReasons; i++ {
		heads = append(heads, "waiting_"+i.String()+"_ns")
	}
	return heads
}

// Fields are what is in the columns, for a time, ns.
func (o *Off) Fields(of int64) []string {
	list := []string{signed(o.Running(of)), signed(o.Runnable), signed(o.Waited())}
	for _, n := range o.Waiting[format.WaitOther:] {
		list = append(list, signed(n))
	}
	return list
}

func signed(n int64) string { return strconv.FormatInt(n, 10) }

// Longest says what most of the waiting was for: "channel 12 ms, lock 3 ms".
func (o *Off) Longest() string {
	var list []format.WaitReason
	for i, n := range o.Waiting {
		if n > 0 {
			list = append(list, format.WaitReason(i))
		}
	}
	slices.SortStableFunc(list, func(a, b format.WaitReason) int { return int(min(max(o.Waiting[b]-o.Waiting[a], -1), 1)) })
	var texts []string
	for _, reason := range list[:min(len(list), 3)] {
		texts = append(texts, reason.String()+" "+units.Duration(time.Duration(o.Waiting[reason])))
	}
	return strings.Join(texts, ", ")
}
