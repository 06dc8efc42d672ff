package otlp

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/waymark-go/waymark/internal/spans"
)

// Whether a failure may be gone at the next attempt.
func TestTemporary(t *testing.T) {
	ended := make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-ended }))
	defer slow.Close()
	defer close(ended)
	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	down := httptest.NewServer(nil)
	down.Close()
	for _, tt := range []struct {
		name, url string
		want      bool
	}{
		{"slow", slow.URL, true},
		{"down", down.URL, false},
		{"down, gRPC", "grpc" + down.URL[len("http"):], false},
		{"no gRPC", "grpc" + other.URL[len("http"):], false},
	} {
		e, err := NewEndpoint(tt.url, "")
		if err != nil {
			t.Fatal(err)
		}
		e.Timeout = 300 * time.Millisecond
		if _, err := e.Post(request()); err == nil || spans.Temporary(err) != tt.want {
			t.Errorf("%s: %v: want one that is temporary: %v", tt.name, err, tt.want)
		}
	}
}

// What is sent goes to the URL that was given, and not where that one leads to.
func TestRedirected(t *testing.T) {
	asked := 0
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer other.Close()
	for _, status := range []int{http.StatusFound, http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
		first := httptest.NewServer(http.RedirectHandler(other.URL, status))
		e, err := NewEndpoint(first.URL, "")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.Post(request()); err == nil {
			t.Errorf("status %d: no error", status)
		}
		first.Close()
	}
	if asked > 0 {
		t.Errorf("the other receiver got %d requests", asked)
	}
}

// request returns one with a span.
func request() *spans.Request {
	r := new(spans.Request)
	r.Add(&spans.Span{Resource: spans.NewResource("test"), Name: "f"})
	return r
}
