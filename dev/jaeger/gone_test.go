package jaeger

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A collector takes traces, and can be made to go away.
type collector struct {
	addr   string
	server *http.Server
	fail   atomic.Pointer[http.HandlerFunc] // answers instead, if that is not nil

	mu    sync.Mutex
	roots map[span]int // how often each root has arrived: its trace and parent
	wrong error        // of a request
}

// listen has the collector listen, again at the same address.
func (c *collector) listen(t *testing.T) {
	l, err := net.Listen("tcp", c.addr)
	if err != nil {
		t.Fatal(err)
	}
	c.server = &http.Server{Handler: c}
	go c.server.Serve(l)
}

// close ends listening when requests on their way have their answer: none arrives twice because of that.
func (c *collector) close() { c.server.Shutdown(context.Background()) }

// ServeHTTP takes a request.
func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if fail := c.fail.Load(); fail != nil {
		(*fail)(w, r)
		return
	}
	spans, err := exported(r.Body)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		c.wrong = err
	}
	for _, s := range spans {
		if s.name == "main.order" {
			c.roots[span{trace: s.trace, parent: s.parent}]++
		}
	}
}

// has reports whether the trace of a request has arrived.
func (c *collector) has(i int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.roots[rootOf(i)] > 0
}

// rootOf returns what tells the root of a request's trace.
func rootOf(i int) span { return span{trace: traceID(i), parent: spanID(i)} }

// memory returns a number of bytes that /proc/PID/status has.
func (s *service) memory(t *testing.T, key string) int {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), key+":")
	text, _, _ := strings.Cut(rest, "kB")
	n, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil {
		t.Fatalf("%s: %v", key, err)
	}
	return n << 10
}

// The collector of a service under load goes away three times, each time in another way. All traces arrive, each once,
// and nothing in the program tells but a line on stderr when the collector goes, and one when it is back.
func TestCollectorGone(t *testing.T) {
	const (
		n, rate = 6000, 150 // the sink's queue has room for all that come before it tries again
		away    = 3 * time.Second
		slowest = 2 * time.Second // below away: no request waits for the collector
		growth  = 20 << 20
	)
	t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json")
	t.Setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "none")
	c := &collector{addr: strings.TrimPrefix(overHTTP, "http://"), roots: make(map[span]int)}
	c.listen(t)
	defer func() { c.close() }()
	prog := build(t)
	store := serve(t, prog, "", "store")
	front := serve(t, prog, "traces=@http,keep=all,otlp="+overHTTP, "front", store.addr)
	var took []time.Duration
	began := time.Now()
	loaded := make(chan bool)
	go func() {
		took = load(t, front.addr, 1, n, rate)
		close(loaded)
	}()
	t.Cleanup(func() { <-loaded })

	// catchUp waits until the trace of a request arrives that is due now: nothing is left in the queue.
	catchUp := func() {
		i := int(time.Since(began).Seconds() * rate)
		for !c.has(i) {
			select {
			case <-loaded:
				t.Fatalf("the load has ended, and the trace of request %d has not arrived", i)
			case <-time.After(10 * time.Millisecond):
			}
		}
	}
	fails := func(answer http.HandlerFunc) func() { return func() { c.fail.Store(&answer) } }
	works := func() { c.fail.Store(nil) }
	time.Sleep(away)
	catchUp()
	before := front.memory(t, "VmRSS")
	var said []string
	for _, outage := range []struct {
		begin, end func()
		said       string
	}{
		{c.close, func() { c.listen(t) }, "connection refused"},
		{fails(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }), works, "503"},
		{fails(func(_ http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			panic(http.ErrAbortHandler)
		}), works, "EOF"},
	} {
		outage.begin()
		time.Sleep(away)
		outage.end()
		catchUp()
		said = append(said, outage.said, "takes traces again")
	}
	<-loaded
	grown := front.memory(t, "VmHWM") - before
	front.end(t)
	store.end(t)

	lines := strings.Split(strings.TrimSpace(front.said.String()), "\n")
	for i, line := range lines {
		if len(lines) != len(said) || !strings.Contains(line, said[i]) {
			t.Errorf("said\n%swant a line with each of %q", &front.said, said)
			break
		}
	}
	want := make(map[span]int)
	for i := 1; i <= n; i++ {
		want[rootOf(i)] = 1
	}
	if c.wrong != nil || !maps.Equal(c.roots, want) {
		t.Errorf("%d traces have arrived, want %d, each once below the span of its request; %v", len(c.roots), n, c.wrong)
	}
	if most := slices.Max(took); most > slowest {
		t.Errorf("a request took %v, more than %v", most, slowest)
	}
	if grown > growth {
		t.Errorf("the program's memory has grown by %d bytes, more than %d", grown, growth)
	}
	t.Logf("requests took %v, p99 %v, at most %v; memory was %d MB, and grew by %d MB",
		at(took, 0.5), at(took, 0.99), at(took, 1), before>>20, grown>>20)
}
