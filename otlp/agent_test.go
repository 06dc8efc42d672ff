package otlp

import (
	"strings"
	"testing"
	"time"
)

// The agent's sink ends in time, and says what was left out.
func TestEnd(t *testing.T) {
	s, _ := start(t, "http://127.0.0.1:1", Options{Queue: 2, Delay: time.Minute})
	for i := 0; i < 3; i++ {
		s.Add(one(1))
	}
	want := "3 of 3 traces were not sent (the queue was full: 1, the program ended before: 2)"
	begin := time.Now()
	if got := (forAgent{s}).End(time.Minute); got != want || time.Since(begin) > 30*time.Second {
		t.Errorf("%q after %v, want %q", got, time.Since(begin), want)
	}
	if got := (Counts{Sent: 3, Spans: 9}).leftOut(); got != "" {
		t.Errorf("%q, want nothing", got)
	}
	if got := (Counts{Sent: 3, Spans: 8, Rejected: 1, Refused: 1}).leftOut(); !strings.HasSuffix(got, "(refused: 1); the collector rejected 1 of 9 spans") {
		t.Errorf("%q", got)
	}
}
