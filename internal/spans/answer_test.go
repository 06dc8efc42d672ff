package spans

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// What a collector says can't change the terminal, and has bounds.
func TestHostileAnswers(t *testing.T) {
	long := strings.Repeat("x", 10_000)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "\x1b[2J"+long, 400)
	}))
	defer server.Close()
	c, err := NewClient(Config{URL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	body, _ := c.Encode(Of([]Span{{Resource: NewResource("test")}}))
	err = c.Post(context.Background(), body)
	for _, err := range []error{err, &Refusal{Status: "\x1b[2J" + long}, &Rejection{1, "\x1b[2J" + long}} {
		if text := err.Error(); strings.Contains(text, "\x1b") || len(text) > 300 {
			t.Errorf("%T says %.300q", err, text)
		}
	}
}

// Times in Retry-After are seconds or a date, and bounded.
func TestRetryAfter(t *testing.T) {
	for value, want := range map[string]time.Duration{
		"": 0, "3": 3 * time.Second, "-3": 0, "999999999": time.Hour, "soon": 0, time.Unix(0, 0).UTC().Format(http.TimeFormat): 0,
		time.Now().AddDate(1, 0, 0).UTC().Format(http.TimeFormat): time.Hour,
	} {
		if got := retryAfter(value); got != want {
			t.Errorf("%q: %v, want %v", value, got, want)
		}
	}
}

// Pauses double up to a bound, and answers that are final end them.
func TestBackoff(t *testing.T) {
	b := Backoff{Pause: time.Second}
	for i := 0; i < 20; i++ {
		least := min(time.Second<<min(i, 10), maxPause) / 2
		if wait, again := b.Next(errors.New("down")); !again || wait < least || wait > 3*least {
			t.Errorf("pause %d is %v, want %v to %v", i, wait, least, 3*least)
		}
	}
	if _, again := b.Next(fmt.Errorf("wrapped: %w", &Refusal{})); again {
		t.Error("what is refused is sent again")
	}
	if wait, again := b.Next(&Refusal{Again: true, After: time.Hour}); !again || wait != time.Hour {
		t.Errorf("%v, %v; want an hour", wait, again)
	}
}

// A program may have put its own transport in the place of net/http's.
func TestOwnTransport(t *testing.T) {
	before := http.DefaultTransport
	defer func() { http.DefaultTransport = before }()
	http.DefaultTransport = http.NewFileTransport(http.Dir("."))
	for _, url := range []string{"http://localhost", "grpc://localhost", "grpcs://localhost"} {
		if _, err := NewClient(Config{URL: url}); err != nil {
			t.Errorf("%s: %v", url, err)
		}
	}
}
