package otlp

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/waymark-go/waymark/internal/program/rt"
)

const ids = "0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331"

// A traceparent is read as W3C's Trace Context says. What is invalid is ignored.
func TestTraceparent(t *testing.T) {
	atomic.StoreUint32(&without, 1)
	defer atomic.StoreUint32(&without, 0)
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
		p := spanOf([]any{1, nil, (*http.Request)(nil), r})
		var quick rt.Span
		if find([]any{r}, &quick); quick != p {
			t.Errorf("%s: %v alone, %v among others", text, quick, p)
		}
		got := "none"
		if known(&p) {
			got = map[bool]string{true: "sampled", false: "not sampled"}[p.Sampled]
			if p.TraceID[0] != 0x0a || p.TraceID[15] != 0x9c || p.SpanID[0] != 0xb7 || p.SpanID[7] != 0x31 {
				t.Errorf("%s: %v", text, p)
			}
		}
		if got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	twice := &http.Request{Header: http.Header{"Traceparent": {"00-" + ids + "-01", "00-" + ids + "-01"}}}
	if p := spanOf([]any{twice}); known(&p) {
		t.Errorf("two headers: %v", p)
	}
}

// The request is known by its method and path, as far as there is room, whatever its span is.
func TestRequest(t *testing.T) {
	for path, want := range map[string]string{
		"/order?token=1": "GET /order", "/": "GET /", "/" + strings.Repeat("a", 200): "GET /" + strings.Repeat("a", 97),
	} {
		r, err := http.NewRequest("GET", "http://h"+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, header := range []string{"", "00-" + ids + "-01"} {
			r.Header.Set("Traceparent", header)
			p := spanOf([]any{context.Background(), r})
			if got := strings.TrimRight(string(p.Request[:]), "\x00"); got != want || known(&p) != (header != "") {
				t.Errorf("%s: %q, want %q", path, got, want)
			}
			atomic.StoreUint32(&without, 1)
			var quick rt.Span
			if find([]any{r}, &quick); quick != p {
				t.Errorf("%s: %v alone, %v among others", path, quick, p)
			}
			atomic.StoreUint32(&without, 0)
		}
	}
	key := any("key")
	spanKey.Store(&key)
	defer spanKey.Store(nil)
	r, err := http.NewRequest("GET", "http://h/order", nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, ctx := range map[string]context.Context{"a span": context.WithValue(context.Background(), key, span{}), "a context that panics": broken{context.Background()}} {
		for _, args := range [][]any{{ctx, r}, {r, ctx}} {
			p := spanOf(args)
			if got := strings.TrimRight(string(p.Request[:]), "\x00"); got != "GET /order" || known(&p) != (name == "a span") {
				t.Errorf("with %s: %q of %v, want GET /order", name, got, p)
			}
		}
	}
	if p := spanOf([]any{&http.Request{}}); p.Request[0] != 0 {
		t.Errorf("a request without a URL is %q", p.Request)
	}
}

// A span is as one of OpenTelemetry.
type span struct{}

func (span) SpanContext() spanContext { return spanContext{} }

type spanContext struct{}

func (spanContext) TraceID() [16]byte { return [16]byte{1} }
func (spanContext) SpanID() [8]byte   { return [8]byte{2} }
func (spanContext) IsSampled() bool   { return true }

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
		if p := spanOf([]any{ctx}); known(&p) {
			t.Errorf("%T: %v", ctx, p)
		}
	}
	spanKey.Store(nil)
	ctx, cancel := context.WithCancel(context.WithoutCancel(context.WithValue(broken{}, key, 1)))
	defer cancel()
	if p := spanOf([]any{ctx}); known(&p) || spanKey.Load() != nil {
		t.Errorf("%v, and a key", p)
	}
}

type (
	key     struct{ Key, Value []byte }
	message struct{ Headers []*key }
	values  struct{ Header map[string][]string }
	table   struct{ Headers map[string]any }
	gin     struct{ Request *http.Request }
	echo    struct{ r *http.Request }
	stream  struct{ ctx context.Context }
)

func (e echo) Request() *http.Request     { return e.r }
func (s stream) Context() context.Context { return s.ctx }

// Requests of frameworks and messages of queues carry headers in several forms.
func TestCarried(t *testing.T) {
	text := "00-" + ids + "-01"
	r := &http.Request{Header: http.Header{"Traceparent": {text}}}
	for _, of := range []any{
		r, gin{r}, &gin{r}, echo{r},
		&message{[]*key{{[]byte("other"), nil}, {[]byte("traceparent"), []byte(text)}}},
		message{[]*key{{[]byte("Traceparent"), []byte(text)}}},
		&values{http.Header{"Traceparent": {text}}}, values{map[string][]string{"traceparent": {text}}},
		table{map[string]any{"traceparent": text}}, &table{map[string]any{"traceparent": []byte(text)}},
	} {
		if p := spanOf([]any{context.Background(), of}); !known(&p) || !p.Sampled {
			t.Errorf("%T: no span", of)
		}
	}
	for _, of := range []any{
		nil, 1, "text", gin{}, &gin{}, (*gin)(nil), echo{}, stream{}, stream{context.Background()}, message{}, &message{[]*key{nil}}, values{},
		values{map[string][]string{"traceparent": {text, text}}}, table{map[string]any{"traceparent": 1}},
		struct{ Headers int }{1}, struct{ header int }{1}, &struct{ Headers []int }{[]int{1}},
	} {
		if p := spanOf([]any{of}); known(&p) {
			t.Errorf("%T: %v", of, p)
		}
	}
}

// spanOf returns what is found in the arguments.
func spanOf(args []any) (p rt.Span) {
	within(args, &p)
	return p
}

func BenchmarkWithin(b *testing.B) {
	ctx, cancel := context.WithCancel(context.WithValue(context.WithValue(context.Background(), gin{}, 1), echo{}, 2))
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, "GET", "http://h/order?id=1", nil)
	if err != nil {
		b.Fatal(err)
	}
	headers := [1024][]string{} // digits that the processor can't foretell
	random := rand.New(rand.NewSource(1))
	for i := range headers {
		headers[i] = []string{fmt.Sprintf("00-%016x%016x-%016x-01", random.Uint64(), random.Uint64(), random.Uint64())}
	}
	for _, name := range []string{"no OpenTelemetry", "no span", "traceparent"} {
		without = map[bool]uint32{true: 1}[name != "no span"]
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			args := []any{r}
			for i := 0; i < b.N; i++ {
				var p rt.Span
				if name == "traceparent" {
					r.Header["Traceparent"] = headers[i%len(headers)]
				}
				if without != 0 {
					find(args, &p)
				} else {
					within(args, &p)
				}
			}
		})
	}
}
