package otlp

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/waymark-go/waymark/internal/wire/protobuf"
	"github.com/waymark-go/waymark/trace"
)

// A collector that is busy is asked again until it takes what it is sent.
func TestRetries(t *testing.T) {
	for _, code := range []int{429, 502, 503, 504} {
		c := serve(t, func(n, _ int, w http.ResponseWriter) bool {
			if n < 3 {
				w.WriteHeader(code)
			}
			return n == 3
		})
		s, logged := start(t, c.URL, Options{})
		s.Add(one(1))
		if err := s.Flush(in(t, 10*time.Second)); err != nil {
			t.Errorf("%d: %v", code, err)
		}
		if got, want := s.Counts(), (Counts{Sent: 1, Spans: 1, Retries: 2}); got != want {
			t.Errorf("%d: %v, want %v", code, got, want)
		}
		lines := logged.lines()
		if len(lines) != 2 || !strings.Contains(lines[0], "level=WARN") || !strings.Contains(lines[0], strconv.Itoa(code)) || !strings.Contains(lines[1], "takes traces again") {
			t.Errorf("%d: logged %q, want the first failure, and that it is over", code, lines)
		}
	}
}

// The sink comes again when the collector says, even if somebody is in a hurry.
func TestRetryAfter(t *testing.T) {
	c := serve(t, func(n, _ int, w http.ResponseWriter) bool {
		if n == 1 {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(429)
		}
		return n > 1
	})
	s, _ := start(t, c.URL, Options{})
	s.Add(one(1))
	if err := s.Flush(in(t, 10*time.Second)); err != nil {
		t.Fatal(err)
	}
	if waited := c.asked[1].Sub(c.asked[0]); waited < time.Second {
		t.Errorf("asked again after %v, want 1 s or more", waited)
	}
}

// What is refused is not sent again.
func TestRefused(t *testing.T) {
	c := serve(t, status(400))
	s, logged := start(t, c.URL, Options{})
	for i := 0; i < 3; i++ {
		s.Add(one(1))
		s.Flush(in(t, 10*time.Second))
	}
	if got, want := s.Counts(), (Counts{Refused: 3}); got != want {
		t.Errorf("%v, want %v", got, want)
	}
	if lines := logged.lines(); len(lines) != 1 || !strings.Contains(lines[0], "400 Bad Request") {
		t.Errorf("logged %q, want one line", lines)
	}
}

// A collector that takes small requests only is sent small ones. A span that is too large by itself is
// left out.
func TestTooLarge(t *testing.T) {
	c := serve(t, func(_, spans int, w http.ResponseWriter) bool {
		if spans > 3 {
			w.WriteHeader(413)
		}
		return spans <= 3
	})
	s, logged := start(t, c.URL, Options{Delay: time.Minute})
	for i := 0; i < 10; i++ {
		s.Add(one(1))
	}
	if err := s.Flush(in(t, 10*time.Second)); err != nil {
		t.Fatal(err)
	}
	if got, want := s.Counts(), (Counts{Sent: 10, Spans: 10}); got != want {
		t.Errorf("%v, want %v", got, want)
	}
	if n, _ := c.spans(); n != 10 || len(logged.lines()) > 0 {
		t.Errorf("%d spans were taken, want 10; logged %q", n, logged.lines())
	}

	none := serve(t, status(413))
	s, logged = start(t, none.URL, Options{Bytes: 1 << 20})
	s.Add(one(1))
	s.Add(one(100_000)) // which the queue does not hold
	s.Flush(in(t, 10*time.Second))
	if got, want := s.Counts(), (Counts{TooLarge: 2}); got != want || len(logged.lines()) != 1 {
		t.Errorf("%v, want %v; logged %q", got, want, logged.lines())
	}
}

// Spans that are rejected of a request are counted, and not sent again.
func TestPartialSuccess(t *testing.T) {
	c := serve(t, func(_, _ int, w http.ResponseWriter) bool {
		var partial, response protobuf.Message
		partial.Uint(1, 2)
		partial.String(2, "too old")
		response.Message(1, partial)
		w.Write(response)
		return true
	})
	s, logged := start(t, c.URL, Options{Delay: time.Minute})
	for i := 0; i < 5; i++ {
		s.Add(one(1))
	}
	s.Flush(in(t, 10*time.Second))
	s.Add(one(1))
	s.Flush(in(t, 10*time.Second))
	if got, want := s.Counts(), (Counts{Sent: 6, Spans: 3, Rejected: 3}); got != want {
		t.Errorf("%v, want %v", got, want)
	}
	if lines := logged.lines(); len(lines) != 1 || !strings.Contains(lines[0], "too old") {
		t.Errorf("logged %q, want one line", lines)
	}
}

// A collector that is down, unknown or not trusted is tried again. Traces wait as far as the queue holds
// them, and are sent when it is there.
func TestDown(t *testing.T) {
	secure := httptest.NewUnstartedServer(nil)
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	defer secure.Close()
	for name, endpoint := range map[string]string{
		"down": "http://127.0.0.1:1", "down, gRPC": "grpc://127.0.0.1:1", "unknown": "http://collector.invalid:4318", "not trusted": secure.URL, "no TLS": "https" + strings.TrimPrefix(serve(t, nil).URL, "http"),
	} {
		s, logged := start(t, endpoint, Options{Queue: 5})
		for i := 0; i < 20; i++ {
			s.Add(one(1))
		}
		eventually(t, name+": tries again", func() bool { return s.Counts().Retries > 2 })
		n := s.Counts()
		if n.Queued+n.QueueFull != 20 || n.Queued > 10 {
			t.Errorf("%s: %v", name, n)
		}
		err := s.Close(in(t, 50*time.Millisecond))
		if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "traces were not sent") {
			t.Errorf("%s: %v, want that time is over", name, err)
		}
		if got, want := s.Counts(), (Counts{QueueFull: n.QueueFull, Closed: 20 - n.QueueFull, Retries: s.Counts().Retries}); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
		if lines := logged.lines(); len(lines) != 1 {
			t.Errorf("%s: logged %q, want one line", name, lines)
		}
	}
}

// Traces that waited for the collector arrive when it comes.
func TestBack(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	s, logged := start(t, "http://"+address, Options{})
	s.Add(one(1))
	eventually(t, "tries again", func() bool { return s.Counts().Retries > 1 })
	if l, err = net.Listen("tcp", address); err != nil {
		t.Skip(err)
	}
	c := &collector{}
	c.Server = &httptest.Server{Listener: l, Config: &http.Server{Handler: c}}
	c.Start()
	defer c.Close()
	if err := s.Flush(in(t, 10*time.Second)); err != nil || s.Counts().Sent != 1 || len(logged.lines()) != 2 {
		t.Errorf("%v, %v, logged %q", err, s.Counts(), logged.lines())
	}
}

// Close returns within its deadline while the collector does not answer.
func TestSlow(t *testing.T) {
	ended := make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-ended }))
	defer slow.Close()
	defer close(ended)
	s, _ := start(t, slow.URL, Options{Queue: 10})
	begin := time.Now()
	for i := 0; i < 1000; i++ {
		s.Add(one(1))
	}
	if err := s.Close(in(t, 100*time.Millisecond)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v, want that time is over", err)
	}
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("Add and Close took %v", took)
	}
	s.Add(one(1))
	n := s.Counts()
	if n.Queued != 0 || n.QueueFull+n.Closed != 1001 {
		t.Errorf("%v", n)
	}
}

// What can't be sent for long is given up.
func TestGivenUp(t *testing.T) {
	c := serve(t, status(503))
	s, _ := start(t, c.URL, Options{Retry: 20 * time.Millisecond})
	s.Add(one(1))
	s.Flush(in(t, 10*time.Second))
	if n := s.Counts(); n.GivenUp != 1 || n.Queued != 0 {
		t.Errorf("%v", n)
	}
}

// Ten thousand traces at once take no more memory than the queue.
func TestMany(t *testing.T) {
	release := make(chan struct{})
	c := serve(t, func(int, int, http.ResponseWriter) bool { <-release; return true })
	s, _ := start(t, c.URL, Options{})
	s.root = func(*trace.Trace) *trace.Call {
		root := made("main.handle", 0, 1000)
		for i := 0; i < 9; i++ {
			root.Calls = append(root.Calls, made("main.query", i, 1))
		}
		return root
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	const n = 10_000
	begin := time.Now()
	for i := 0; i < n; i++ {
		s.Add(one(10))
	}
	took := time.Since(begin)
	runtime.GC()
	runtime.ReadMemStats(&after)
	grown := int64(after.HeapAlloc) - int64(before.HeapAlloc)
	close(release)
	if err := s.Close(in(t, time.Minute)); err != nil {
		t.Fatal(err)
	}
	counts := s.Counts()
	taken, requests := c.spans()
	if counts.Sent+counts.QueueFull != n || counts.Sent < defaultQueue || int(counts.Spans) != taken || taken != int(counts.Sent)*10 {
		t.Errorf("%v; %d spans arrived", counts, taken)
	}
	if grown > 16<<20 {
		t.Errorf("the heap grew by %d bytes", grown)
	}
	t.Logf("added in %v, the heap grew by %d bytes, %d requests", took, grown, requests)
}

// A trace of a million calls becomes a few spans.
func TestMillion(t *testing.T) {
	c := serve(t, nil)
	s, _ := start(t, c.URL, Options{})
	s.root = func(*trace.Trace) *trace.Call {
		root, f := made("main.handle", 0, 1000), &trace.Func{Name: "main.leaf"}
		all := make([]trace.Call, 999_999)
		for i := range all {
			all[i] = trace.Call{Func: f, Start: root.Start, Duration: 1, Self: 1}
			root.Calls = append(root.Calls, &all[i])
		}
		return root
	}
	s.Add(one(1_000_000))
	if err := s.Flush(in(t, time.Minute)); err != nil {
		t.Fatal(err)
	}
	if taken, _ := c.spans(); taken != 2 || s.Counts().Sent != 1 {
		t.Errorf("%v, %d spans arrived, want 2", s.Counts(), taken)
	}
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if m.HeapAlloc > 64<<20 {
		t.Errorf("the heap has %d bytes afterwards", m.HeapAlloc)
	}
}

// A parent says in which trace the spans are, and whether they are sent.
func TestParent(t *testing.T) {
	c := serve(t, nil)
	n := 0
	s, logged := start(t, c.URL, Options{Parent: func(*trace.Trace) trace.Span {
		switch n++; n {
		case 1:
			return trace.Span{TraceID: [16]byte{1}, SpanID: [8]byte{2}, Sampled: true}
		case 2:
			return trace.Span{TraceID: [16]byte{1}, SpanID: [8]byte{2}}
		case 3:
			return trace.Span{}
		}
		panic("no parent")
	}})
	for i := 0; i < 5; i++ {
		s.Add(one(1))
		s.Flush(in(t, 10*time.Second))
		if i == 0 && !strings.Contains(string(c.raw), "\x0a\x10\x01"+strings.Repeat("\x00", 15)) {
			t.Errorf("the request does not have the trace id of the parent: %q", c.raw)
		}
	}
	if got, want := s.Counts(), (Counts{Sent: 4, Spans: 4, Unsampled: 1}); got != want || n != 4 {
		t.Errorf("%v, want %v; Parent was called %d times", got, want, n)
	}
	if lines := logged.lines(); len(lines) != 1 || !strings.Contains(lines[0], "Parent panicked") {
		t.Errorf("logged %q", lines)
	}
}
