package load_test

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/waymark-go/waymark/cmd/waymark/internal/load"
	"github.com/waymark-go/waymark/internal/spans"
)

// A span is what tests read of one.
type span struct {
	TraceID, SpanID, ParentSpanID, Name string
	StartTimeUnixNano, EndTimeUnixNano  int64 `json:",string"`
}

func spansOf(t *testing.T, request []byte) []span {
	var r struct {
		ResourceSpans []struct {
			ScopeSpans []struct{ Spans []span }
		}
	}
	if err := json.Unmarshal(request, &r); err != nil {
		t.Fatalf("%v: %.200s", err, request)
	}
	return r.ResourceSpans[0].ScopeSpans[0].Spans
}

func made(t *testing.T, g load.Graph) *load.Made {
	t.Helper()
	if err := g.Check(); err != nil {
		t.Fatal(err)
	}
	return load.Make(g, rand.New(rand.NewPCG(1, 2)))
}

// A graph without skew is as its numbers say: the tree is whole, and calls lie within their callers.
func TestGraph(t *testing.T) {
	const depth, width, traces = 4, 3, 50
	const perTrace = 1 + 3 + 9 + 27
	var all []span
	result, err := load.Run(t.Context(), made(t, load.Graph{Depth: depth, Width: width, Functions: 10, Duration: time.Second}), load.Options{
		Traces: traces,
		Receiver: load.Receiver{Post: func(r *spans.Request) (int, error) {
			all = append(all, spansOf(t, r.JSON())...)
			return 0, nil
		}},
	})
	if err != nil || result.Traces != traces || result.Spans != traces*perTrace || len(all) != result.Spans || result.FailedRequests != 0 {
		t.Fatalf("%v: %+v, %d spans", err, result, len(all))
	}
	spans, roots := make(map[string]span), 0
	for _, s := range all {
		if _, twice := spans[s.SpanID]; twice {
			t.Fatalf("two spans %s", s.SpanID)
		}
		spans[s.SpanID] = s
	}
	children := make(map[string]int)
	for _, s := range all {
		children[s.ParentSpanID]++
		if s.ParentSpanID == "" {
			if roots++; s.EndTimeUnixNano-s.StartTimeUnixNano != 1e9 {
				t.Errorf("a root lasts %d ns, want 1 s", s.EndTimeUnixNano-s.StartTimeUnixNano)
			}
			continue
		}
		parent, known := spans[s.ParentSpanID]
		if !known || parent.TraceID != s.TraceID || s.StartTimeUnixNano < parent.StartTimeUnixNano || s.EndTimeUnixNano > parent.EndTimeUnixNano {
			t.Fatalf("%+v is not within %+v", s, parent)
		}
	}
	for id, n := range children {
		if id != "" && n != width {
			t.Errorf("%s has %d calls, want %d", id, n, width)
		}
	}
	if roots != traces {
		t.Errorf("%d roots, want %d", roots, traces)
	}
}

// The greatest skew and the largest graphs stay within a trace's limit.
func TestSkew(t *testing.T) {
	for _, g := range []load.Graph{
		{Depth: 10, Width: 3, Functions: 1, Duration: 1, Skew: 5},
		{Depth: 100_000, Width: 1, Functions: 2, Duration: 24 * time.Hour, Skew: 0},
		{Depth: 2, Width: 99_999, Functions: 1000, Duration: time.Hour, Skew: 1},
	} {
		m := made(t, g)
		for range 5 {
			spans := m.Next(1e18)
			if n := len(spans); n < 1 || n > 100_000 {
				t.Errorf("%+v: %d spans", g, n)
			}
			for _, s := range spans {
				if s.Start > s.End || s.End > 1e18 {
					t.Fatalf("%+v: a span from %d to %d", g, s.Start, s.End)
				}
			}
		}
	}
	for _, g := range []load.Graph{{}, {Depth: 1, Width: 1, Functions: 1}, {Depth: 10, Width: 100, Functions: 1, Duration: 1}, {Depth: 1 << 30, Width: 1 << 30, Functions: 1, Duration: 1}, {Depth: 1, Width: 1, Functions: 1, Duration: 1, Skew: -1}} {
		if g.Check() == nil {
			t.Errorf("%+v is taken", g)
		}
	}
}

// What a receiver does not take is counted, by what it says, and the pace is kept.
func TestFailures(t *testing.T) {
	var mu sync.Mutex
	var n, given, rejected int
	result, err := load.Run(t.Context(), made(t, load.Graph{Depth: 2, Width: 9, Functions: 1, Duration: 1}), load.Options{
		Traces: 1000, Receiver: load.Receiver{Connections: 3, Post: func(r *spans.Request) (int, error) {
			mu.Lock()
			defer mu.Unlock()
			own := len(spansOf(t, r.JSON()))
			given += own
			switch n++; n % 4 {
			case 0:
				rejected += own
				return 0, errors.New("busy")
			case 1:
				rejected += 2
				return 0, &spans.Rejection{Spans: 2, Message: "too old"}
			}
			return 0, nil
		}},
	})
	if err != nil || result.Spans != 10_000 || given != 10_000 || result.Requests != n || result.FailedSpans != rejected {
		t.Fatalf("%v: %+v, %d spans given, %d rejected", err, result, given, rejected)
	}
	sum := 0
	for _, f := range result.Errors {
		sum += f.Requests
		if f.Text != "busy" && f.Text != "spans were rejected: too old" {
			t.Errorf("an error %q", f.Text)
		}
	}
	if sum != result.FailedRequests || len(result.Errors) != 2 {
		t.Errorf("errors %+v of %d requests", result.Errors, result.FailedRequests)
	}
}

// A receiver that is too slow shows: requests wait from when they were due.
func TestSlow(t *testing.T) {
	const each = 20 * time.Millisecond
	result, err := load.Run(t.Context(), made(t, load.Graph{Depth: 2, Width: 511, Functions: 1, Duration: 1}), load.Options{
		Rate: 512 * 1000, Traces: 20,
		Receiver: load.Receiver{Post: func(*spans.Request) (int, error) { time.Sleep(each); return 0, nil }},
	})
	if err != nil || result.Requests != 20 {
		t.Fatalf("%v: %+v", err, result)
	}
	if got, least := result.Latency(1), 19*each; got < least {
		t.Errorf("the last request took %v, want at least %v", got, least)
	}
	if result.Taken() > 512*51 {
		t.Errorf("%.0f spans per second were taken, of a receiver that takes 50 requests", result.Taken())
	}
}

// No trace is sent before it is due.
func TestPace(t *testing.T) {
	const rate, traces, perTrace = 2000, 50, 4
	var last int64
	result, err := load.Run(t.Context(), made(t, load.Graph{Depth: 2, Width: 3, Functions: 1, Duration: 1}), load.Options{
		Rate: rate, Traces: traces,
		Receiver: load.Receiver{Post: func(r *spans.Request) (int, error) {
			for _, s := range spansOf(t, r.JSON()) {
				last = max(last, s.EndTimeUnixNano)
			}
			if now := time.Now().UnixNano(); last > now {
				t.Errorf("sent %v before it ended", time.Duration(last-now))
			}
			return 0, nil
		}},
	})
	if least := (traces - 1) * perTrace * time.Second / rate; err != nil || result.Elapsed < least {
		t.Errorf("%v: %d spans in %v, want at least %v", err, result.Spans, result.Elapsed, least)
	}
}

// A fatal error and the end of the context end a run.
func TestEnds(t *testing.T) {
	fatal := errors.New("no receiver")
	g := load.Graph{Depth: 1, Width: 1, Functions: 1, Duration: 1}
	posts := 0
	result, err := load.Run(t.Context(), made(t, g), load.Options{Receiver: load.Receiver{Post: func(*spans.Request) (int, error) { posts++; return 0, fatal }, Fatal: func(error) bool { return true }}})
	if !errors.Is(err, fatal) || posts != 1 || result.FailedSpans != result.Spans {
		t.Errorf("%v after %d posts: %+v", err, posts, result)
	}
	ctx, cancel := context.WithCancel(t.Context())
	result, err = load.Run(ctx, made(t, g), load.Options{Rate: 1e-3, Receiver: load.Receiver{Post: func(*spans.Request) (int, error) { cancel(); return 0, nil }}})
	if err != nil || result.Traces != 1 || result.Spans != 1 {
		t.Errorf("cancelled: %v, %+v", err, result)
	}
}

// If what is at the URL has never taken a request and is no receiver, the run ends. If it is busy,
// or has taken a request, the run goes on.
func TestToURL(t *testing.T) {
	for _, test := range []struct {
		name     string
		statuses []int // of the requests; the last one stays
		fatal    bool
	}{
		{"wrong", []int{http.StatusNotFound}, true},
		{"busy", []int{http.StatusServiceUnavailable}, false},
		{"later", []int{http.StatusOK, http.StatusNotFound}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			n := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.WriteHeader(test.statuses[min(n, len(test.statuses)-1)])
				n++
			}))
			defer server.Close()
			to, err := load.ToURL(server.URL, 1)
			if err != nil {
				t.Fatal(err)
			}
			result, err := load.Run(t.Context(), made(t, load.Graph{Depth: 2, Width: 511, Functions: 1, Duration: 1}), load.Options{Receiver: to, Traces: 5})
			if (err != nil) != test.fatal || result.FailedRequests == 0 || !test.fatal && (n != 5 || result.Requests != 5) {
				t.Errorf("%v after %d requests: %+v", err, n, result)
			}
		})
	}
}
