// Package otlp sends traces to a collector of OpenTelemetry, such as Jaeger or Tempo, while the
// program runs. waymark must have built the program: see package trace.
//
//	sink, err := otlp.Start("http://collector:4318", otlp.Options{})
//	if err != nil {
//		return err
//	}
//	c, err := trace.Start(waymark.Pattern("main.handle"), trace.Options{Slowest: 20, Failed: true, OnTrace: sink.Add})
//	...
//	c.Stop()
//	err = sink.Close(ctx)
//
// # Spans
//
// Each call of a trace is a span below the span of its caller. The attributes are those of
// `waymark export --to otlp`. A trace of many calls has one span for all calls of a function with
// the same callers, see Options.Spans.
//
// # Parents
//
// Spans of a trace are below the program's own span of the request. Once a sink has started, root calls look
// for that in their contexts, requests and messages: see trace.Trace.Within.
//
// # Environment
//
// The variables of OpenTelemetry are obeyed where Options and the endpoint leave something open:
// OTEL_EXPORTER_OTLP_ENDPOINT, _PROTOCOL, _HEADERS, _TIMEOUT, _COMPRESSION, _CERTIFICATE,
// _CLIENT_CERTIFICATE, _CLIENT_KEY and _INSECURE, each also as OTEL_EXPORTER_OTLP_TRACES_ENDPOINT
// and so on, and OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES. Values that can't be understood are
// logged and ignored.
//
// # Bounds
//
// Sink.Add never blocks. Traces wait in a queue of bounded size, and one goroutine sends them. If the
// collector is down or busy, the sink tries again with growing pauses, and takes no more traces than
// the queue holds. [Sink.Counts] says what was left out and why.
package otlp

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/waymark-go/waymark/internal/program/pause"
	"github.com/waymark-go/waymark/internal/program/rt"
	"github.com/waymark-go/waymark/internal/spans"
	"github.com/waymark-go/waymark/trace"
)

// Options configure a Sink. The zero Options follow the environment.
type Options struct {
	Service    string            // service.name; "": OTEL_SERVICE_NAME, or the name of the program's file
	Attributes map[string]string // more attributes of the resource
	Protocol   string            // grpc, http/protobuf or http/json, as in OTEL_EXPORTER_OTLP_PROTOCOL
	Headers    map[string]string // of each request, as in OTEL_EXPORTER_OTLP_HEADERS
	TLS        *tls.Config       // nil: the certificates of the environment, or the system's

	Timeout time.Duration // of each request; 0: OTEL_EXPORTER_OTLP_TIMEOUT, or 10 s
	Retry   time.Duration // how long the same spans are sent again; 0: 5 minutes
	Delay   time.Duration // how long traces wait for others, to be sent together; 0: 1 s

	// Spans is how many spans a trace has at most; 0: 1000. In a trace of more calls, calls of the same
	// function with the same callers are one span. Its attributes have the number of the calls, and
	// the shortest, average and longest duration. If there are still too many, the outer calls have
	// spans.
	Spans int

	Queue int   // traces that may wait; 0: 2048
	Bytes int64 // memory of the traces that wait, about; 0: 64 MB

	// Parent returns the span that a trace is below. If its trace id is zero the trace has an id of its
	// own. If it is not sampled, the trace is not sent, as parent-based samplers of OpenTelemetry do.
	// Parent is called on the sink's goroutine. nil: trace.Trace.Within.
	Parent func(*trace.Trace) trace.Span

	// Logger gets a line when sending fails, and a line when it works again. nil: slog.Default().
	Logger *slog.Logger

	say func(bad bool, text string) // instead of the Logger
}

// Defaults of Options.
const (
	defaultRetry = 5 * time.Minute
	defaultDelay = time.Second
	defaultSpans = 1000
	defaultQueue = 2048
	defaultBytes = 64 << 20
	firstPause   = 500 * time.Millisecond
)

// A Sink sends traces. Any number of goroutines may call its methods.
type Sink struct {
	options Options
	client  *spans.Client
	spanner spanner
	pause   time.Duration // before the second attempt
	root    func(*trace.Trace) *trace.Call

	ctx    context.Context // of the goroutine
	cancel func()
	ended  chan struct{} // closed when the goroutine has ended
	added  chan struct{} // has a value if a trace was added
	urgent chan struct{} // has a value if nothing shall wait
	bell   pause.Bell    // has the goroutine look at what it waits for
	failed bool          // the latest attempt; only the goroutine uses it
	cut    bool          // a partial success was logged; the same

	mu      sync.Mutex // guards what follows
	queue   []*trace.Trace
	bytes   int64 // of the queue, about
	spans   int   // of the queue, about
	closed  bool
	ending  bool // the program ends, too
	counts  Counts
	last    error         // of the latest attempt
	changed chan struct{} // closed when Queued gets less
	taken   uint64        // traces that were added to the queue
	done    uint64        // of these: those that no longer wait
}

// Counts are the numbers of a sink. A trace that was added is Queued, Sent, or left out for one of the
// other reasons.
type Counts struct {
	Queued uint64 // traces that wait, or are being sent
	Sent   uint64 // traces that the collector took
	Spans  uint64 // spans that the collector took

	QueueFull uint64 // traces that came while the queue was full
	TooLarge  uint64 // traces larger than the queue, or with a span that the collector found too large
	Refused   uint64 // traces that the collector refused
	GivenUp   uint64 // traces that could not be sent within Options.Retry
	Unsampled uint64 // traces whose parent is not sampled
	Closed    uint64 // traces that came after Close, or had not been sent when Close ended

	Rejected uint64 // spans that the collector rejected, of requests that it took: of Sent traces
	Retries  uint64 // requests that were sent again
}

// Start starts a sink that sends to an endpoint: a URL such as http://collector:4318 or
// grpc://collector:4317. http and https send protocol buffers to /v1/traces, unless the URL has a
// path. If endpoint is empty, it is that of OTEL_EXPORTER_OTLP_TRACES_ENDPOINT or
// OTEL_EXPORTER_OTLP_ENDPOINT, or http://localhost:4318. The collector need not be there yet.
func Start(endpoint string, o Options) (*Sink, error) {
	e := environment{lookup: os.Getenv}
	config, err := e.config(endpoint, &o)
	if err != nil {
		return nil, fmt.Errorf("otlp: %w", err)
	}
	client, err := spans.NewClient(config)
	if err != nil {
		return nil, fmt.Errorf("otlp: %w", err)
	}
	for _, d := range []*time.Duration{&o.Retry, &o.Delay} {
		*d = max(*d, 0)
	}
	if o.Retry == 0 {
		o.Retry = defaultRetry
	}
	if o.Delay == 0 {
		o.Delay = defaultDelay
	}
	if o.Spans <= 0 {
		o.Spans = defaultSpans
	}
	if o.Queue <= 0 {
		o.Queue = defaultQueue
	}
	if o.Bytes <= 0 {
		o.Bytes = defaultBytes
	}
	s := &Sink{
		options: o, client: client, pause: firstPause, root: rootOf, spanner: newSpanner(e.resource(&o), o.Spans),
		ended: make(chan struct{}), added: make(chan struct{}, 1), urgent: make(chan struct{}, 1), changed: make(chan struct{}),
		bell: pause.Bell{Awaited: o.say == nil}, // the program knows nothing of the agent's sink
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	for _, w := range e.warnings {
		s.log(true, w)
	}
	if rt.Enabled {
		if !rt.Linked(keyPackage) {
			atomic.StoreUint32(&without, 1)
		}
		rt.FindSpans(find)
		rt.Go(s.run) // its calls are not traced
	} else {
		go s.run()
	}
	return s, nil
}

// Add has a trace sent. It never blocks: if the queue is full, the trace is left out.
func (s *Sink) Add(t *trace.Trace) {
	if t == nil {
		return
	}
	size := t.Size()
	s.mu.Lock()
	few := s.spans < spans.MaxSpans
	switch {
	case s.closed:
		s.counts.Closed++
	case size > s.options.Bytes:
		s.counts.TooLarge++
	case len(s.queue) >= s.options.Queue || s.bytes+size > s.options.Bytes:
		s.counts.QueueFull++
	default:
		s.queue = append(s.queue, t)
		s.bytes += size
		s.spans += s.estimate(t)
		s.taken++
		s.counts.Queued++
		signal(s.added)
	}
	ring := few && s.spans >= spans.MaxSpans
	s.mu.Unlock()
	if ring {
		s.bell.Ring()
	}
}

// estimate returns how many spans a trace has at most.
func (s *Sink) estimate(t *trace.Trace) int { return int(min(t.Calls, uint64(s.options.Spans))) }

// signal puts a value into a channel unless there is one.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Counts returns the numbers until now.
func (s *Sink) Counts() Counts {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts
}

// Flush sends what waits at once, and returns when no trace waits that was added before. If ctx is
// done first, it returns an error that wraps that of ctx.
func (s *Sink) Flush(ctx context.Context) error {
	s.mu.Lock()
	until := s.taken
	s.mu.Unlock()
	signal(s.urgent)
	s.bell.Ring()
	for {
		s.mu.Lock()
		left, changed, last := until-min(s.done, until), s.changed, s.last
		s.mu.Unlock()
		if left == 0 {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return unsent(left, last, ctx.Err())
		}
	}
}

// unsent returns an error about traces that could not be sent, because time is over, and why not.
func unsent(traces uint64, why, over error) error {
	err := fmt.Errorf("otlp: %d traces were not sent: %w", traces, over)
	if why != nil {
		err = errors.Join(err, why)
	}
	return err
}

// Close sends what waits, and ends the sink. Traces that come later are left out, so stop collectors
// before. If ctx is done before, what still waits is left out, and
// the error wraps that of ctx. Without a deadline Close waits for a collector that is down until
// Options.Retry is over. Further calls do nothing but wait.
func (s *Sink) Close(ctx context.Context) error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	err := s.Flush(ctx)
	s.stop()
	<-s.ended // at once: requests on their way are cut
	s.client.Close()
	return err
}

// stop has the goroutine end.
func (s *Sink) stop() {
	s.cancel()
	s.bell.Ring()
}

// log logs a line.
func (s *Sink) log(bad bool, text string) {
	defer func() { _ = recover() }() // a logger of the program may panic
	switch {
	case s.options.say != nil:
		s.options.say(bad, text)
	default:
		l, level := s.options.Logger, slog.LevelInfo
		if l == nil {
			l = slog.Default()
		}
		if bad {
			level = slog.LevelWarn
		}
		l.Log(context.Background(), level, text)
	}
}
