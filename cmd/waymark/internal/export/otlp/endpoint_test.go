package otlp

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
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
		if err := e.Post([]byte("{}")); err == nil || Temporary(err) != tt.want {
			t.Errorf("%s: %v: want one that is temporary: %v", tt.name, err, tt.want)
		}
	}
}
