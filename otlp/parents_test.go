package otlp

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/waymark-go/waymark/internal/program/gather"
	"github.com/waymark-go/waymark/trace"
)

const ids = "0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331"

// A traceparent is read as W3C's Trace Context says. What is invalid is ignored.
func TestTraceparent(t *testing.T) {
	for text, want := range map[string]string{
		"00-" + ids + "-01":                  "sampled",
		"00-" + ids + "-03":                  "sampled",
		"00-" + ids + "-00":                  "not sampled",
		"cc-" + ids + "-01":                  "sampled",
		"cc-" + ids + "-01-more":             "sampled",
		"cc-" + ids + "-01more":              "none",
		"00-" + ids + "-01-more":             "none",
		"ff-" + ids + "-01":                  "none",
		"0-" + ids + "-01":                   "none",
		"0g-" + ids + "-01":                  "none",
		"00-" + ids + "-0":                   "none",
		"00-" + ids + "-0x":                  "none",
		"00-" + ids:                          "none",
		"00-" + strings.ToUpper(ids) + "-01": "none",
		"00-" + strings.Repeat("0", 32) + ids[32:] + "-01": "none",
		"00-" + ids[:33] + strings.Repeat("0", 16) + "-01": "none",
		"00-" + strings.ReplaceAll(ids, "-", "_") + "-01":  "none",
		"": "none",
	} {
		r := &http.Request{Header: http.Header{"Traceparent": {text}}}
		p := parentOf([]any{1, nil, (*http.Request)(nil), r})
		got := "none"
		if p.valid() {
			got = map[bool]string{true: "sampled", false: "not sampled"}[p.sampled]
			if p.trace[0] != 0x0a || p.trace[15] != 0x9c || p.span[0] != 0xb7 || p.span[7] != 0x31 {
				t.Errorf("%s: %v", text, p)
			}
		}
		if got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	twice := &http.Request{Header: http.Header{"Traceparent": {"00-" + ids + "-01", "00-" + ids + "-01"}}}
	if p := parentOf([]any{twice}); p.valid() {
		t.Errorf("two headers: %v", p)
	}
}

// A broken context is one of the program's.
type broken struct{ context.Context }

func (broken) Value(any) any { panic("broken") }

// Contexts without a span, or that panic, have no parent.
func TestNoSpan(t *testing.T) {
	key := any("key")
	spanKey.Store(&key)
	defer spanKey.Store(nil)
	for _, ctx := range []context.Context{
		context.Background(), broken{}, (*broken)(nil), context.WithValue(context.Background(), key, errors.New("no span")),
	} {
		if p := parentOf([]any{ctx}); p.valid() {
			t.Errorf("%T: %v", ctx, p)
		}
	}
	spanKey.Store(nil)
	ctx, cancel := context.WithCancel(context.WithoutCancel(context.WithValue(broken{}, key, 1)))
	defer cancel()
	if p := parentOf([]any{ctx}); p.valid() || spanKey.Load() != nil {
		t.Errorf("%v, and a key", p)
	}
}

// A trace has the parent of the root call that was in progress on its goroutine when it began.
func TestParents(t *testing.T) {
	began := gather.BeganOf
	defer func() { gather.BeganOf = began }()
	var ps parents
	at := func(goroutine, clock uint64) byte {
		gather.BeganOf = func(any) uint64 { return clock }
		return ps.of(&trace.Trace{Goroutine: goroutine}).span[0]
	}
	begin := func(goroutine, clock uint64, span byte) {
		if ps.enter(goroutine, clock) {
			ps.open[goroutine].parent.span[0] = span
		}
	}
	begin(1, 10, 1)
	begin(1, 11, 2) // within the first
	begin(2, 10, 3)
	ps.exit(1, 12)
	ps.exit(1, 20)
	ps.exit(3, 20) // which began before there was a sink
	begin(1, 30, 4)
	for _, c := range []struct {
		goroutine, clock uint64
		want             byte
	}{{1, 9, 0}, {1, 15, 1}, {1, 25, 0}, {1, 31, 4}, {2, 9, 0}, {2, 15, 3}, {3, 15, 0}} {
		if got := at(c.goroutine, c.clock); got != c.want {
			t.Errorf("goroutine %d at %d: parent %d, want %d", c.goroutine, c.clock, got, c.want)
		}
	}
	for i := uint64(0); i < 2*mostEnded; i++ {
		begin(4, 100+2*i, 5)
		ps.exit(4, 101+2*i)
	}
	if len(ps.ended) != mostEnded || len(ps.open) != 2 || at(1, 15) != 0 || at(4, 100+4*mostEnded-2) != 5 {
		t.Errorf("%d ended and %d open root calls", len(ps.ended), len(ps.open))
	}
}

// Without waymark there are no arguments, and Options.Parent needs none.
func TestFindParents(t *testing.T) {
	c := serve(t, nil)
	s, _ := start(t, c.URL, Options{})
	if err := s.FindParents(nil); err == nil {
		t.Error("no selector is no error")
	}
	given, _ := start(t, c.URL, Options{Parent: func(*trace.Trace) (t [16]byte, s [8]byte, sampled bool) { return }})
	if err := given.FindParents(nil); err != nil {
		t.Error(err)
	}
}
