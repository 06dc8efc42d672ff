package loadgen

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/waymark-go/waymark/examples/shop/internal/catalog"
)

func TestPlan(t *testing.T) {
	products := catalog.Sample(100, 1)
	plan := Plan(products, 7, 1, 500)
	if again := Plan(products, 7, 1, 500); !reflect.DeepEqual(plan, again) {
		t.Error("the same arguments gave different plans")
	}
	if start := Plan(products, 7, 1, 50); !reflect.DeepEqual(start, plan[:50]) {
		t.Error("a shorter plan is not the start of a longer one")
	}
	for name, other := range map[string][]Request{
		"seed":     Plan(products, 8, 1, 500),
		"customer": Plan(products, 7, 2, 500),
	} {
		if reflect.DeepEqual(plan, other) {
			t.Errorf("another %s gave the same plan", name)
		}
	}

	kinds := map[string]int{}
	for _, r := range plan {
		path, _, _ := strings.Cut(r.Path[1:], "?")
		path, _, _ = strings.Cut(path, "/")
		kinds[r.Method+" "+path]++
	}
	for _, kind := range []string{"GET search", "GET products", "POST quotes", "PUT orders", "GET orders"} {
		if kinds[kind] < 20 {
			t.Errorf("%d of 500 requests are %s", kinds[kind], kind)
		}
	}
}

func TestRun(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPut {
			w.WriteHeader(http.StatusCreated)
		}
	}))
	defer server.Close()
	get, put := Request{Method: "GET", Path: "/a"}, Request{Method: "PUT", Path: "/b", Body: []byte("{}")}
	report, err := Run(t.Context(), server.URL, []Request{get, put, get}, []Request{put, put}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := map[int]int{200: 2, 201: 3}; !maps.Equal(report.Statuses, want) || report.Requests() != 5 {
		t.Errorf("statuses = %v of %d, want %v", report.Statuses, report.Requests(), want)
	}
}

func TestRunStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var served atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		if served.Add(1) == 3 {
			cancel()
		}
	}))
	defer server.Close()
	plan := make([]Request, 100)
	if _, err := Run(ctx, server.URL, plan, plan); !errors.Is(err, context.Canceled) {
		t.Errorf("Run: %v, want context.Canceled", err)
	}
	if n := served.Load(); n > 10 {
		t.Errorf("%d requests served after cancelling", n)
	}
}

func TestPercentile(t *testing.T) {
	var r Report
	if got := r.Percentile(50); got != 0 {
		t.Errorf("p50 of nothing = %v", got)
	}
	for ms := range 10 {
		r.Latencies = append(r.Latencies, time.Duration(ms+1)*time.Millisecond)
	}
	for p, want := range map[int]time.Duration{0: 1, 10: 1, 50: 5, 91: 10, 99: 10, 100: 10} {
		if got := r.Percentile(p); got != want*time.Millisecond {
			t.Errorf("p%d = %v, want %dms", p, got, want)
		}
	}
}
