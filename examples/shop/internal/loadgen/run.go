package loadgen

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"
)

// A Report is the outcome of a run.
type Report struct {
	Statuses  map[int]int     // replies by HTTP status
	Latencies []time.Duration // ascending
	Elapsed   time.Duration
}

// Requests returns the number of requests made.
func (r *Report) Requests() int { return len(r.Latencies) }

// Percentile returns the latency that p percent of requests did not exceed,
// or 0 if there were none.
func (r *Report) Percentile(p int) time.Duration {
	n := len(r.Latencies)
	if n == 0 {
		return 0
	}
	rank := (n*p + 99) / 100
	return r.Latencies[max(rank, 1)-1]
}

// Run makes the requests of each plan, one after the other, and those of
// different plans at the same time. It stops at the first request that gets
// no reply; a reply with any status will do.
func Run(ctx context.Context, baseURL string, plans ...[]Request) (*Report, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)

	transport := &http.Transport{MaxIdleConnsPerHost: len(plans)}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, Timeout: 30 * time.Second}

	start := time.Now()
	results := make([][]result, len(plans))
	var wg sync.WaitGroup
	for i, plan := range plans {
		wg.Go(func() {
			var err error
			if results[i], err = run(ctx, client, baseURL, plan); err != nil {
				cancel(err)
			}
		})
	}
	wg.Wait()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}

	report := &Report{Statuses: make(map[int]int), Elapsed: time.Since(start)}
	for _, r := range slices.Concat(results...) {
		report.Statuses[r.status]++
		report.Latencies = append(report.Latencies, r.latency)
	}
	slices.Sort(report.Latencies)
	return report, nil
}

// result is the outcome of a request.
type result struct {
	status  int
	latency time.Duration
}

// run makes the requests of a plan.
func run(ctx context.Context, client *http.Client, baseURL string, plan []Request) ([]result, error) {
	results := make([]result, 0, len(plan))
	for _, r := range plan {
		start := time.Now()
		status, err := r.send(ctx, client, baseURL)
		if err != nil {
			return nil, err
		}
		results = append(results, result{status, time.Since(start)})
	}
	return results, nil
}

// send makes the request, reads the reply and returns its status.
func (r Request) send(ctx context.Context, client *http.Client, baseURL string) (status int, err error) {
	req, err := http.NewRequestWithContext(ctx, r.Method, baseURL+r.Path, bytes.NewReader(r.Body))
	if err != nil {
		return 0, err
	}
	resp, err := client.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode, err
}
