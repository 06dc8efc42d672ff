package prometheus

import (
	"encoding/hex"
	"math/bits"
	"slices"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/waymark-go/waymark/trace"
)

// Exemplars are traces that the histograms of timers name as examples: the newest trace of each root
// function in each power of two of nanoseconds. So a function has at most 64 exemplars. The zero
// Exemplars is empty.
type Exemplars struct {
	mu     sync.Mutex
	timers map[string]*[64]prometheus.Exemplar // by the number of bits of the duration
}

// Add makes t an exemplar of the timer of its root function. It is for trace.Options.OnTrace, and
// never waits for a scrape. A trace that package otlp does not send, because its parent is not
// sampled, is no exemplar.
func (e *Exemplars) Add(t *trace.Trace) {
	if t.Within.TraceID != [16]byte{} && !t.Within.Sampled {
		return
	}
	x := prometheus.Exemplar{
		Value:     t.Duration.Seconds(),
		Labels:    prometheus.Labels{"trace_id": hex.EncodeToString(t.ID[:])},
		Timestamp: t.Start.Add(t.Duration),
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.timers == nil {
		e.timers = make(map[string]*[64]prometheus.Exemplar)
	}
	timer := timerOf(t.Root)
	if e.timers[timer] == nil {
		e.timers[timer] = new([64]prometheus.Exemplar)
	}
	// The slowest traces of a period come late, and a server refuses exemplars that are out of order.
	old := &e.timers[timer][bits.Len64(uint64(max(t.Duration, 0)))]
	if x.Timestamp.After(old.Timestamp) {
		*old = x
	}
}

// timerOf returns the name of the timer that timing.Attach makes for a function. A function without
// a directive has its own name: the program may make a timer of this name.
func timerOf(f *trace.Func) string {
	if f.TracingName == "" {
		return f.Name
	}
	return f.Package + "." + f.TracingName
}

// onto returns m with the exemplars of a timer. The newest is last: if a bucket has several, the
// bucket gets the last one.
func (e *Exemplars) onto(m prometheus.Metric, timer string) prometheus.Metric {
	list := e.of(timer)
	if len(list) == 0 {
		return m
	}
	return prometheus.MustNewMetricWithExemplars(m, list...) // the label is valid and short
}

// of returns the exemplars of a timer, from old to new.
func (e *Exemplars) of(timer string) (list []prometheus.Exemplar) {
	if e == nil {
		return nil
	}
	e.mu.Lock()
	if slots := e.timers[timer]; slots != nil {
		list = append(list, slots[:]...)
	}
	e.mu.Unlock()
	list = slices.DeleteFunc(list, func(x prometheus.Exemplar) bool { return x.Timestamp.IsZero() })
	slices.SortFunc(list, func(a, b prometheus.Exemplar) int { return a.Timestamp.Compare(b.Timestamp) })
	return list
}
