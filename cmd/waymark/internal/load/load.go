// Package load sends traces at a pace, to see what a receiver of spans bears: those of a recording
// over and over, or made-up ones.
//
//	result, err := load.Run(ctx, source, load.Options{Receiver: receiver, Rate: 5000})
//
// The pace is kept whatever the receiver does, and latency counts from the time when a request was
// due. So a receiver that is too slow shows as one, and not as a lower rate with good latencies.
package load

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/waymark-go/waymark/internal/spans"
)

// A Source has traces.
type Source interface {
	// Next returns the spans of the next trace, whose last one ends at a time in ns since 1970. Ids are new
	// each time. The spans are valid until the next call.
	Next(end int64) []spans.Span
}

// Options say how much is sent, and where.
type Options struct {
	Receiver
	Rate   float64       // spans per second; 0: as many as are taken
	Limit  time.Duration // 0: none
	Traces int           // 0: any number

	// Progress, unless nil, is called now and then with the spans that have been handed over.
	Progress func(spans int, passed time.Duration)
}

// A Result says what was sent.
type Result struct {
	Traces, Spans, Requests int // made
	Bytes                   int // of requests, before compression
	Elapsed                 time.Duration

	FailedRequests int       // not taken, or not in whole
	FailedSpans    int       // not taken
	Errors         []Failure // most frequent first

	Latencies []time.Duration // of requests, from the time when their last span was due, in order
}

// A Failure is one text of errors, and how many requests have had it. There are at most 20, the last for
// all other texts.
type Failure struct {
	Text     string
	Requests int
}

// Taken returns the spans that were taken per second.
func (r *Result) Taken() float64 {
	return float64(r.Spans-r.FailedSpans) / max(r.Elapsed.Seconds(), 1e-9)
}

// Latency returns the latency that a share of the requests did not exceed, 0 without requests.
func (r *Result) Latency(share float64) time.Duration {
	if len(r.Latencies) == 0 {
		return 0
	}
	i := int(share * float64(len(r.Latencies)))
	return r.Latencies[min(i, len(r.Latencies)-1)]
}

// A request waits at most this long for spans that are due later.
const patience = 100 * time.Millisecond

// progressEvery is the time between two calls of Progress.
const progressEvery = 200 * time.Millisecond

// A post is a request on its way.
type post struct {
	request spans.Request
	first   time.Time // when its first span was due
	due     time.Time // when its last one was, and it
}

// A run is one call of Run.
type run struct {
	Options
	ready, free chan *post

	mu     sync.Mutex // of what follows
	result Result
	errors map[string]int
	fatal  error
	stop   context.CancelFunc
}

// Run sends traces until the context or a limit ends it. What was handed over by then is sent. The
// error is a fatal one.
func Run(ctx context.Context, source Source, o Options) (*Result, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if o.Limit > 0 {
		ctx, stop = context.WithTimeout(ctx, o.Limit)
		defer stop()
	}
	o.Connections = max(o.Connections, 1)
	r := &run{Options: o, ready: make(chan *post), free: make(chan *post, o.Connections+1), errors: make(map[string]int), stop: stop}
	for range o.Connections + 1 { // one is filled while others are on their way
		r.free <- new(post)
	}
	var senders sync.WaitGroup
	for range o.Connections {
		senders.Go(r.send)
	}
	start := time.Now()
	traces, spans := r.make(ctx, source, start)
	close(r.ready)
	senders.Wait()
	r.result.Traces, r.result.Spans, r.result.Elapsed = traces, spans, time.Since(start)
	slices.Sort(r.result.Latencies)
	for text, n := range r.errors {
		r.result.Errors = append(r.result.Errors, Failure{text, n})
	}
	slices.SortFunc(r.result.Errors, func(a, b Failure) int { return b.Requests - a.Requests })
	return &r.result, r.fatal
}

// make fills requests and hands them over when they are due. It returns how much was handed over.
func (r *run) make(ctx context.Context, source Source, start time.Time) (traces, spans int) {
	p := <-r.free
	handOver := func() {
		if p.request.Spans() > 0 {
			r.ready <- p
			p = <-r.free
		}
	}
	shown := start
	for ; r.Traces == 0 || traces < r.Traces; traces++ {
		now := time.Now()
		due := now
		if r.Rate > 0 {
			due = start.Add(time.Duration(float64(spans) / r.Rate * float64(time.Second)))
		}
		if due.After(now) {
			if p.request.Spans() > 0 && due.Sub(p.first) > patience {
				handOver()
			}
			if !sleep(ctx, time.Until(due)) {
				break
			}
		}
		if ctx.Err() != nil {
			break
		}
		if r.Progress != nil && now.Sub(shown) >= progressEvery {
			shown = now
			r.Progress(spans, now.Sub(start))
		}
		for _, s := range source.Next(due.UnixNano()) {
			if !p.request.Takes(&s) {
				handOver()
			}
			if p.request.Spans() == 0 {
				p.first = due
			}
			p.due = due
			p.request.Add(&s)
			spans++
		}
	}
	if r.Rate > 0 && r.Traces == 0 {
		// The last trace lasts until the next one would be due, or until the end.
		sleep(ctx, time.Until(start.Add(time.Duration(float64(spans)/r.Rate*float64(time.Second)))))
	}
	handOver()
	return traces, spans
}

// sleep reports whether the context has lasted for a time.
func sleep(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// send sends requests until there are no more.
func (r *run) send() {
	for p := range r.ready {
		r.mu.Lock()
		err := r.fatal
		r.mu.Unlock()
		size := 0
		if err == nil {
			size, err = r.Post(&p.request)
		}
		r.count(p.request.Spans(), size, time.Since(p.due), err)
		p.request.Reset()
		r.free <- p
	}
}

// maxTexts is how many different errors are kept.
const maxTexts = 19

// count counts a request that was sent.
func (r *run) count(sent, bytes int, latency time.Duration, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.result.Requests++
	r.result.Bytes += bytes
	if err == nil {
		r.result.Latencies = append(r.result.Latencies, latency)
		return
	}
	r.result.FailedRequests++
	text := err.Error()
	var some *spans.Rejection
	if errors.As(err, &some) {
		sent = int(min(some.Spans, uint64(sent)))
		r.result.Latencies = append(r.result.Latencies, latency)
		text = "spans were rejected: " + some.Message
	}
	r.result.FailedSpans += sent
	if r.errors[text] == 0 && len(r.errors) >= maxTexts {
		text = "other errors"
	}
	r.errors[text]++
	if r.Fatal != nil && r.fatal == nil && r.Fatal(err) {
		r.fatal = err
		r.stop()
	}
}
