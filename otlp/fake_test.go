package otlp

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/waymark-go/waymark/internal/wire/protobuf"
	"github.com/waymark-go/waymark/trace"
)

// A collector is an HTTP server that answers as a test wants, and counts what it takes.
type collector struct {
	*httptest.Server
	answer func(n, spans int, w http.ResponseWriter) (taken bool) // n counts requests from 1 on

	mu    sync.Mutex
	asked []time.Time
	names []string // of the spans taken
	raw   []byte   // of the last request
	head  http.Header
	path  string
}

// serve starts a collector. Without an answer it takes everything.
func serve(t *testing.T, answer func(n, spans int, w http.ResponseWriter) bool) *collector {
	t.Helper()
	c := &collector{answer: answer}
	c.Server = httptest.NewServer(c)
	t.Cleanup(c.Close)
	return c
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body io.Reader = r.Body
	if r.Header.Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		body = z
	}
	b, _ := io.ReadAll(body)
	names := namesIn(b)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked = append(c.asked, time.Now())
	c.raw, c.head, c.path = b, r.Header.Clone(), r.URL.Path
	if c.answer == nil || c.answer(len(c.asked), len(names), w) {
		c.names = append(c.names, names...)
	}
}

// spans returns how many spans were taken, in how many requests.
func (c *collector) spans() (n, requests int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.names), len(c.asked)
}

// namesIn returns the names of the spans in a request.
func namesIn(request []byte) (names []string) {
	protobuf.Each(request, 1, func(_ uint64, resource []byte) {
		protobuf.Each(resource, 2, func(_ uint64, scope []byte) {
			protobuf.Each(scope, 2, func(_ uint64, span []byte) {
				protobuf.Each(span, 5, func(_ uint64, name []byte) { names = append(names, string(name)) })
			})
		})
	})
	return names
}

// status answers with a status.
func status(code int) func(int, int, http.ResponseWriter) bool {
	return func(_, _ int, w http.ResponseWriter) bool {
		w.WriteHeader(code)
		return code == http.StatusOK
	}
}

// A journal is what a sink logs.
type journal struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (j *journal) Write(b []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.b.Write(b)
}

func (j *journal) lines() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return strings.Split(strings.TrimSuffix(j.b.String(), "\n"), "\n")[:strings.Count(j.b.String(), "\n")]
}

// start starts a sink that is quick, and ends with the test.
func start(t *testing.T, endpoint string, o Options) (*Sink, *journal) {
	t.Helper()
	j := new(journal)
	o.Logger = slog.New(slog.NewTextHandler(j, nil))
	if o.Delay == 0 {
		o.Delay = time.Millisecond
	}
	s, err := Start(endpoint, o)
	if err != nil {
		t.Fatal(err)
	}
	s.pause = time.Millisecond
	t.Cleanup(func() {
		over, cancel := context.WithCancel(context.Background())
		cancel()
		s.Close(over)
	})
	return s, j
}

var handle = &trace.Func{Name: "main.handle", Package: "main", File: "main.go", Line: 7}

// one returns a trace of so many calls, of which only the root is known.
func one(calls int) *trace.Trace {
	return &trace.Trace{Key: "1-5", Root: handle, Start: time.Unix(1e9, 0), Duration: time.Second, Goroutine: 1, Calls: uint64(calls)}
}

// in returns a context that is done after a time.
func in(t *testing.T, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	t.Cleanup(cancel)
	return ctx
}

// eventually waits until something holds.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for begin := time.Now(); !is(); time.Sleep(time.Millisecond) {
		if time.Since(begin) > 10*time.Second {
			t.Fatalf("not within 10 s: %s", what)
		}
	}
}

// made returns a call of a function that took so many ms from a time on, with the calls that it made.
func made(name string, from, took int, below ...*trace.Call) *trace.Call {
	ms := time.Millisecond
	c := &trace.Call{
		Func: &trace.Func{Name: name, File: name + ".go", Line: len(name)}, Start: time.Unix(1e9, 0).Add(time.Duration(from) * ms),
		Duration: time.Duration(took) * ms, Self: time.Duration(took) * ms, Goroutine: 1, Calls: below,
	}
	for _, b := range below {
		if !b.Go {
			c.Self -= b.Duration
		}
	}
	return c
}

func (c Counts) String() string {
	type plain Counts
	return fmt.Sprintf("%+v", plain(c))
}
