// Server handles requests with and without OpenTelemetry, and says which spans of its own they are in.
package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"go.opentelemetry.io/otel/propagation"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

const remote = "0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-"

func main() {
	mux := http.NewServeMux()
	mux.HandleFunc("/", handle)
	mux.HandleFunc("/job", func(_ http.ResponseWriter, r *http.Request) { work(r.Context()) })
	mux.HandleFunc("/inside", func(w http.ResponseWriter, r *http.Request) { inside(w, r) })
	tracer := sdk.NewTracerProvider().Tracer("server")
	instrumented := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { // as otelhttp does
		ctx := propagation.TraceContext{}.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
		ctx, span := tracer.Start(ctx, "request")
		defer span.End()
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		say(r, span)
		mux.ServeHTTP(w, r.WithContext(ctx))
	})
	for _, plain := range []string{"", "00-" + remote + "01", "00-" + remote + "00", "ff-" + remote + "01"} {
		request(mux, "/plain", plain)
	}
	for _, path := range []string{"/own", "/job"} {
		request(instrumented, path, "")
		request(instrumented, path, "00-"+remote+"01")
		request(instrumented, path, "00-"+remote+"00")
	}
	tracerOf = tracer
	request(mux, "/inside", "00-"+remote+"01")
	request(mux, "/inside", "")
}

func request(h http.Handler, path, traceparent string) {
	r := httptest.NewRequest("GET", path, nil)
	if traceparent != "" {
		r.Header.Set("traceparent", traceparent)
	}
	h.ServeHTTP(httptest.NewRecorder(), r)
}

// say prints the ids of a span that is sampled.
func say(r *http.Request, span trace.Span) {
	if c := span.SpanContext(); c.IsSampled() {
		fmt.Println(r.URL.Path, c.TraceID(), c.SpanID())
	}
}

//go:noinline
func handle(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, step()) }

//go:noinline
func work(ctx context.Context) { step() }

var tracerOf trace.Tracer

// inside begins its own span.
//
//go:noinline
func inside(w http.ResponseWriter, r *http.Request) {
	ctx := propagation.TraceContext{}.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
	_, span := tracerOf.Start(ctx, "inside")
	defer span.End()
	step()
}

//go:noinline
func step() int { return 1 }
